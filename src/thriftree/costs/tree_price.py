"""What a tree costs: per node, per leaf, per row, expected and at worst.

For a row x let A(x) be what its path buys: the features tested on the path that are neither known nor
delayed, and all that its first delayed node orders. Then

    price(x) = sum of the own prices of A(x), at x's outcomes, + set-up price of each group that A(x) meets.

With pay="each" A(x) counts one entry for each immediate node on the path and, in an order, one for each
distinct (feature, split). Whether missing values go left or right does not make a split a different one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.bound import NO_GROUP, BoundCosts
from thriftree.costs.compatible import dearest_compatible
from thriftree.preorder import subtree_ends

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]


class PriceableTree(Protocol):
    """What pricing reads of a tree: the flat arrays of the native tree, nodes in preorder.

    Node i owns [x_begin[i], x_begin[i + 1]) of each x in children, keys, to. `kind` is 0 at a leaf, 1 for an
    ordered and 2 for a category test. Ordered: x goes to branch to[number of keys below x]. Category: a code
    among the keys goes to its `to`, any other to branch `other`. Missing values go to branch `missing`.
    """

    @property
    def parent(self) -> IntArray: ...
    @property
    def kind(self) -> IntArray: ...
    @property
    def column(self) -> IntArray: ...
    @property
    def missing(self) -> IntArray: ...
    @property
    def other(self) -> IntArray: ...
    @property
    def child_begin(self) -> IntArray: ...
    @property
    def children(self) -> IntArray: ...
    @property
    def key_begin(self) -> IntArray: ...
    @property
    def keys(self) -> FloatArray: ...
    @property
    def to_begin(self) -> IntArray: ...
    @property
    def to(self) -> IntArray: ...
    @property
    def weight(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class TreePrice:
    """The prices of a tree's nodes, at the dearest outcome that can still occur where outcomes matter."""

    accumulated: (
        FloatArray  # per node: paid on arrival, before its own test; at a leaf the price of the whole path
    )
    marginal: FloatArray  # per node: what its test, and the order it may set off, adds; 0 at leaves
    leaves: NDArray[np.intp]
    leaf_weight: FloatArray
    fixed: FloatArray  # per node: the part of `accumulated` that no outcome changes
    times: NDArray[np.int64]  # nodes x bound.outcomes: how often arriving paid for that column
    bound: BoundCosts

    @property
    def worst_case(self) -> float:
        """The largest price of any path, missing and other branches included."""
        return float(self.accumulated[self.leaves].max())

    @property
    def expected(self) -> float:
        """The mean price over the leaves, by weight. Prices that depend on outcomes need `of_rows`."""
        if self.times[self.leaves].any():
            raise ValueError(
                "prices depend on outcomes, which the leaves' weights do not tell: "
                "average of_rows(...) over the rows"
            )
        return float(np.average(self.accumulated[self.leaves], weights=self.leaf_weight))

    def of_rows(
        self, leaf: IntArray, values: NDArray[Any] | Sequence[NDArray[Any]] | None = None
    ) -> FloatArray:
        """The price that each row pays, given the leaf it falls in.

        `values`, needed only where prices depend on outcomes, are the rows' columns: a 2-D array, or one
        array a column with numbers (NaN missing) or codes (-1 missing, -2 not among the categories).
        """
        prices = self.fixed[leaf]
        times = self.times[leaf]
        for j, (column, outcomes) in enumerate(self.bound.outcomes.items()):
            if not times[:, j].any():
                continue
            if values is None:
                raise ValueError(
                    f"the price of {self.bound.names[column]!r} depends on its outcome: pass the rows' values"
                )
            of_column = values[:, column] if isinstance(values, np.ndarray) else values[column]
            prices = prices + times[:, j] * outcomes.of(of_column)
        return prices


