"""Which objects share an outcome of a test, for many tests at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.cells import ObjectCells, SetFunction
from thriftree.search.instance import Floats, Goal, Instance, Ints

_CODES = 1 << 17  # looked at at once
_BYTES = 64  # for each of them at most, in the arrays that are alive at a time


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of some tests on all objects of an instance, numbered through: those of the i-th of these
    tests are begin[i] .. begin[i + 1] - 1, and each has at least one object.
    """

    tests: range
    cells: ObjectCells  # object x test: the outcome
    begin: Ints  # by test, and one more at the end

    @property
    def useful(self) -> NDArray[np.bool_]:
        """By test: whether it tells any two objects apart."""
        return np.diff(self.begin) > 1

    def largest(self, functions: Sequence[SetFunction], allowance: Allowance) -> Floats:
        """By function and test: the largest value of its outcomes."""
        return np.maximum.reduceat(self.cells.values(functions, allowance), self.begin[:-1], axis=1)


def outcome_blocks(instance: Instance, allowance: Allowance) -> Iterator[Outcomes]:
    """The outcomes of all tests, some tests at a time."""
    n, m = instance.codes.shape
    at_once = allowance.at_once(_BYTES * n, _CODES // n)
    with allowance.holding(_BYTES * n * min(at_once, m)):
        for first in range(0, m, at_once):
            allowance.look()
            yield _outcomes(instance, range(first, min(m, first + at_once)))


def largest_values(instance: Instance, functions: Sequence[SetFunction], allowance: Allowance) -> Floats:
    """By function and test: the largest value of the test's outcomes."""
    blocks = outcome_blocks(instance, allowance)
    return np.concatenate([block.largest(functions, allowance) for block in blocks], axis=1)


def may_be_leaf(instance: Instance, goal: Goal, allowance: Allowance) -> bool:
    """Whether all objects of the instance may share a leaf of the goal's trees."""
    in_one_leaf = np.zeros(len(instance.labels), dtype=np.int64)
    return bool(ObjectCells(instance, in_one_leaf, 1).may_be_leaves(goal, allowance)[0])


def _outcomes(instance: Instance, tests: range) -> Outcomes:
    codes = instance.codes[:, tests.start : tests.stop].astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(codes.max(axis=0) + 1)])
    codes += offset[:-1]
    if offset[-1] <= 4 * codes.size:
        present = np.zeros(offset[-1], dtype=np.bool_)
        present[codes] = True
        number = np.cumsum(present) - 1
        begin = np.concatenate([[0], np.cumsum(present)])[offset]
        return Outcomes(tests, ObjectCells(instance, number[codes], int(begin[-1])), begin)
    distinct, number = np.unique(codes, return_inverse=True)
    begin = np.searchsorted(distinct, offset)
    return Outcomes(tests, ObjectCells(instance, number.reshape(codes.shape), int(begin[-1])), begin)
