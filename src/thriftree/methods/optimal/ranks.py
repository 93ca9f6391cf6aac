"""Columns as ranks of their exact values, by which the core looks at every threshold: polish and sweep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.limits import Limits
from thriftree.methods.optimal.binary_tests import BinaryTest, SeenColumn
from thriftree.methods.optimal.core_search import Found, Progress, best_labels, core_limits, heard
from thriftree.methods.optimal.outline import Outline, in_preorder, preorder
from thriftree.methods.optimal.problem import Problem

_MOST_CELLS = 40_000_000  # ranks that are made of columns that the outline does not ask about


_WORK = 1 << 28  # columns² x rows up to which a subtree of depth 2 is found as a whole,
_QUICK_WORK = 1 << 22  # and the same where many trees are polished


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """A column in an order of its codes: a rank up to a cut goes left."""

    column: SeenColumn
    seen: NDArray[np.intp]  # the codes that rows have
    rank: NDArray[np.int32]  # of each of these

    @property
    def ranks(self) -> NDArray[np.int32]:
        """By row."""
        by_code = np.zeros(self.column.n_codes, dtype=np.int32)
        by_code[self.seen] = self.rank
        return by_code[self.column.fetched_codes()]

    def test(self, cut: int) -> tuple[BinaryTest, bool]:
        """The test of a cut, and whether it leads to the right what the cut leads to the left."""
        left = np.zeros(self.column.n_codes, dtype=np.bool_)
        left[self.seen[self.rank <= cut]] = True
        test = self.column.test(left)
        return test, not bool(test.mask[left].all())

    def cut(self, test: BinaryTest) -> int | None:
        """The cut that divides rows as the test does; None if none does."""
        goes_left = test.mask[self.seen]
        if goes_left.all() or not goes_left.any():
            return None
        left, right = self.rank[goes_left], self.rank[~goes_left]
        if left.max() < right.min():
            return int(left.max())
        return int(right.max()) if right.max() < left.min() else None


class AllThresholds:
    """The columns of a problem that have thresholds, with missing values before all others and after them,
    and as columns of two ranks such other tests as are asked for.
    """

    def __init__(self, problem: Problem, tests: Iterable[BinaryTest], *, every_column: bool = False) -> None:
        seen = problem.seen
        tests = list(tests)
        numbers = [j for j in range(len(seen)) if seen[j].ordered and seen[j].n_values > 1]
        if not every_column and len(numbers) * len(problem.rows) > _MOST_CELLS:
            asked = {test.column for test in tests}
            numbers = [j for j in numbers if j in asked]
        self.problem = problem
        counted = np.arange(max((seen[j].n_codes for j in numbers), default=0) + 1)
        ranks = counted.astype(np.int32)
        self.columns = [ranked for j in numbers for ranked in _in_order(seen[j], counted, ranks)]
        self._place: dict[int, list[int]] = {}
        for place, ranked in enumerate(self.columns):
            self._place.setdefault(ranked.column.column, []).append(place)
        for test in tests:
            if self.place(test) is None:
                self._place.setdefault(test.column, []).append(len(self.columns))
                self.columns.append(_as_two(seen[test.column], test))

    @property
    def _n_bytes(self) -> int:
        """Of ranks, and of the codes that they are made from."""
        return 8 * len(self.columns) * len(self.problem.rows)

    def matrix(self) -> NDArray[np.int32]:
        """Ranks by column and row."""
        ranks = np.empty((len(self.columns), len(self.problem.rows)), dtype=np.int32)
        for place, ranked in enumerate(self.columns):
            ranks[place] = ranked.ranks
        return ranks

    def place(self, test: BinaryTest) -> tuple[int, int] | None:
        """The column and cut that divide rows as a test does."""
        for place in self._place.get(test.column, ()):
            cut = self.columns[place].cut(test)
            if cut is not None:
                return place, cut
        return None

    def polished(self, outline: Outline, limits: Limits, *, quick: bool = False) -> Outline:
        """An outline that is no worse: its thresholds chosen anew among all; subtrees of depth 2 as a whole,
        unless there are very many columns (`quick`: many) or memory does not suffice.
        """
        column, cut, left, right, label = self._as_arrays(outline)
        within = core_limits(limits, self._n_bytes)
        found = _core.polish_tree(
            self.matrix(),
            column,
            cut,
            left,
            right,
            label,
            **self.problem.arguments(),
            depth2_work=_QUICK_WORK if quick else _WORK,
            n_threads=limits.n_threads,
            limits=within,
        )
        heard(found.status, limits)
        return self._outline(found)

    def swept(
        self, max_depth: int, limits: Limits, upper_bound: float | None, progress: Progress | None
    ) -> Found:
        """The best tree of all thresholds, up to depth 3."""
        within = core_limits(limits, self._n_bytes)
        found = _core.sweep_tree(
            self.matrix(),
            **self.problem.arguments(),
            max_depth=max_depth,
            max_leaves=self.problem.shape.max_leaves,
            upper_bound=upper_bound,
            n_threads=limits.n_threads,
            limits=within,
            progress=progress,
        )
        heard(found.status, limits)
        history = tuple((float(s), float(i), float(b)) for s, i, b in found.history)
        outline = self._outline(found)
        return Found(outline, float(found.objective), float(found.lower_bound), str(found.status), history)

    def _as_arrays(self, outline: Outline) -> list[NDArray[np.int32]]:
        """Column, cut, children and labels by node, in preorder by what the cuts call left."""
        column, cut = [-1] * len(outline.tests), [-1] * len(outline.tests)
        left, right = list(outline.left), list(outline.right)
        for node, test in enumerate(outline.tests):
            if test is None:
                continue
            found = self.place(test)
            if found is None:
                raise ValueError(f"the test of node {node} has no rank: name it when the ranks are made")
            column[node], cut[node] = found
            if self.columns[column[node]].test(cut[node])[1]:
                left[node], right[node] = right[node], left[node]
        order = preorder(left, right)
        number = {node: place for place, node in enumerate(order)} | {-1: -1}
        label = best_labels(self.problem, outline)
        parts = (
            [column[node] for node in order],
            [cut[node] for node in order],
            [number[left[node]] for node in order],
            [number[right[node]] for node in order],
            [int(label[node]) for node in order],
        )
        return [np.array(part, dtype=np.int32) for part in parts]

    def _outline(self, found: Any) -> Outline:
        tests: list[BinaryTest | None] = []
        left, right = found.left.tolist(), found.right.tolist()
        for node, (place, cut) in enumerate(zip(found.column.tolist(), found.cut.tolist(), strict=True)):
            if place < 0:
                tests.append(None)
                continue
            test, turned = self.columns[place].test(cut)
            tests.append(test)
            if turned:
                left[node], right[node] = right[node], left[node]
        return in_preorder(tests, left, right)


def _in_order(
    column: SeenColumn, counted: NDArray[np.intp], all_ranks: NDArray[np.int32]
) -> list[RankedColumn]:
    """Both are 0, 1, 2, … for all columns: most have just these codes, and all these ranks."""
    known = column.known
    if len(known) and known[-1] == len(known) - 1:
        known = counted[: len(known)]
    ranks = all_ranks[: len(known) + 1]
    if not column.has_missing:
        return [RankedColumn(column, known, ranks[:-1])]
    seen = np.append(known, [column.n_codes - 1]).astype(np.intp)  # missing values have the last code
    return [RankedColumn(column, seen, np.append(ranks[1:], np.int32(0))), RankedColumn(column, seen, ranks)]


def _as_two(column: SeenColumn, test: BinaryTest) -> RankedColumn:
    seen = column.values
    return RankedColumn(column, seen, np.where(test.mask[seen], 0, 1).astype(np.int32))
