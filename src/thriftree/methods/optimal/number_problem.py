"""The problem where the target is a number: least squared error plus a penalty for each leaf.

The core counts in whole numbers: of each row its weight W and S, the weight times the target's distance from
its mean, both in fixed point. A leaf costs minus what it gains, -(ΣS)²/ΣW in units, rounded up; the squares
of the rows themselves, which every tree shares, are `squares`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log2, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.growth import Plan
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats, Labels
from thriftree.methods.optimal.binary_tests import BinaryTest, SeenColumn, SeenTable
from thriftree.methods.optimal.problem import UNITS, Integers, Problem, shape_of, whole_weights

_MOST_WEIGHT: Final = 2.0**48  # of all rows, where weights are no multiples of a usual unit
_MOST_SUM: Final = 2.0**51  # of all |S|: the core adds them as doubles, exactly
_COST_BITS: Final = 42  # of the squared error of one leaf, less where trees may have very many leaves
_RANGE_BITS: Final = 50  # of the weight times the squared range: what rows can cost at most
_VALUE_BITS: Final = 56  # of costs and leaves together


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberProblem(Problem):
    """Rows with a number each, and the trees to choose among."""

    sums: Integers  # S of each row
    unit: float  # of costs: a power of two
    target_error: float  # by how much targets in fixed point differ from those given, in the mean square
    weight_error: float  # by how much weights do, in sum, as a share of the total
    range: float  # of the target

    @classmethod
    def of_numbers(
        cls, rows: Sample, plan: Plan, rule: LeafRule, leaf_penalty: float, seen: SeenTable
    ) -> NumberProblem:
        """The problem of these rows. `plan` has the shape."""
        weights = whole_weights(rows, None, _MOST_WEIGHT)
        whole = np.ones(len(rows), dtype=np.int64) if weights is None else weights
        total = int(whole.sum())
        y = np.asarray(rows.y, dtype=np.float64)
        sums, scale, centre = _whole_sums(y, whole)
        shape = shape_of(rows, plan, rule, weights)
        low, high = float(y.min()), float(y.max())
        squares = float((sums.astype(np.float64) ** 2 / whole).sum())
        widest = total * ((high - low) * scale) ** 2
        bits = min(_COST_BITS, _VALUE_BITS - _most_leaves(shape, len(rows)).bit_length())
        unit = 1.0
        if squares > 0:
            unit = 2.0 ** floor(min(bits - log2(squares), _RANGE_BITS - log2(max(widest, squares))))
        error = sums / (whole * scale) - (y - centre)
        given = rows.weights
        weight_error = float(np.abs(given / given.sum() - whole / total).sum())
        made = cls(
            rows,
            seen,
            0,
            weights,
            None,
            1 / (unit * scale**2),
            shape,
            leaf_penalty,
            sums=sums,
            unit=unit,
            target_error=sqrt(float(np.average(error**2, weights=given))),
            weight_error=weight_error,
            range=high - low,
        )
        variance = float(np.average((y - centre) ** 2, weights=given))
        made.check_penalty(f"the variance of y, {variance:g}")
        return made

    @cached_property
    def labels(self) -> Labels:
        """None: there are no classes."""
        return np.zeros(0, dtype=np.int32)

    @cached_property
    def squares(self) -> float:
        """The squared error if every row were a leaf's mean, from below: what gains are taken from."""
        whole = 1 if self.weights is None else self.weights
        return float((self.sums.astype(np.float64) ** 2 / whole).sum() * self.unit)

    @property
    def least_objective(self) -> float:
        """One leaf and no error at all."""
        return self.core_penalty - self.squares

    def risk(self, core_objective: float) -> float:
        """Mean squared error and penalties of what the core calls by this number."""
        return (core_objective + self.squares) * self.cost_unit / self.total

    def bound(self, core_bound: float, core_objective: float) -> float:
        """What no tree of the target as given is below, if none in fixed point is below `core_bound` and one
        has this objective: gains are rounded by one unit a leaf, targets and weights by what is known.
        """
        leaves = _most_leaves(self.shape, len(self.rows))
        if self.core_penalty > 0:  # a tree of more leaves is worse by their penalties alone
            worth = (core_objective + self.squares) / self.core_penalty  # infinite by the least of penalties
            leaves = min(leaves, ceil(min(worth, leaves)) + 1)
        rounded = leaves * (1 + 2.0**-9) + 1e-13 * self.squares
        risk = max(self.risk(core_objective), 0.0)
        error = self.target_error + 4e-16 * self.range
        lost = 2 * error * (sqrt(risk) + error) + self.weight_error * self.range**2
        return max(self.risk(core_bound - rounded) - lost, self.leaf_penalty)

    def arguments(self) -> dict[str, Any]:
        """What a search of the core is told of the problem."""
        return {**super().arguments(), "numbers": (self.sums, self.unit)}

    def totals(self, at: NDArray[np.intp] | None = None) -> tuple[int, int]:
        """ΣS and ΣW of the rows at these positions; None: all rows."""
        sums = self.sums if at is None else self.sums[at]
        if self.weights is None:
            return int(sums.sum()), len(sums)
        return int(sums.sum()), int((self.weights if at is None else self.weights[at]).sum())

    def cost_at(self, at: NDArray[np.intp] | None = None) -> int:
        """Minus what a leaf of these rows gains, as the core has it."""
        total, weight = map(float, self.totals(at))
        return -floor(total * total / weight * self.unit) if weight else 0

    def answer_at(self, at: NDArray[np.intp]) -> float:
        """The mean of S over W: what a leaf of these rows says."""
        total, weight = self.totals(at)
        return total / weight if weight else 0.0

    def losses(self, at: NDArray[np.intp], answer: float) -> Floats:
        """What each of these rows costs a leaf that says this, in units."""
        weight = 1.0 if self.weights is None else self.weights[at].astype(np.float64)
        return weight * (self.sums[at] / weight - answer) ** 2 * self.unit

    def category_order(self, column: SeenColumn) -> tuple[Floats, Floats]:
        """Of each code of the column the weight of its rows, and their mean target."""
        codes = column.fetched_codes()
        weight = np.bincount(codes, weights=self.weights, minlength=column.n_codes).astype(np.float64)
        sums = np.bincount(codes, weights=self.sums.astype(np.float64), minlength=column.n_codes)
        return weight, sums / np.maximum(weight, 1)

    def division_gain(self, column: SeenColumn, test: BinaryTest) -> float:
        """What a test alone gains."""
        left = column.bits(test)
        return float(-self.cost_at(np.flatnonzero(left)) - self.cost_at(np.flatnonzero(~left)))


def _whole_sums(y: Floats, weights: Integers) -> tuple[Integers, float, float]:
    """Weight times distance from the mean in fixed point, the scale of the target, and that mean: exactly
    where targets are multiples of a usual unit and the sums have room for them.
    """
    mean = float(np.average(y, weights=weights))
    for unit in UNITS:
        scaled = y * unit
        if np.abs(scaled).max() >= 2.0**52 or (scaled != np.round(scaled)).any():
            continue
        centre = np.round(mean * unit)
        away = scaled - centre
        if float(np.abs(away * weights).sum()) <= _MOST_SUM:
            return weights * away.astype(np.int64), float(unit), float(centre / unit)
        break
    away = y - mean
    most = float(np.abs(away * weights).sum())
    scale = 2.0 ** floor(log2(_MOST_SUM / most)) if most > 0 else 1.0
    return np.round(away * scale * weights).astype(np.int64), scale, mean


def _most_leaves(shape: Any, n_rows: int) -> int:
    """That a tree of this shape can have."""
    most = max(1, n_rows)
    if shape.max_leaves is not None:
        most = min(most, shape.max_leaves)
    return most if shape.max_depth is None else min(most, 2 ** min(shape.max_depth, 40))
