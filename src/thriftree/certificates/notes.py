"""What a reader of a certificate has to know of the rows and prices."""

from __future__ import annotations

from thriftree.certificates.guarantee import Promise
from thriftree.certificates.objects import ObjectsOfRows
from thriftree.costs import TestCosts
from thriftree.tree import Tree


def notes_on(
    tree: Tree, prices: TestCosts | None, n_rows: int, objects: ObjectsOfRows | None, promise: Promise | None
) -> tuple[str, ...]:
    """What a reader has to know of the rows and prices. `objects`: if the rows were coded."""
    notes = []
    if promise is not None and promise.departure > 1:
        notes.append(
            f"That includes a factor of {promise.departure:.3g} for tests of this tree that cost more for "
            "what they gain than the best at their place: by delays, set-ups, or another rule of choice."
        )
    n_objects = n_rows if objects is None else len(objects.first_row)
    if n_objects < n_rows:
        notes.append(f"The {n_rows} rows are {n_objects} objects: rows that no test tells apart are one.")
    if objects is not None and objects.unavoidable > 0:
        notes.append(
            f"Of the rows, {objects.unavoidable:.2%} by weight have another class than their object: no tree "
            "can get them right."
        )
    if (prices is None or prices.pay == "each") and _asks_again(tree):
        notes.append("The bound counts a feature once, however often a tree asks for it and pays.")
    if prices is None:
        return tuple(notes)
    if has_prices_by_outcome(prices):
        notes.append("Where a price depends on the outcome, the bound counts the cheapest outcome.")
    if prices.delayed:
        notes.append("The bound counts no test that is ordered for its delay and then not needed.")
    return tuple(notes)


def has_prices_by_outcome(prices: TestCosts) -> bool:
    """Whether some test's price depends on its outcome."""
    return any(not isinstance(own, float) for own in prices.prices.values())


def _asks_again(tree: Tree) -> bool:
    """Whether some path tests a feature more than once."""
    column, asked = tree.core.column.tolist(), [0] * tree.n_nodes  # bit sets of columns
    for node, up in enumerate(tree.core.parent.tolist()):
        above = asked[up] if up >= 0 else 0
        if column[node] >= 0 and above >> column[node] & 1:
            return True
        asked[node] = above | (1 << column[node] if column[node] >= 0 else 0)
    return False
