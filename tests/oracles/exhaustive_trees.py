"""The best tree over two-way tests by exhaustive dynamic programming over sets of rows, in whole numbers.

Nothing is pruned but what cannot be: each set of rows, depth and number of leaves is looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Rows: TypeAlias = int  # a set of rows as the bits of a number
Shape: TypeAlias = "int | tuple[int, Shape, Shape]"  # a label, or a test with its two branches


@dataclass
class TreeProblem:
    """Rows with answers to tests, as `_core.search_tree` takes them."""

    tests: npt.NDArray[np.uint8]  # [test, row]
    labels: npt.NDArray[np.int32]
    n_classes: int
    weights: npt.NDArray[np.int64] | None = None
    error_costs: npt.NDArray[np.int64] | None = None
    leaf_penalty: Fraction = Fraction(0)
    max_depth: int | None = 4
    max_leaves: int | None = None
    min_leaf: int = 1
    min_leaf_weight: int = 0

    @cached_property
    def answers(self) -> list[Rows]:
        """Of each test the rows that take the first branch."""
        return [sum(1 << int(row) for row in np.flatnonzero(test)) for test in self.tests]

    @cached_property
    def row_costs(self) -> list[list[int]]:
        """What each row costs under each label."""
        costs = 1 - np.eye(self.n_classes, dtype=np.int64) if self.error_costs is None else self.error_costs
        weights = [1] * len(self.labels) if self.weights is None else self.weights.tolist()
        return [
            [int(weight) * int(costs[label, p]) for p in range(self.n_classes)]
            for label, weight in zip(self.labels.tolist(), weights, strict=True)
        ]

    @property
    def all_rows(self) -> Rows:
        """Every row."""
        return (1 << len(self.labels)) - 1


class ExhaustiveTrees:
    """Costs of best trees by set of rows, depth and number of leaves."""

    def __init__(self, problem: TreeProblem):
        self.problem = problem
        self.known: dict[tuple[Rows, int], list[int | None]] = {}
        self.leaf_costs: dict[Rows, int] = {}
        self.visited = 0  # sets of rows with a depth: g(H, D) of the oracle

    def leaf_cost(self, rows: Rows) -> int:
        """The least cost of the rows as one leaf."""
        if rows not in self.leaf_costs:
            members = [costs for row, costs in enumerate(self.problem.row_costs) if rows >> row & 1]
            self.leaf_costs[rows] = min(
                sum(costs[p] for costs in members) for p in range(self.problem.n_classes)
            )
        return self.leaf_costs[rows]

    def may_be_leaf(self, rows: Rows) -> bool:
        """Whether the limits of leaves let these rows be one."""
        if rows.bit_count() < self.problem.min_leaf:
            return False
        weights = self.problem.weights
        weight = (
            rows.bit_count()
            if weights is None
            else sum(int(w) for row, w in enumerate(weights) if rows >> row & 1)
        )
        return weight >= self.problem.min_leaf_weight

    def costs(self, rows: Rows, depth: int) -> list[int | None]:
        """The least cost with exactly 1, 2, … leaves and at most so many levels; None where no tree is."""
        key = (rows, depth)
        if key in self.known:
            return self.known[key]
        self.visited += 1
        best: list[int | None] = [self.leaf_cost(rows)]
        if depth > 0:
            for first, second in self.divisions(rows):
                left, right = self.costs(first, depth - 1), self.costs(second, depth - 1)
                best.extend([None] * (len(left) + len(right) - len(best)))
                for i, a in enumerate(left):
                    for j, b in enumerate(right):
                        if a is None or b is None:
                            continue
                        now = best[i + j + 1]
                        if now is None or a + b < now:
                            best[i + j + 1] = a + b
        self.known[key] = best
        return best

    def divisions(self, rows: Rows) -> list[tuple[Rows, Rows]]:
        """The two parts of each test that may divide these rows, in the order of the tests."""
        made = []
        for answers in self.problem.answers:
            first, second = rows & answers, rows & ~answers
            if first and second and self.may_be_leaf(first) and self.may_be_leaf(second):
                made.append((first, second))
        return made

    @property
    def depth(self) -> int:
        """The depth limit, or as many levels as any tree can have."""
        limit = self.problem.max_depth
        most = min(len(self.problem.tests), len(self.problem.labels) - 1)
        return most if limit is None else min(limit, most)

    def best(self) -> tuple[Fraction, int, int]:
        """Objective, leaves and cost of the best tree; of equal objectives the fewest leaves."""
        costs = self.costs(self.problem.all_rows, self.depth)[: self.problem.max_leaves]
        return min(
            (cost + self.problem.leaf_penalty * (leaves + 1), leaves + 1, cost)
            for leaves, cost in enumerate(costs)
            if cost is not None
        )

    def least_depth(self) -> int:
        """The fewest levels of a tree with the best objective and leaves."""
        _, leaves, cost = self.best()
        for depth in range(self.depth + 1):
            costs = self.costs(self.problem.all_rows, depth)
            if len(costs) >= leaves and costs[leaves - 1] == cost:
                return depth
        raise AssertionError("the best tree has some depth")

    def first_of_the_best(self) -> list[int]:
        """The tests in pre-order, -1 at leaves, of the best tree that comes first: fewest leaves, least
        depth, then node by node the smallest test. For problems without max_leaves.
        """
        found: list[int] = []
        _, leaves, cost = self.best()
        self._write(self.problem.all_rows, self.least_depth(), (cost, leaves), found)
        return found

    def _value(self, rows: Rows, depth: int) -> tuple[Fraction, int, int]:
        return min(
            (cost + self.problem.leaf_penalty * (leaves + 1), leaves + 1, cost)
            for leaves, cost in enumerate(self.costs(rows, depth))
            if cost is not None
        )

    def _write(self, rows: Rows, depth: int, best: tuple[int, int], found: list[int]) -> None:
        goal = (best[0] + self.problem.leaf_penalty * best[1], best[1])
        if (self.leaf_cost(rows) + self.problem.leaf_penalty, 1) == goal:
            found.append(-1)
            return
        for test, answers in enumerate(self.problem.answers):
            first, second = rows & answers, rows & ~answers
            if (first, second) not in self.divisions(rows):
                continue
            left, right = self._value(first, depth - 1), self._value(second, depth - 1)
            if (left[0] + right[0], left[1] + right[1]) == goal:
                found.append(test)
                self._write(first, depth - 1, (left[2], left[1]), found)
                self._write(second, depth - 1, (right[2], right[1]), found)
                return
        raise AssertionError("some test begins the best tree")
