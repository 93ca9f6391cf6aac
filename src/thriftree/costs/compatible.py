"""Which outcomes of a column can still occur at a node, and the dearest of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.bound import BoundCosts
from thriftree.costs.outcomes import MISSING_CODE, UNSEEN_CODE, OutcomePrices

if TYPE_CHECKING:
    from thriftree.costs.tree_price import PriceableTree

CATEGORY = 2  # the kind of a category test; 1 is an ordered one


def dearest_compatible(tree: PriceableTree, costs: BoundCosts) -> NDArray[np.float64]:
    """Nodes x `costs.outcomes`: the dearest price of that column among the outcomes that can reach the node.

    Where tests contradict each other so that no outcome can, it is the dearest price of all.
    """
    columns = list(costs.outcomes)
    place = {c: j for j, c in enumerate(columns)}
    dearest = np.zeros((len(tree.parent), len(columns)))
    alive_at_root = [costs.outcomes[c].representatives(_cuts(tree, c)) for c in columns]
    dearest[0] = [_dearest(costs.outcomes[c], alive_at_root[j]) for j, c in enumerate(columns)]
    # Depth first, so that only the outcome lists of one path and its siblings are held.
    stack: list[tuple[int, list[NDArray[Any]]]] = [(0, alive_at_root)]
    while stack:
        node, alive = stack.pop()
        children = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]].tolist()
        dearest[children] = dearest[node]
        tested = int(tree.column[node])
        if tested not in place:
            stack.extend((child, alive) for child in children)
            continue
        j = place[tested]
        branch = branch_of(tree, node, alive[j])
        for b, child in enumerate(children):
            left = alive[j][branch == b]
            dearest[child, j] = _dearest(costs.outcomes[tested], left)
            stack.append((child, [*alive[:j], left, *alive[j + 1 :]]))
    return dearest


def _dearest(outcomes: OutcomePrices, alive: NDArray[Any]) -> float:
    return float(outcomes.of(alive).max()) if len(alive) else outcomes.dearest


def branch_of(tree: PriceableTree, node: int, values: NDArray[Any]) -> NDArray[np.int64]:
    """The branch of `node` that each value of its column takes: numbers (NaN missing) or codes (-1, -2)."""
    keys = tree.keys[tree.key_begin[node] : tree.key_begin[node + 1]]
    to = tree.to[tree.to_begin[node] : tree.to_begin[node + 1]]
    position = np.searchsorted(keys, values, side="left")
    if tree.kind[node] == CATEGORY:
        listed = position < len(keys)
        listed[listed] = keys[position[listed]] == values[listed]
        branch = np.full(len(values), tree.other[node], dtype=np.int64)
        branch[listed] = to[position[listed]]
    else:
        branch = to[position].astype(np.int64)
    if np.issubdtype(values.dtype, np.floating):
        branch[np.isnan(values)] = tree.missing[node]
        return branch
    branch[values == UNSEEN_CODE] = tree.other[node]
    branch[values == MISSING_CODE] = tree.missing[node]
    return branch


def _cuts(tree: PriceableTree, column: int) -> NDArray[np.float64]:
    """Every key of the tree's tests of `column`."""
    own = np.repeat(np.asarray(tree.column), np.diff(tree.key_begin)) == column
    return np.unique(tree.keys[own])
