"""Polish of thresholds where the target is a number: each test anew among all cuts of all columns, with the
rest of the tree as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.limits import Limits
from thriftree.methods.optimal.binary_tests import BinaryTest, SeenColumn
from thriftree.methods.optimal.number_problem import NumberProblem
from thriftree.methods.optimal.outline import Outline, in_preorder
from thriftree.methods.optimal.regrouped import losses_below
from thriftree.methods.optimal.trimmed import trimmed

_MOST_CELLS: Final = 40_000_000  # codes of columns that the outline does not ask about
_MOST_PASSES: Final = 8  # over all nodes; each ends where none improves
_ROUNDING: Final = 1e-12  # of a node's cost, below which a gain is none


@dataclass(frozen=True)
class _Cut:
    """A test in place of a node's, what the node costs then, and whether its branches are exchanged."""

    cost: float
    test: BinaryTest
    turned: bool = False


def recut(problem: NumberProblem, outline: Outline, limits: Limits, *, quick: bool = False) -> Outline:
    """An outline that is no worse: from the bottom up, each test is the best cut of any column of numbers
    for the branches that it has; above two leaves, for the means that they will have.
    """
    columns = _columns(problem, outline)
    best, value = outline, problem.objective(outline)
    for _ in range(1 if quick else _MOST_PASSES):
        before = value
        for node in reversed(range(len(best.tests))):
            if node >= len(best.tests) or best.tests[node] is None:
                continue
            limits.look()
            tried = _recut_at(problem, best, node, columns)
            if tried is None:
                continue
            tried = trimmed(problem, tried)
            if (found := problem.objective(tried)) < value:
                best, value = tried, found
        if not value < before - _ROUNDING * abs(before):
            break
    return best


def _columns(problem: NumberProblem, outline: Outline) -> list[SeenColumn]:
    """Those whose cuts are looked at."""
    seen = problem.seen
    numbers = [j for j in range(len(seen)) if seen[j].ordered and seen[j].n_values > 1]
    if len(numbers) * len(problem.rows) > _MOST_CELLS:
        asked = {test.column for test in outline.asked}
        numbers = [j for j in numbers if j in asked]
    return [seen[j] for j in numbers]


def _recut_at(
    problem: NumberProblem, outline: Outline, node: int, columns: list[SeenColumn]
) -> Outline | None:
    rows = dict(problem.walk(outline))[node]
    sides = outline.left[node], outline.right[node]
    if all(outline.tests[side] is None for side in sides):
        at_leaves = _Leaves(problem, rows)
        now = sum(float(problem.cost_at(own)) for at, own in problem.walk(outline, node, rows) if at != node)
        cuts = (cut for column in columns for cut in at_leaves.cuts(column))
    else:
        lost = [losses_below(problem, outline, side, rows) for side in sides]
        test = outline.tests[node]
        assert test is not None
        goes_left = test.mask[problem.seen[test.column].codes[rows]]
        now = float(np.where(goes_left, lost[0], lost[1]).sum())
        cuts = (cut for column in columns for cut in _cuts_between(column, rows, lost[0], lost[1]))
    best = min(cuts, key=lambda cut: cut.cost, default=None)
    if best is None or not best.cost < now - _ROUNDING * abs(now):
        return None
    tests, left, right = list(outline.tests), list(outline.left), list(outline.right)
    tests[node] = best.test
    if best.turned:
        left[node], right[node] = right[node], left[node]
    return in_preorder(tests, left, right)


def _upto(
    column: SeenColumn, codes: NDArray[np.uint32], *amounts: NDArray[np.float64]
) -> Iterator[tuple[bool, NDArray[np.intp], list[NDArray[np.float64]]]]:
    """With missing values on the right, and on the left where there are some: the known codes that rows here
    have but the last, and sums of the amounts over rows up to each.
    """
    sums = [np.bincount(codes, weights=amount, minlength=column.n_codes) for amount in amounts]
    known = column.known
    here = known[np.bincount(codes, minlength=column.n_codes)[known] > 0]
    upto: list[NDArray[np.float64]] = [np.cumsum(of_code[here], dtype=np.float64) for of_code in sums]
    missing = column.missing if column.has_missing else None
    if missing is None or not (codes == missing).any():
        yield False, here[:-1], [amount[:-1] for amount in upto]
        return
    yield False, here, upto
    yield (
        True,
        here[:-1],
        [amount[:-1] + of_code[missing] for amount, of_code in zip(upto, sums, strict=True)],
    )


def _cuts_between(
    column: SeenColumn, rows: NDArray[np.intp], left: NDArray[np.float64], right: NDArray[np.float64]
) -> Iterator[_Cut]:
    """The best cut of a column, if rows cost so much on either side, and the best with the sides
    exchanged.
    """
    for missing_left, codes, (moved,) in _upto(column, column.codes[rows], left - right):
        if not len(codes):
            continue
        best, worst = int(moved.argmin()), int(moved.argmax())
        yield _Cut(
            float(right.sum() + moved[best]), column.cut_after(int(codes[best]), missing_left=missing_left)
        )
        yield _Cut(
            float(left.sum() - moved[worst]),
            column.cut_after(int(codes[worst]), missing_left=missing_left),
            turned=True,
        )


class _Leaves:
    """Rows that a test divides into two leaves."""

    def __init__(self, problem: NumberProblem, rows: NDArray[np.intp]) -> None:
        self._problem, self._rows = problem, rows
        self._sums = problem.sums[rows].astype(np.float64)
        weights = problem.weights
        self._weights = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)

    def cuts(self, column: SeenColumn) -> Iterator[_Cut]:
        """The cuts of a column whose leaves have the least squared error."""
        problem, shape = self._problem, self._problem.shape
        total, weight, n_rows = self._sums.sum(), self._weights.sum(), len(self._rows)
        ones = np.ones(n_rows)
        amounts = (self._sums, self._weights, ones)
        for missing_left, codes, upto in _upto(column, column.codes[self._rows], *amounts):
            sums, weights, rows = upto
            least_rows = np.minimum(rows, n_rows - rows) >= shape.min_leaf
            least_weight = np.minimum(weights, weight - weights) >= max(shape.min_leaf_weight, 1)
            fits = np.flatnonzero(least_rows & least_weight)
            if not len(fits):
                continue
            s, w = sums[fits], weights[fits]
            cost = -(s * s / w + (total - s) ** 2 / (weight - w)) * problem.unit
            best = int(cost.argmin())
            yield _Cut(float(cost[best]), column.cut_after(int(codes[fits[best]]), missing_left=missing_left))
