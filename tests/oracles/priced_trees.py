"""The best tree with prices, by looking at every tree. Slow, and it shares nothing with the core: prices are
those of `oracles.prices`, one row at a time.

Without delayed tests a path's price grows test by test, so trees are put together from the best parts of each
set of rows and path (`best_by_paths`). With delayed tests every tree is written out (`best_of_all_trees`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TypeAlias

from oracles.prices import Leaf, Node, Question, Rules, row_price, threshold

Test: TypeAlias = tuple[int, int]  # column, cut
Rows: TypeAlias = tuple[int, ...]
Value: TypeAlias = tuple[Fraction, int]  # objective, leaves


@dataclass
class PricedProblem:
    """Rows of small whole numbers, thresholds of them, and what mistakes, leaves and tests cost."""

    values: list[list[int]]  # [row][column]
    tests: list[Test]
    labels: list[int]
    n_classes: int
    weights: list[int]
    error_costs: list[list[int]]  # [true][predicted]
    payers: list[int]
    rules: Rules
    leaf_penalty: Fraction
    price_weight: Fraction
    budget: Fraction | None
    max_depth: int
    max_leaves: int | None = None
    min_leaf: int = 1

    @cached_property
    def all_rows(self) -> Rows:
        """Every row."""
        return tuple(range(len(self.values)))

    def leaf_cost(self, rows: Rows) -> Fraction:
        """What the cheapest label of these rows costs, and the leaf."""
        cost = min(
            sum(self.weights[i] * self.error_costs[self.labels[i]][p] for i in rows)
            for p in range(self.n_classes)
        )
        return cost + self.leaf_penalty

    def divided(self, rows: Rows, test: Test) -> tuple[Rows, Rows] | None:
        """The rows up to the cut and those above it; nothing where one side is too small."""
        column, cut = test
        low = tuple(i for i in rows if self.values[i][column] <= cut)
        high = tuple(i for i in rows if self.values[i][column] > cut)
        return (low, high) if min(len(low), len(high)) >= self.min_leaf else None

    def price_of_path(self, path: tuple[int, ...], row: int | None) -> Fraction:
        """What tests of these columns cost a row, or at their most expensive outcomes (None)."""
        rules = self.rules
        paid = [c for c in path if c not in rules.known]
        counted = list(dict.fromkeys(paid)) if rules.pay == "once" else paid
        groups = {rules.group_of[c] for c in paid if c in rules.group_of}
        own = sum((self._own(c, row) for c in counted), Fraction(0))
        return own + sum((Fraction(rules.setup[g]) for g in groups), Fraction(0))

    def _own(self, column: int, row: int | None) -> Fraction:
        if row is not None:
            return Fraction(self.rules.own(column, self.values[row][column]))
        return max(Fraction(self.rules.own(column, v)) for v in range(8))


def best_by_paths(problem: PricedProblem) -> Value | None:
    """Objective and leaves of the best tree, of equal objectives the fewest; for prices without delay."""
    known: dict[tuple[Rows, tuple[int, ...], int], dict[int, Fraction]] = {}

    def best(rows: Rows, path: tuple[int, ...], depth: int) -> dict[int, Fraction]:
        key = (rows, path, depth)
        if key in known:
            return known[key]
        found = {1: problem.leaf_cost(rows)}
        for test in problem.tests if depth > 0 else ():
            sides = problem.divided(rows, test)
            after = tuple(sorted((*path, test[0])))
            if sides is None:
                continue
            if problem.budget is not None and problem.price_of_path(after, None) > problem.budget:
                continue
            pay = problem.price_weight * sum(
                problem.payers[i] * (problem.price_of_path(after, i) - problem.price_of_path(path, i))
                for i in rows
            )
            for n_low, low in best(sides[0], after, depth - 1).items():
                for n_high, high in best(sides[1], after, depth - 1).items():
                    value = pay + low + high
                    if value < found.get(n_low + n_high, inf):
                        found[n_low + n_high] = value
        known[key] = found
        return found

    every = best(problem.all_rows, (), problem.max_depth)
    most = problem.max_leaves or len(problem.values)
    return min((value, n) for n, value in every.items() if n <= most)


def best_of_all_trees(problem: PricedProblem) -> Value:
    """The same by every tree there is, whatever the rules of prices. A tree whose path may cost more than
    the budget is none.
    """
    most = problem.max_leaves or len(problem.values)
    found: Value = (problem.leaf_cost(problem.all_rows), 1)
    for tree, error, n_leaves in _trees(problem, problem.all_rows, problem.max_depth):
        if n_leaves > most:
            continue
        prices = [Fraction(row_price(tree, problem.rules, row)) for row in problem.values]
        if problem.budget is not None and max(prices) > problem.budget:
            continue
        paid = sum(n * price for n, price in zip(problem.payers, prices, strict=True))
        found = min(found, (error + problem.price_weight * paid, n_leaves))
    return found


def all_figures(problem: PricedProblem) -> list[tuple[Fraction, Fraction]]:
    """Of every tree, risk (mistakes and penalties) and what all payers pay."""
    found = []
    for tree, error, _ in _trees(problem, problem.all_rows, problem.max_depth):
        prices = [Fraction(row_price(tree, problem.rules, row)) for row in problem.values]
        found.append((error, sum(n * price for n, price in zip(problem.payers, prices, strict=True))))
    return found


def _trees(problem: PricedProblem, rows: Rows, depth: int) -> Iterator[tuple[Node, Fraction, int]]:
    """Every tree of these rows, with its cost of mistakes and leaves."""
    yield Leaf(), problem.leaf_cost(rows), 1
    for column, cut in problem.tests if depth > 0 else ():
        sides = problem.divided(rows, (column, cut))
        if sides is None:
            continue
        high = list(_trees(problem, sides[1], depth - 1))
        for low_tree, low_cost, low_leaves in _trees(problem, sides[0], depth - 1):
            for high_tree, high_cost, high_leaves in high:
                node: Question = threshold(column, cut, low_tree, high_tree)
                yield node, low_cost + high_cost, low_leaves + high_leaves
