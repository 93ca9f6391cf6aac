"""The grower of PUBLIC: splits what its bounds cannot rule out, and undoes what they rule out later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.row_groups import Positions, RowGroups
from thriftree.learning.targets import Floats, Labels
from thriftree.methods.public.bounds import bound_by_splits, bound_of_one
from thriftree.methods.public.mdl import TestBits, leaf_bits, no_more_bits


class _Bits:
    """What is known of each node, by its number in the loop; children come after their parents."""

    def __init__(self) -> None:
        self.parent = np.array([-1])
        self.children = np.array([[-1, -1]])  # -1: not split
        self.as_leaf = np.zeros(1)
        self.test = np.zeros(1)  # of the node's kind and test
        self.least = np.zeros(1)  # no pruning of the full tree below the node takes fewer bits
        self.is_leaf = np.zeros(1, dtype=np.bool_)  # known to be a leaf of the shortest tree

    def add_children(self, of: Positions, children: Positions, as_leaf: Floats, least: Floats) -> None:
        """Takes in children[nodes, 2] and their bits."""
        n_new = children.size
        self.children[of] = children
        self.parent = np.append(self.parent, np.repeat(of, 2))
        self.children = np.append(self.children, np.full((n_new, 2), -1), axis=0)
        self.as_leaf = np.append(self.as_leaf, as_leaf)
        self.test = np.append(self.test, np.zeros(n_new))
        self.least = np.append(self.least, least)
        self.is_leaf = np.append(self.is_leaf, np.zeros(n_new, dtype=np.bool_))

    def close(self, nodes: Positions) -> None:
        """These nodes are leaves."""
        self.is_leaf[nodes] = True
        self.least[nodes] = self.as_leaf[nodes]

    def settle(self, nodes: Positions, least: Floats) -> None:
        """These nodes take `least` bits at least if they are split; they are leaves if that is no gain."""
        self.least[nodes] = np.maximum(self.least[nodes], least)
        self.close(nodes[no_more_bits(self.as_leaf[nodes], self.least[nodes])])

    def settle_upwards(self, nodes: Positions) -> Positions:
        """Settles these nodes of one level by their children, and what is above as far as it changes;
        returns those that turned out to be leaves.
        """
        leaves = []
        while len(nodes):
            before = self.least[nodes]
            self.settle(nodes, self.test[nodes] + self.least[self.children[nodes]].sum(axis=1))
            leaves.append(nodes[self.is_leaf[nodes]])
            above = self.parent[nodes[self.least[nodes] > before]]
            above = above[above >= 0]  # ascending, as the nodes of a level are
            nodes = above[np.append(True, above[1:] != above[:-1])[: len(above)]]
        return np.concatenate(leaves)

    def is_below_a_leaf(self, nodes: Positions) -> NDArray[np.bool_]:
        """Whether each node, or one above it, is a leaf."""
        found = self.is_leaf[nodes]
        above = self.parent[nodes]
        while (above >= 0).any():
            found |= (above >= 0) & self.is_leaf[above]
            above = np.where(above >= 0, self.parent[above], -1)
        return found


@dataclass(frozen=True)
class _Level:
    """Open nodes, ascending, looked at as if they were split."""

    nodes: Positions
    branches: RowGroups  # the left ones of all nodes, then the right ones
    as_leaf: Floats  # bits of each branch as a leaf
    least: Floats  # and at least


class PublicGrower:
    """Level by level: every open node is split unless a leaf is known to take no more bits.

    Before a node is split, the tree is looked at as if it were: its test is known, so it is priced exactly,
    and each branch by the bound. A node whose leaf takes no more than that stays a leaf. Otherwise it is
    split; as the bounds below a node rise, it may yet turn out that its leaf takes no more, and its subtree
    is dropped. A grower serves one growth.
    """

    def __init__(self, bound: str, y: Labels, weight: Floats, n_classes: int, tests: TestBits) -> None:
        self._bound: Final = BOUNDS[bound]
        self._y, self._weight, self._n_classes, self._tests = y, weight, n_classes, tests
        self._bits = _Bits()
        self._everyone: Final = RowGroups.of_sizes(np.arange(len(y)), np.array([len(y)]))
        self._bits.as_leaf[:] = leaf_bits(self._class_weights(self._everyone.group, self._everyone.rows, 1))
        self._level: _Level | None = None  # the nodes that were opened last
        self.n_expanded = 0

    @property
    def bits(self) -> float:
        """Of the tree, once it is grown."""
        return float(self._bits.least[0])

    def select(self, growth: _core.Growth) -> list[int]:
        """All open nodes that may have to be split: some of the nodes that were opened last."""
        if self._level is None:
            self._level = self._new_level(growth, np.array([0]), self._everyone)
        nodes = self._level.nodes
        return list(nodes[~self._bits.is_below_a_leaf(nodes)].tolist())

    def collapse(self, growth: _core.Growth, just_split: Sequence[int]) -> list[int]:
        """Take in what the new nodes show, and close what is a leaf after all."""
        assert self._level is not None, "nodes are split after they were selected"
        self.n_expanded += len(just_split)
        split = np.array(just_split)
        children = np.array([growth[node].children for node in just_split])
        at = np.searchsorted(self._level.nodes, split)
        branches = np.column_stack([at, at + len(self._level.nodes)]).ravel()
        self._bits.add_children(split, children, self._level.as_leaf[branches], self._level.least[branches])
        self._level = self._new_level(growth, children.ravel(), self._level.branches.take(branches))
        refused = self._level.nodes[self._bits.is_leaf[self._level.nodes]]
        return [*refused.tolist(), *self._bits.settle_upwards(split).tolist()]

    def _new_level(self, growth: _core.Growth, nodes: Positions, rows: RowGroups) -> _Level:
        """Takes in new nodes: those without a test are leaves, the others are looked at as if split."""
        is_open = np.array([growth[node].is_open for node in nodes.tolist()])
        self._bits.close(nodes[~is_open])
        return self._as_if_split(growth, nodes[is_open], rows.take(np.flatnonzero(is_open)))

    def _as_if_split(self, growth: _core.Growth, nodes: Positions, rows: RowGroups) -> _Level:
        """Settles these open nodes by their tests and the bounds of their branches."""
        partitions = [_partition(growth[node]) for node in nodes.tolist()]
        columns = np.array([partition.column for partition in partitions], dtype=np.intp)
        codes = self._tests.codes(columns, rows)
        is_right = np.empty(len(codes), dtype=np.bool_)
        for partition, begin, end in zip(partitions, rows.begin[:-1], rows.begin[1:], strict=True):
            missing = self._tests.missing_code(partition.column)
            is_right[begin:end] = partition.branches(codes[begin:end], missing)
        branch = rows.group + len(nodes) * is_right
        branches = RowGroups.of_sizes(
            np.append(rows.rows[~is_right], rows.rows[is_right]),
            np.bincount(branch, minlength=2 * len(nodes)),
        )
        counts = self._class_weights(branch, rows.rows, 2 * len(nodes))
        bits = self._bits
        bits.test[nodes] = 1.0 + self._tests.of_tests(columns, rows, codes)
        allowed = bits.as_leaf[nodes] - bits.test[nodes]
        least = self._bound(counts, branches, allowed, self._tests)
        bits.settle(nodes, bits.test[nodes] + _of_both(least))
        return _Level(nodes, branches, leaf_bits(counts), least)

    def _class_weights(self, group: Positions, rows: Positions, n_groups: int) -> Floats:
        """Sums of sample_weight, by group and class."""
        cell = group * self._n_classes + self._y[rows]
        sums = np.bincount(cell, weights=self._weight[rows], minlength=n_groups * self._n_classes)
        return sums.astype(np.float64).reshape(-1, self._n_classes)  # of no rows numpy makes integers


def _partition(node: _core.GrowthNode) -> _core.Partition:
    assert node.choice is not None, "an open node has a choice"
    return node.choice.partition


def _of_both(of_branches: Floats) -> Floats:
    """Sums over the two branches of each node."""
    n_nodes = len(of_branches) // 2
    return of_branches[:n_nodes] + of_branches[n_nodes:]


# Least bits of each branch of nodes that are looked at as if split. Given are the class weights and the rows
# of the branches, and for each node how many bits its branches may take before the split is no gain.
Bound = Callable[[Floats, RowGroups, Floats, TestBits], Floats]


def _one(counts: Floats, branches: RowGroups, allowed: Floats, tests: TestBits) -> Floats:
    return bound_of_one(counts)


def _splits(counts: Floats, branches: RowGroups, allowed: Floats, tests: TestBits) -> Floats:
    return bound_by_splits(counts, tests.column_bits)


def _values(counts: Floats, branches: RowGroups, allowed: Floats, tests: TestBits) -> Floats:
    """The values of branches are counted, which takes time, only where that can decide: where the split is
    not ruled out yet, and would be if every row had a number of its own.
    """
    least = _splits(counts, branches, allowed, tests)
    so_far, most = _of_both(least), _of_both(np.log2(2.0 * branches.sizes))
    open_ = np.tile((so_far < allowed) & (allowed <= so_far + most), 2)
    some = np.flatnonzero(open_ & (np.count_nonzero(counts, axis=1) > 1))
    first = tests.of_cheapest_values(branches.take(some))
    least[some] = bound_by_splits(counts[some], tests.column_bits, first, tests.of_simplest_value)
    return least


BOUNDS: Final[dict[str, Bound]] = {"1": _one, "S": _splits, "V": _values}
