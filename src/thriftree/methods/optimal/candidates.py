"""The tests to choose among: all where they are few, else those of greedy trees and quantiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.limits import Limits
from thriftree.methods.optimal.binary_tests import FIRST_OF_TWO, BinaryTest, SeenColumn
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.problem import Problem

MOST_TESTS: Final = 200
FEWEST_TESTS: Final = 48
MOST_OF_COLUMN: Final = 32
_CYCLES: Final = 2e9  # of a CPU that a search may be expected to take, without any bound
_CYCLES_A_TRIPLE: Final = 6.0  # in the kernel of triples,
_CYCLES_A_WORD: Final = 0.55  # and for each 64 rows of it
_CYCLES_A_TRIPLE_OF_NUMBERS: Final = 25.0  # the same where the target is a number,
_CYCLES_A_ROW: Final = 0.04  # and for each row
_MOST_OF_ALL: Final = 256  # tests that a proof over all of them takes, where the target is a number,
_MOST_OF_ALL_FLAT: Final = 1000  # and the same down to the depth of the kernel
_FLAT: Final = 3


@dataclass(frozen=True)
class Candidates:
    """Tests, in the order of their columns, and whether they are all that these rows can be divided by."""

    tests: tuple[BinaryTest, ...]
    complete: bool

    def with_tests(self, more: Iterable[BinaryTest]) -> Candidates:
        """The same and these; the order stays that of columns."""
        new = set(more).difference(self.tests)
        return Candidates(in_order((*self.tests, *new)), self.complete) if new else self


def in_order(tests: Iterable[BinaryTest]) -> tuple[BinaryTest, ...]:
    """By column, then by how many codes go left: the order of thresholds, by which ties are settled."""
    return tuple(sorted(set(tests), key=lambda t: (t.column, t.left.count(1), t.left)))


def most_tests(n_rows: int, max_depth: int | None, *, of_numbers: bool = False) -> int:
    """How many tests a search of this depth may be given, so that a proof is likely to end in seconds: the
    kernel looks at tests³ / 6 triples at every node above the last three levels.
    """
    levels = 3 if max_depth is None else max(0, min(max_depth, 6) - 3)
    a_triple = _CYCLES_A_TRIPLE + _CYCLES_A_WORD * n_rows / 64
    if of_numbers:
        a_triple = _CYCLES_A_TRIPLE_OF_NUMBERS + _CYCLES_A_ROW * n_rows
    fits = (6 * _CYCLES / a_triple) ** (1 / (3 + levels))
    return int(np.clip(fits, FEWEST_TESTS, MOST_TESTS))


def are_few(problem: Problem, most: int) -> bool:
    """Whether the tests that these rows can be divided by are so many at most, and few in each column; or
    columns have one test at most, so that nothing is to be chosen.
    """
    counts = [n_tests(problem.seen[j]) for j in range(len(problem.seen))]
    return max(counts, default=0) <= 1 or (max(counts) <= MOST_OF_COLUMN and sum(counts) <= most)


def generated(problem: Problem, outlines: Iterable[Outline], most: int, limits: Limits) -> Candidates:
    """Every test of columns that have few; of the others those that the outlines ask, and quantiles. Raises
    TimeoutError at the limit.
    """
    seen = problem.seen
    asked: dict[int, dict[BinaryTest, None]] = {}
    for outline in outlines:
        for test in outline.asked:
            if seen[test.column].divides(test):
                asked.setdefault(test.column, {})[test] = None
    columns = [seen[j] for j in range(len(seen)) if seen[j].n_values > 1]
    counts = np.array([n_tests(column) for column in columns])
    quota = _quota(problem, columns, counts, most - sum(map(len, asked.values())), limits)
    tests: list[BinaryTest] = []
    complete = True
    for column, count, share in zip(columns, counts.tolist(), quota, strict=True):
        limits.look()
        tests += asked.get(column.column, ())
        if count <= share:
            tests += all_tests(column)
        else:
            complete = False
            tests += _some_tests(problem, column, share)
    return Candidates(in_order(tests), complete)


def every_test(problem: Problem) -> Candidates:
    """All tests that rows can be divided by, where a search can take them one by one."""
    columns = [problem.seen[j] for j in range(len(problem.seen))]
    number, depth = sum(map(n_tests, columns)), problem.shape.max_depth
    most = _MOST_OF_ALL_FLAT if depth is not None and depth <= _FLAT else _MOST_OF_ALL
    if number > most:
        raise ValueError(
            f'thresholds="all" proves over at most {most} tests for numbers at max_depth={depth}, and there '
            f'are {number}: round the columns, lower max_depth to {_FLAT}, or take thresholds="auto"'
        )
    tests = [test for column in columns if column.n_values > 1 for test in all_tests(column)]
    return Candidates(in_order(tests), True)


def n_tests(column: SeenColumn) -> int:
    """How many ways there are to divide rows by a column in two."""
    if column.is_two_valued:
        return 1
    if not column.ordered:
        return int(2 ** min(column.n_values - 1, 31) - 1)  # more than anyone looks at, if there are more
    cuts = max(0, len(column.known) - 1)
    return 2 * cuts + 1 if column.has_missing else cuts


def all_tests(column: SeenColumn) -> list[BinaryTest]:
    """Every test of a column."""
    if column.is_two_valued:
        return [BinaryTest(column.column, FIRST_OF_TWO)]
    if not column.ordered:
        values = column.values
        subsets = (s for n in range(1, len(values) // 2 + 1) for s in combinations(values.tolist(), n))
        return list(dict.fromkeys(column.test(_mask(column, subset)) for subset in subsets))
    return _cuts(column, column.known[:-1])


def _quota(
    problem: Problem, columns: list[SeenColumn], counts: NDArray[np.int64], room: int, limits: Limits
) -> list[int]:
    """How many tests each column may have: columns of one test have it, the others share the room evenly."""
    single = counts == 1
    room -= int(single.sum())
    others = counts[~single]
    most = next((c for c in range(MOST_OF_COLUMN, 0, -1) if np.minimum(others, c).sum() <= room), 0)
    quota = np.where(single, 1, np.minimum(counts, most))
    if len(others) and most == 0:  # one test for each of the columns that tell most alone
        wide = np.flatnonzero(~single)
        gain = []
        for at in wide:
            limits.look()
            test = _some_tests(problem, columns[at], 1)[0]
            gain.append(problem.division_gain(columns[at], test))
        best = np.argsort(-np.array(gain), kind="stable")[: max(0, room)]
        quota[wide[best]] = 1
    return [int(n) for n in quota]


def _some_tests(problem: Problem, column: SeenColumn, number: int) -> list[BinaryTest]:
    if number <= 0:
        return []
    if column.ordered:
        return _quantile_cuts(problem, column, number)
    return _category_tests(problem, column, number)


def _quantile_cuts(problem: Problem, column: SeenColumn, number: int) -> list[BinaryTest]:
    """So many cuts that divide the weight of known values about evenly."""
    number = max(1, (number - 1) // 2) if column.has_missing else number
    known = column.known
    weight = np.bincount(column.fetched_codes(), weights=problem.weights, minlength=column.n_codes)
    upto = np.cumsum(weight[known])
    aimed = upto[-1] * np.arange(1, number + 1) / (number + 1)
    at = np.clip(np.searchsorted(upto, aimed), 0, len(known) - 2)
    return _cuts(column, known[np.unique(at)])


def _cuts(column: SeenColumn, after: NDArray[np.intp]) -> list[BinaryTest]:
    tests = [column.cut_after(int(code)) for code in after]
    if column.has_missing:
        tests += [column.cut_after(int(code), missing_left=True) for code in after]
        tests.append(column.of_missing())
    return tests


def _category_tests(problem: Problem, column: SeenColumn, number: int) -> list[BinaryTest]:
    """The heaviest categories against the rest, and cuts of their order by what the rows are like."""
    values = column.values
    total, order = (by_code[values] for by_code in problem.category_order(column))
    alone = values[np.argsort(-total, kind="stable")[: (number + 1) // 2]]
    tests = [column.test(_mask(column, (code,))) for code in alone.tolist()]
    ranked = values[np.argsort(order, kind="stable")]
    ends = np.unique(np.linspace(1, len(ranked) - 1, max(1, number // 2)).astype(np.intp))
    tests += [column.test(_mask(column, ranked[:end])) for end in ends if number > 1]
    return list(dict.fromkeys(tests))


def _mask(column: SeenColumn, codes: Iterable[int]) -> NDArray[np.bool_]:
    left = np.zeros(column.n_codes, dtype=np.bool_)
    left[list(codes)] = True
    return left
