"""Which objects share an outcome of a test, for all tests at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thriftree.search.instance import Floats, Goal, Instance, Ints
from thriftree.search.leaves import heaviest_mixed_leaf, largest_loss, largest_value, values


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of every test on some objects, numbered through: those of test t are
    begin[t] .. begin[t + 1] - 1, and each has at least one object.
    """

    instance: Instance
    of: Ints  # object x test: the outcome
    begin: Ints  # by test, and one more at the end

    @classmethod
    def all_of(cls, instance: Instance) -> Outcomes:
        """The outcomes of all tests of an instance with at least one test."""
        codes = instance.codes
        offset = np.concatenate([[0], np.cumsum(codes.max(axis=0) + 1)])
        flat = codes + offset[:-1]
        if offset[-1] <= 4 * codes.size:
            present = np.zeros(offset[-1], dtype=bool)
            present[flat] = True
            number = np.cumsum(present) - 1
            begin = np.concatenate([[0], np.cumsum(present)])[offset]
            return cls(instance, number[flat], begin)
        distinct, number = np.unique(flat, return_inverse=True)
        return cls(instance, number.reshape(flat.shape), np.searchsorted(distinct, offset))

    @property
    def useful(self) -> NDArray[np.bool_]:
        """By test: whether it tells any two objects apart."""
        return np.diff(self.begin) > 1

    @cached_property
    def counts(self) -> Floats:
        """Outcome x class: objects."""
        return self._by_class(None)

    def largest(self, values: Floats) -> Floats:
        """By test: the largest of its outcomes' values."""
        return np.maximum.reduceat(values, self.begin[:-1])

    def may_be_leaves(self, goal: Goal) -> NDArray[np.bool_]:
        """By outcome: whether its objects may share a leaf of the goal's trees.

        "error" lets every leaf alone lose what all leaves may lose together.
        """
        if goal.trees == "tolerance":
            return np.asarray(values(goal, self.counts) <= largest_value(goal))
        if goal.trees == "error":
            loss = self._by_class(self.instance.loss)
            return np.asarray(loss.sum(axis=1) - loss.max(axis=1) <= largest_loss(goal))
        pure = np.asarray((self.counts > 0).sum(axis=1) <= 1)
        if goal.trees == "pure":
            return pure
        p = np.bincount(self.of.ravel(), weights=np.repeat(self.instance.p, self.of.shape[1]))
        return np.asarray(pure | (p <= heaviest_mixed_leaf(goal)))

    def _by_class(self, weight: Floats | None) -> Floats:
        k, n_tests = self.instance.n_classes, self.of.shape[1]
        cells = (self.of * k + self.instance.labels[:, None]).ravel()
        weights = None if weight is None else np.repeat(weight, n_tests)
        sums = np.bincount(cells, weights=weights, minlength=self.begin[-1] * k)
        return sums.reshape(-1, k).astype(np.float64)


def may_be_leaf(instance: Instance, goal: Goal) -> bool:
    """Whether all objects of the instance may share a leaf of the goal's trees."""
    in_one_leaf = replace(instance, codes=np.zeros((len(instance.labels), 1), dtype=np.int64))
    return bool(Outcomes.all_of(in_one_leaf).may_be_leaves(goal)[0])