def price(tree: PriceableTree, costs: BoundCosts | None = None) -> TreePrice:
    """The prices of all nodes of `tree`. Without `costs` every node visited costs 1."""
    if costs is None:
        costs = BoundCosts.without_prices(
            [f"column {i}" for i in range(int(tree.column.max(initial=-1)) + 1)]
        )
    fixed_step, times_step = _purchases(tree, costs)
    fixed, times = _accumulate(tree, fixed_step), _accumulate(tree, times_step)
    accumulated, marginal = fixed, fixed_step
    if times_step.any():
        dearest = dearest_compatible(tree, costs)
        accumulated = fixed + (times * dearest).sum(axis=1)
        marginal = fixed_step + (times_step * dearest).sum(axis=1)
    leaves = np.flatnonzero(tree.column < 0)
    return TreePrice(accumulated, marginal, leaves, tree.weight[leaves], fixed, times, costs)


def price_rows(
    tree: PriceableTree,
    costs: BoundCosts | None,
    leaf: IntArray,
    values: NDArray[Any] | Sequence[NDArray[Any]] | None = None,
) -> FloatArray:
    """The price that each row pays; see `TreePrice.of_rows`."""
    return price(tree, costs).of_rows(leaf, values)


def _purchases(tree: PriceableTree, costs: BoundCosts) -> tuple[FloatArray, NDArray[np.int64]]:
    """What each node's test adds: an amount, and purchases of each column in `costs.outcomes`."""
    # Plain lists and ints: one pass over the nodes, where reading numpy scalars would take most of the time.
    own, setup, group = costs.own.tolist(), costs.setup.tolist(), costs.group.tolist()
    known, delayed = costs.known.tolist(), costs.delayed.tolist()
    column, parent = tree.column.tolist(), tree.parent.tolist()
    once, everything = costs.pay == "once", costs.delayed_scope == "all"
    slot = {c: j for j, c in enumerate(costs.outcomes)}
    end = subtree_ends(parent)
    n = len(column)
    fixed = np.zeros(n)
    times = np.zeros((n, len(slot)), dtype=np.int64)
    # After each node's test, as bit sets: the columns bought, the groups opened; and whether an order was
    # placed.
    bought, opened, ordered = [0] * n, [0] * n, [False] * n

    for node in range(n):
        up = parent[node]
        have, groups, batch_placed = (bought[up], opened[up], ordered[up]) if up >= 0 else (0, 0, False)
        f = column[node]
        if f < 0:
            continue
        items: list[int] = []
        if known[f] or (batch_placed and (everything or delayed[f])):
            pass
        elif delayed[f]:
            below = [m for m in range(node, end[node]) if column[m] >= 0 and not known[column[m]]]
            items = _order(tree, [m for m in below if everything or delayed[column[m]]], once)
            batch_placed = True
        else:
            items = [f]
        for c in items:
            if once and have >> c & 1:
                continue
            have |= 1 << c
            if c in slot:
                times[node, slot[c]] += 1
            else:
                fixed[node] += own[c]
            g = group[c]
            if g != NO_GROUP and not groups >> g & 1:
                groups |= 1 << g
                fixed[node] += setup[g]
        bought[node], opened[node], ordered[node] = have, groups, batch_placed
    return fixed, times


def _order(tree: PriceableTree, nodes: list[int], once: bool) -> list[int]:
    """The columns that an order of these tests pays for: each once, or once a distinct split."""
    if once:
        return list(dict.fromkeys(int(tree.column[node]) for node in nodes))
    return [split[0] for split in dict.fromkeys(_split(tree, node) for node in nodes)]


def _split(tree: PriceableTree, node: int) -> tuple[int, int, tuple[float, ...], tuple[int, ...]]:
    """The node's column and how it divides its values, branches numbered by first appearance."""
    keys = tree.keys[tree.key_begin[node] : tree.key_begin[node + 1]].tolist()
    to = tree.to[tree.to_begin[node] : tree.to_begin[node + 1]].tolist()
    number = {branch: i for i, branch in enumerate(dict.fromkeys(to))}
    return int(tree.column[node]), int(tree.kind[node]), tuple(keys), tuple(number[branch] for branch in to)


def _accumulate(tree: PriceableTree, step: NDArray[Any]) -> NDArray[Any]:
    """What the tests above each node added up to."""
    total = np.zeros_like(step)
    for node, up in enumerate(tree.parent.tolist()):
        if up >= 0:
            total[node] = total[up] + step[up]
    return total
