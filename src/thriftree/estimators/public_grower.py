"""The grower of PUBLIC: splits what its bounds cannot rule out, and undoes what they rule out later."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

import numpy as np

from thriftree import _core
from thriftree.estimators.mdl import Positions, TestBits, leaf_bits, no_dearer
from thriftree.estimators.public_bounds import bound_by_splits, bound_of_one
from thriftree.estimators.targets import Floats, Labels


@dataclass
class _Node:
    """What is known of a node in bits."""

    as_leaf: float
    test: float = 0.0  # the bits of its kind and its test
    least: float = 0.0  # no pruning of the full tree below this node takes fewer


class PublicGrower:
    """Level by level: every open node is split unless a leaf is known to take no more bits.

    Before a node is split, the tree is looked at as if it were: its test is known, so it is priced exactly,
    and each branch by the bound. A node whose leaf takes no more than that stays a leaf. Otherwise it is
    split; as the bounds below a node rise, it may yet turn out that its leaf takes no more, and its subtree
    is dropped.
    """

    def __init__(self, bound: str, y: Labels, weight: Floats, n_classes: int, bits: TestBits) -> None:
        self._bound: Final = BOUNDS[bound]
        self._y, self._weight, self._n_classes, self._bits = y, weight, n_classes, bits
        self._nodes: dict[int, _Node] = {}
        self._parts: dict[int, list[Positions]] = {}  # rows of the branches of the nodes that may be split
        self._branches: dict[int, Floats] = {}  # of the same nodes: bits of each branch as a leaf
        self._refused: list[int] = []  # open nodes that are to be leaves
        self._parent: dict[int, int] = {}
        self._children: dict[int, list[int]] = {}
        self.n_expanded = 0

    def _look_at(self, growth: _core.Growth, nodes: Sequence[int]) -> None:
        """Looks at each of these open nodes as if it were split."""
        parts = [self._divided(growth[node]) for node in nodes]
        counts = np.array([[self._class_weights(rows) for rows in branches] for _, branches in parts])
        as_leaf = leaf_bits(counts.sum(axis=1))
        branch_as_leaf = leaf_bits(counts.reshape(-1, self._n_classes)).reshape(-1, 2)
        tests = np.array([1.0 + bits for bits, _ in parts])
        least = self._bound(counts, as_leaf - tests, [branches for _, branches in parts], self._bits)
        for i, node in enumerate(nodes):
            known = _Node(float(as_leaf[i]), float(tests[i]), float(tests[i] + least[i].sum()))
            self._nodes[node] = known
            if no_dearer(known.as_leaf, known.least):
                known.least = known.as_leaf
                self._refused.append(node)
            else:
                self._parts[node] = parts[i][1]
                self._branches[node] = branch_as_leaf[i]

    def select(self, growth: _core.Growth) -> list[int]:
        """All that may be split."""
        if not self._nodes and growth[0].is_open:
            self._look_at(growth, [0])
        selected = sorted(self._parts)
        self.n_expanded += len(selected)
        return selected

    def collapse(self, growth: _core.Growth, just_split: Sequence[int]) -> list[int]:
        """Take in what the new nodes showed, and drop what cannot be shorter than a leaf any more."""
        fresh = []
        for node in just_split:
            self._children[node] = growth[node].children
            for child, as_leaf in zip(self._children[node], self._branches.pop(node), strict=True):
                self._parent[child] = node
                if growth[child].is_open:
                    fresh.append(child)
                else:
                    self._nodes[child] = _Node(float(as_leaf), least=float(as_leaf))
        if fresh:
            self._look_at(growth, fresh)
        for node in just_split:
            del self._parts[node]
        closed, self._refused = self._refused + self._raise_bounds(just_split), []
        return closed

    def _raise_bounds(self, just_split: Sequence[int]) -> list[int]:
        """Recomputes the bounds of these nodes and of what is above them; the nodes that become leaves."""
        collapsed = []
        pending = [-node for node in just_split]  # children have larger numbers than their parents
        heapq.heapify(pending)
        while pending:
            node = -heapq.heappop(pending)
            if node not in self._children:
                continue
            known = self._nodes[node]
            before = known.least
            known.least = known.test + sum(self._nodes[child].least for child in self._children[node])
            if no_dearer(known.as_leaf, known.least):
                known.least = known.as_leaf
                self._drop_below(node)
                collapsed.append(node)
            if known.least > before and node in self._parent and -self._parent[node] not in pending[:1]:
                heapq.heappush(pending, -self._parent[node])
        return collapsed

    def _drop_below(self, node: int) -> None:
        below = self._children.pop(node)
        while below:
            node = below.pop()
            self._parts.pop(node, None)
            self._branches.pop(node, None)
            below += self._children.pop(node, [])

    def _divided(self, node: _core.GrowthNode) -> tuple[float, list[Positions]]:
        """The bits of a node's test, and the rows of its branches."""
        choice = node.choice
        assert choice is not None, "an open node has a choice"
        column = choice.partition.column
        codes = self._bits.codes(column)
        rows = None if node.parent < 0 else self._parts[node.parent][node.branch]
        here = codes if rows is None else codes[rows]
        branch = choice.partition.branches(here, self._bits.missing_code(column))
        places = [np.flatnonzero(branch == v) for v in range(2)]
        return self._bits.of_test(column, here), places if rows is None else [rows[at] for at in places]

    def _class_weights(self, rows: Positions) -> Floats:
        return np.bincount(self._y[rows], weights=self._weight[rows], minlength=self._n_classes)


# Least bits of both branches of nodes that are looked at as if split: from counts[nodes, 2, classes], the
# bits below which the two together leave the split worth making, and the rows of the branches.
Bound = Callable[[Floats, Floats, list[list[Positions]], TestBits], Floats]


def _one(counts: Floats, allowed: Floats, rows: list[list[Positions]], bits: TestBits) -> Floats:
    return bound_of_one(counts.reshape(-1, counts.shape[2])).reshape(-1, 2)


def _splits(counts: Floats, allowed: Floats, rows: list[list[Positions]], bits: TestBits) -> Floats:
    return bound_by_splits(counts.reshape(-1, counts.shape[2]), bits.column_bits).reshape(-1, 2)


def _values(counts: Floats, allowed: Floats, rows: list[list[Positions]], bits: TestBits) -> Floats:
    """The values of branches are counted, which takes time, only where that can decide: where the split is
    not ruled out yet, and would be if every row had a value of its own.
    """
    least = _splits(counts, allowed, rows, bits)
    for i, branches in enumerate(rows):
        most = sum(log2(2 * len(part)) for part in branches)
        if least[i].sum() < allowed[i] <= least[i].sum() + most:
            first = np.array([bits.of_cheapest_value(part) for part in branches])
            least[i] = bound_by_splits(counts[i], bits.column_bits, first, bits.of_simplest_value)
    return least


BOUNDS: Final[dict[str, Bound]] = {"1": _one, "S": _splits, "V": _values}
