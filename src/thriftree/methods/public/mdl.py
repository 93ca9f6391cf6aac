"""Bits that describe a tree and the classes of its rows, as PUBLIC counts them; pruning by fewest bits.

After Rastogi and Shim (1998), who follow Mehta, Rissanen and Agrawal (1995). docs/guide/public.md has the
formulas and says where they had to be read in one way or another.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, lgamma, log, log2, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.row_groups import Positions, RowGroups
from thriftree.learning.targets import Floats, Labels
from thriftree.preorder import rows_by_node
from thriftree.table.encoded_table import EncodedTable

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


def value_bits(
    n_values: NDArray[np.integer], has_missing: NDArray[np.bool_], is_category: NDArray[np.bool_] | bool
) -> Floats:
    """Bits that tell one test of a column from the others that a node's values allow.

    `n_values` known values of an ordered column have n_values - 1 cuts; where some are missing, these may go
    to either side of a cut, or be on their own. Categories have 2^v - 2 sets, missing being a category.
    """
    n_cuts = np.where(has_missing, 2 * n_values - 1, n_values - 1)
    v = np.asarray(n_values + has_missing, dtype=np.float64)
    sets = v + np.log1p(-np.exp2(1.0 - np.maximum(v, 2.0))) / log(2)
    return np.where(is_category, sets, np.log2(np.maximum(n_cuts, 1)))


class TestBits:
    """What tests cost at nodes: the column, and the value or set of values."""

    __test__ = False  # for pytest: these are tests of a tree

    def __init__(self, table: EncodedTable) -> None:
        columns = range(len(table.columns))
        self._table = table
        self._codes: dict[int, NDArray[np.uint32]] = {}
        self._is_category = np.array([table.core.column(j).kind == "category" for j in columns])
        missing = [table.missing(j) for j in columns]
        self._missing = np.array([-1 if number is None else number for number in missing])
        # A column of one value offers no test: it is no alternative that a code would have to name.
        self.varying = [j for j in columns if np.ptp(table.distinct(j)) > 0]
        self.column_bits = log2(max(1, len(self.varying)))
        # Least bits of a value in any test: none for the only cut between two values, one for a set.
        self.of_simplest_value = 1.0 if self._is_category[self.varying].all() else 0.0

    def codes(self, columns: Positions, nodes: RowGroups) -> NDArray[np.uint32]:
        """The codes of each node's rows in the column that the node tests."""
        codes = np.empty(len(nodes.rows), dtype=np.uint32)
        by_column = np.argsort(columns, kind="stable")
        places = nodes.places(by_column)
        end = np.cumsum(np.bincount(columns, weights=nodes.sizes)).astype(np.intp)
        for column in np.unique(columns).tolist():
            some = places[end[column - 1] if column else 0 : end[column]]
            codes[some] = self._codes_of(column)[nodes.rows[some]]
        return codes

    def missing_code(self, column: int) -> int | None:
        """The code of a missing value, the last of all, if the column has one."""
        code = int(self._missing[column])
        return code if code >= 0 else None

    def of_tests(self, columns: Positions, nodes: RowGroups, codes: NDArray[np.uint32]) -> Floats:
        """Bits of the test of each node, from `codes`; each node has two different ones at least."""
        return self.column_bits + self._of_values(columns, nodes, codes)[0]

    def of_cheapest_values(self, nodes: RowGroups) -> Floats:
        """Least bits of the value in any test at each node; inf where there is no test."""
        least = np.full(len(nodes), inf)
        open_ = np.arange(len(nodes))  # the nodes that may have a cheaper test
        for column in self.varying:
            columns = np.full(len(open_), column)
            some = nodes.take(open_)
            bits, n_codes = self._of_values(columns, some, self._codes_of(column)[some.rows])
            least[open_] = np.minimum(least[open_], np.where(n_codes > 1, bits, inf))
            open_ = np.flatnonzero(least > self.of_simplest_value)
            if len(open_) == 0:
                break
        return least

    def _codes_of(self, column: int) -> NDArray[np.uint32]:
        if column not in self._codes:
            self._codes[column] = self._table.distinct(column)
        return self._codes[column]

    def _of_values(
        self, columns: Positions, nodes: RowGroups, codes: NDArray[np.uint32]
    ) -> tuple[Floats, Positions]:
        """Bits of a value of each node's column, and how many codes there are."""
        n_codes, largest = nodes.n_distinct(codes)
        has_missing = largest == self._missing[columns]
        return value_bits(n_codes - has_missing, has_missing, self._is_category[columns]), n_codes


@dataclass(frozen=True)
class Description:
    """A tree with the fewest bits that its nodes, kept or made leaves, can be described with."""

    tree: _core.Tree
    bits: float


def shortest_pruning(
    tree: _core.Tree, leaf: Labels, y: Labels, weight: Floats, bits: TestBits
) -> Description:
    """The pruning of a tree of binary tests that takes fewest bits; of equals the smallest. `leaf` is where
    each row ends.

    From the bottom up: a node becomes a leaf where that takes no more bits than its test and what is below.
    """
    best = leaf_bits(_core.node_class_weights(tree, leaf, y, weight))
    make_leaf = np.zeros(tree.n_nodes, dtype=np.bool_)
    order, first, end = rows_by_node(tree.parent.tolist(), leaf)
    depths = np.where(tree.column >= 0, tree.depths, -1)
    for depth in range(int(depths.max()), -1, -1):
        nodes = np.flatnonzero(depths == depth)
        slices = [order[first[node] : end[node]] for node in nodes.tolist()]
        rows = RowGroups.of_sizes(np.concatenate(slices), end[nodes] - first[nodes])
        columns, child = tree.column[nodes].astype(np.intp), tree.child_begin[nodes]
        tests = 1.0 + bits.of_tests(columns, rows, bits.codes(columns, rows))
        split = tests + best[tree.children[child]] + best[tree.children[child + 1]]
        make_leaf[nodes] = no_more_bits(best[nodes], split)
        best[nodes] = np.where(make_leaf[nodes], best[nodes], split)
    return Description(_core.prune_collapse(tree, make_leaf), float(best[0]))


def no_more_bits(leaf: Floats, subtree: Floats) -> NDArray[np.bool_]:
    """Whether a leaf takes no more bits than a subtree, but for rounding."""
    return np.asarray(leaf <= subtree * (1.0 + SLACK))
