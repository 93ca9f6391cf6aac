"""What a set of answers costs: the price model for questions that are asked in any order.

A column is asked once, so it is paid once, also where the tree pays for every test (`pay="each"`). The first
delayed column that is asked orders every delayed column that may still be needed, as in a tree: at most one
order. A column whose price depends on its outcome costs the dearest until it is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from thriftree.costs import BoundCosts
from thriftree.costs.bound import NO_GROUP
from thriftree.costs.outcomes import OutcomePrices
from thriftree.document.follow import Answer
from thriftree.explain.prices import outcome_price
from thriftree.explain.values import Values


@dataclass(frozen=True)
class Purchases:
    """The columns paid for, those of an order that wait for their results included; whether an order was
    placed.
    """

    columns: frozenset[int] = frozenset()
    ordered: bool = False


class Bill:
    """Prices of purchases, by the prices fitted to one tree's columns."""

    def __init__(self, costs: BoundCosts) -> None:
        self.costs = costs

    def ask(self, bought: Purchases, column: int, still_open: Callable[[], Iterable[int]]) -> Purchases:
        """What is bought after asking for a column; `still_open` gives the columns not yet known that the
        tree may still ask for, and is called only if asking places an order.
        """
        costs = self.costs
        if costs.known[column]:
            return bought
        if bought.ordered or not costs.delayed[column]:
            return Purchases(bought.columns | {column}, bought.ordered)
        return Purchases(bought.columns | {column, *self.batch(still_open())}, True)

    def batch(self, still_open: Iterable[int]) -> frozenset[int]:
        """The columns among these that an order holds."""
        costs = self.costs
        everything = costs.delayed_scope == "all"
        return frozenset(c for c in still_open if not costs.known[c] and (everything or costs.delayed[c]))

    def total(self, columns: Iterable[int], known: Mapping[int, Answer | Values]) -> float:
        """The price of these columns with these outcomes (or the dearest of a set of them): own prices, and
        one set-up for each group.
        """
        bought = sorted(columns)
        own = sum(self._own(column, known.get(column)) for column in bought)
        return own + float(sum(self.costs.setup[group] for group in sorted(self._groups(bought))))

    def adds(self, before: Purchases, after: Purchases) -> float:
        """What `after` costs more than `before`, with the dearest outcomes: equal for equal prices, whatever
        was paid before.
        """
        new = sorted(after.columns - before.columns)
        opened = self._groups(after.columns) - self._groups(before.columns)
        own = sum(float(self.costs.own[column]) for column in new)
        return own + float(sum(self.costs.setup[group] for group in sorted(opened)))

    def varies(self, columns: Iterable[int]) -> bool:
        """Whether the price of one of these columns depends on its outcome."""
        return any(column in self.costs.outcomes for column in columns)

    def _groups(self, columns: Iterable[int]) -> set[int]:
        """The groups whose set-up these columns need."""
        return {int(self.costs.group[column]) for column in columns} - {NO_GROUP}

    def _own(self, column: int, outcome: Answer | Values | None) -> float:
        if column not in self.costs.outcomes or outcome is None:
            return float(self.costs.own[column])
        prices = self.costs.outcomes[column]
        return _dearest(prices, outcome) if isinstance(outcome, Values) else outcome_price(prices, outcome)


def _dearest(prices: OutcomePrices, values: Values) -> float:
    """The dearest price of a set of values, which holds at least one."""
    if values.missing or values.other:
        return prices.dearest
    return max(
        [outcome_price(prices, code) for code in values.codes]
        + [prices.dearest_between(low, high) for low, high in values.intervals]
    )
