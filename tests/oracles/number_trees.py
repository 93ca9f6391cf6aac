"""The tree of least squared error over two-way tests, by exhaustive dynamic programming in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

import numpy as np
import numpy.typing as npt

from oracles.exhaustive_trees import ExhaustiveTrees, Rows, TreeProblem


@dataclass
class NumberProblem(TreeProblem):
    """Rows with answers to tests and a number each, as `_core.search_tree` takes them: `sums` is weight times
    number. Labels are not looked at.
    """

    sums: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    unit: Fraction = Fraction(1)

    def weight(self, rows: Rows) -> int:
        """Of all these rows."""
        if self.weights is None:
            return rows.bit_count()
        return sum(int(w) for row, w in enumerate(self.weights) if rows >> row & 1)

    def total(self, rows: Rows) -> int:
        """The sum of all these rows."""
        return sum(int(s) for row, s in enumerate(self.sums) if rows >> row & 1)

    def gain(self, rows: Rows) -> Fraction:
        """S²/W: what a leaf of these rows takes off the sum of squares, in units."""
        weight = self.weight(rows)
        return Fraction(self.total(rows) ** 2, weight) * self.unit if weight else Fraction(0)

    def rounded_gain(self, rows: Rows) -> int:
        """The same as it is defined for the search: from doubles, rounded down."""
        total, weight = float(self.total(rows)), self.weight(rows)
        return floor(total * total / weight * float(self.unit)) if weight else 0


class NumberTrees(ExhaustiveTrees):
    """The same over numbers: a leaf costs minus its gain, rounded as the core rounds it or not at all."""

    def __init__(self, problem: NumberProblem, *, rounded: bool = True):
        super().__init__(problem)
        self.numbers = problem
        self.rounded = rounded

    def leaf_cost(self, rows: Rows) -> int:
        """Minus what the rows gain as one leaf."""
        if rows not in self.leaf_costs:
            gain = self.numbers.rounded_gain(rows) if self.rounded else self.numbers.gain(rows)
            self.leaf_costs[rows] = -gain  # type: ignore[assignment]
        return self.leaf_costs[rows]
