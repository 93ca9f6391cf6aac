"""Bits that describe a tree and the classes of its rows, as PUBLIC counts them; pruning by fewest bits.

Rastogi and Shim (1998), section 2, after Mehta, Rissanen and Agrawal (1995). docs/guide/public.md has the
formulas and says where they had to be read in one way or another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, lgamma, log, log1p, log2, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.estimators.targets import Floats, Labels

Positions = NDArray[np.intp]

# Costs nearer to each other than this, relatively, are equal but for rounding.
SLACK: Final = 1e-9


def leaf_bits(counts: Floats) -> Floats:
    """Bits of a leaf, for each row of `counts[nodes, classes]`: one for its kind, the others for the classes
    of its rows. k is the number of classes that the leaf has.

    The terms beside the entropy are never negative where n >= k; weights below 1 must not make them so.
    """
    n = counts.sum(axis=1)
    ratio = np.divide(n[:, None], counts, out=np.ones_like(counts), where=counts > 0)
    entropy = (counts * np.log2(ratio)).sum(axis=1)
    k = np.count_nonzero(counts, axis=1)
    constant = np.array([_log2_constant(classes) for classes in range(counts.shape[1] + 1)])
    parameters = (k - 1) / 2 * np.log2(n / 2) + constant[k]
    return np.asarray(1.0 + entropy + np.maximum(parameters, 0.0), dtype=np.float64)


def _log2_constant(k: int) -> float:
    """log2(π^(k/2) / Γ(k/2)): 0 for one class."""
    return k / 2 * log2(pi) - lgamma(k / 2) / log(2) if k > 1 else 0.0


def value_bits(n_values: int, has_missing: bool, is_category: bool) -> float:
    """Bits that tell one test of a column from the others that the node's values allow.

    `n_values` known values of an ordered column have n_values - 1 cuts; where some are missing, these may go
    to either side of a cut, or be on their own. Categories have 2^v - 2 sets, missing being a category.
    """
    if is_category:
        v = n_values + has_missing
        return v + log1p(-(2.0 ** (1 - v))) / log(2)
    return log2(2 * n_values - 1 if has_missing else n_values - 1)


class TestBits:
    """What a test costs at a node: the column, and the value or set of values."""

    __test__ = False  # for pytest: these are tests of a tree

    def __init__(self, table: _core.Table) -> None:
        self.table = table
        # A column of one value offers no test: it is no alternative that a code would have to name.
        self.varying = [j for j in range(table.n_columns) if np.ptp(table.codes(j)) > 0]
        self.column_bits = log2(max(1, len(self.varying)))
        self._codes: dict[int, NDArray[np.uint32]] = {}

    def codes(self, column: int) -> NDArray[np.uint32]:
        """The codes of a column, copied once."""
        if column not in self._codes:
            self._codes[column] = self.table.codes(column)
        return self._codes[column]

    def missing_code(self, column: int) -> int | None:
        """The code of a missing value, the last of all, if the column has one."""
        description = self.table.column(column)
        return description.n_codes - 1 if description.has_missing else None

    def is_category(self, column: int) -> bool:
        """Whether the column is tested by sets of its values, not by cuts."""
        return self.table.column(column).kind == "category"

    def of_test(self, column: int, codes: NDArray[np.uint32]) -> float:
        """Bits of a test of this column at a node whose rows have these codes, two different ones at least."""
        return self.column_bits + self._of_value(column, codes)

    @cached_property
    def of_simplest_value(self) -> float:
        """Least bits of a value in any test: none for the only cut between two values, one for a set."""
        return 1.0 if all(self.is_category(j) for j in self.varying) else 0.0

    def of_cheapest_value(self, rows: Positions) -> float:
        """Least bits of the value in any test at a node of these rows; inf where there is no test."""
        least = inf
        for column in self.varying:
            codes = self.codes(column)[rows]
            if (codes != codes[0]).any():
                least = min(least, self._of_value(column, codes))
            if least <= self.of_simplest_value:
                break
        return least

    def _of_value(self, column: int, codes: NDArray[np.uint32]) -> float:
        codes = np.sort(codes)
        n_codes = 1 + int(np.count_nonzero(codes[1:] != codes[:-1]))
        has_missing = bool(codes[-1] == self.missing_code(column))
        return value_bits(n_codes - has_missing, has_missing, self.is_category(column))


@dataclass(frozen=True)
class Description:
    """A tree with the fewest bits that its nodes, kept or made leaves, can be described with."""

    tree: _core.Tree
    bits: float


def shortest_pruning(tree: _core.Tree, leaf: Labels, y: Labels, weight: Floats, bits: TestBits) -> Description:
    """The pruning of a tree that takes fewest bits; of equals the smallest. `leaf` is where each row ends.

    From the bottom up: a node becomes a leaf where that takes no more bits than its test and what is below.
    """
    best = leaf_bits(_core.node_class_weights(tree, leaf, y, weight)).tolist()
    make_leaf = np.zeros(tree.n_nodes, dtype=np.bool_)
    order, first, end = _rows_by_node(tree, leaf)
    for node in np.flatnonzero(tree.column >= 0)[::-1].tolist():
        column = int(tree.column[node])
        codes = bits.codes(column)[order[first[node] : end[node]]]
        children = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]].tolist()
        split = 1.0 + bits.of_test(column, codes) + sum(best[child] for child in children)
        if no_dearer(best[node], split):
            make_leaf[node] = True
        else:
            best[node] = split
    return Description(_core.prune_collapse(tree, make_leaf), best[0])


def no_dearer(leaf: float, subtree: float) -> bool:
    """Whether a leaf takes no more bits than a subtree, but for rounding."""
    return leaf <= subtree * (1.0 + SLACK)


def _rows_by_node(tree: _core.Tree, leaf: Labels) -> tuple[Positions, Positions, Positions]:
    """(order, first, end): the rows of node i are order[first[i]:end[i]]. Nodes are in preorder, so the
    leaves below a node have consecutive numbers.
    """
    last = list(range(tree.n_nodes))
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        last[parent[node]] = max(last[parent[node]], last[node])
    order = np.argsort(leaf, kind="stable")
    in_order = leaf[order]
    first = np.searchsorted(in_order, np.arange(tree.n_nodes), side="left")
    return order, first, np.searchsorted(in_order, last, side="right")
