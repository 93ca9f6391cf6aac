"""Bits of trees from their definition, row by row and slowly: what PUBLIC's trees are held against.

Nothing here uses codes or the core's sums: values are the numbers of the table themselves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import gamma, isnan, log2, pi
from typing import Any

import numpy as np

from thriftree.testing.makers import SmallTable

Value = float | None  # None: missing


@dataclass(frozen=True)
class PlainTable:
    """Rows as tuples of values, None where missing."""

    rows: tuple[tuple[Value, ...], ...]
    labels: tuple[int, ...]
    weights: tuple[float, ...]
    categorical: tuple[int, ...]

    @classmethod
    def of(cls, table: SmallTable) -> PlainTable:
        """The same table."""
        rows = tuple(tuple(None if isnan(x) else float(x) for x in row) for row in table.X.tolist())
        weights = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
        return cls(rows, tuple(table.y.tolist()), tuple(weights.tolist()), table.categorical)

    def values(self, column: int, members: Sequence[int]) -> list[Value]:
        """The distinct values of some rows in a column, missing last."""
        seen = {self.rows[i][column] for i in members}
        return [*sorted(v for v in seen if v is not None), *([None] if None in seen else [])]

    @property
    def n_varying(self) -> int:
        """Columns of two values or more."""
        everyone = range(len(self.rows))
        return sum(len(self.values(j, everyone)) > 1 for j in range(len(self.rows[0])))


def leaf_bits(table: PlainTable, members: Sequence[int]) -> float:
    """One bit for the kind of the node, and the classes of its rows (Rastogi and Shim 1998)."""
    by_class: dict[Hashable, float] = {}
    for i in members:
        by_class[table.labels[i]] = by_class.get(table.labels[i], 0.0) + table.weights[i]
    n, k = sum(by_class.values()), len(by_class)
    entropy = sum(w * log2(n / w) for w in by_class.values())
    parameters = (k - 1) / 2 * log2(n / 2) + log2(pi ** (k / 2) / gamma(k / 2))
    return 1 + entropy + max(parameters, 0.0)


def test_bits(table: PlainTable, column: int, members: Sequence[int]) -> float:
    """One bit for the kind of the node, then the column, then which of the divisions of its values."""
    values = table.values(column, members)
    known = [v for v in values if v is not None]
    if column in table.categorical:
        n_tests = 2 ** len(values) - 2
    elif None in values:
        n_tests = 2 * (len(known) - 1) + 1  # missing on either side of each cut, or on its own
    else:
        n_tests = len(known) - 1
    return 1 + log2(table.n_varying) + log2(n_tests)


test_bits.__test__ = False  # type: ignore[attr-defined]  # a question, not a test of pytest's


@dataclass(frozen=True)
class GrownNode:
    """A node of a finished tree with the rows that reach it."""

    column: int  # -1 at leaves
    members: tuple[int, ...]
    children: tuple[GrownNode, ...]


def grown_nodes(core: Any, leaf: Sequence[int], node: int = 0) -> GrownNode:
    """The tree of the core with its rows, from the leaf in which each ends."""
    below = core.children[core.child_begin[node] : core.child_begin[node + 1]].tolist()
    children = tuple(grown_nodes(core, leaf, child) for child in below)
    members = [i for child in children for i in child.members]
    if not children:
        members = [i for i, at in enumerate(leaf) if at == node]
    return GrownNode(int(core.column[node]), tuple(sorted(members)), children)


def bits(table: PlainTable, node: GrownNode) -> float:
    """What a tree takes as it is."""
    if not node.children:
        return leaf_bits(table, node.members)
    return test_bits(table, node.column, node.members) + sum(bits(table, child) for child in node.children)


def pruned(table: PlainTable, node: GrownNode) -> GrownNode:
    """From the bottom up: a leaf wherever that takes no more bits."""
    kept = GrownNode(node.column, node.members, tuple(pruned(table, child) for child in node.children))
    leaf = GrownNode(-1, node.members, ())
    return leaf if bits(table, leaf) <= bits(table, kept) * (1 + 1e-9) else kept


def prunings(node: GrownNode) -> Iterator[GrownNode]:
    """Every tree that making leaves can leave of this one."""
    yield GrownNode(-1, node.members, ())
    if node.children:
        left, right = node.children
        for one in prunings(left):
            for other in prunings(right):
                yield GrownNode(node.column, node.members, (one, other))


def cheapest_tree_bits(table: PlainTable) -> Any:
    """A function from rows to the bits of the best of all trees of binary tests on them, by trying all."""

    @cache
    def cheapest(members: tuple[int, ...]) -> float:
        best = leaf_bits(table, members)
        for column in range(len(table.rows[0])):
            for side in _divisions(table, column, members):
                rest = tuple(i for i in members if i not in side)
                price = test_bits(table, column, members)
                if price < best:
                    best = min(best, price + cheapest(tuple(sorted(side))) + cheapest(rest))
        return best

    return cheapest


def _divisions(table: PlainTable, column: int, members: Sequence[int]) -> Iterator[frozenset[int]]:
    """The rows on the first side of every test of a column."""
    values = table.values(column, members)
    known = [v for v in values if v is not None]
    sides: list[set[Value]]
    if column in table.categorical:
        sides = [set(some) for n in range(1, len(values)) for some in combinations(values, n)]
    else:
        sides = [set(known[:n]) for n in range(1, len(known))]
        if None in values and known:
            sides += [{*side, None} for side in sides] + [{None}]
    for side in sides:
        yield frozenset(i for i in members if table.rows[i][column] in side)
