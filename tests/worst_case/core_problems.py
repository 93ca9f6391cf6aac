"""Random tables for the core's GreedyTree, and its trees followed node by node beside the slow one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any

import grow_oracle
import numpy as np
from oracles.candidates import MISSING
from oracles.greedy_tree import OutcomePrices, Problem, claims, winners
from oracles.ngi_makers import below, one_of
from oracles.set_functions import SetFunction, hinged_pairs, pairs, polynomial, powers
from slow_and_fast import Rows, Score, random_rows, read_at_most

from thriftree import _core

MARGIN = Fraction(1, 10**9)  # ratios nearer than this may be told apart by rounding


@dataclass(frozen=True)
class Function:
    """F by the core's parameters and by its definition."""

    core: Any
    exact: SetFunction


def polynomial_of(terms: Sequence[tuple[int, tuple[int, ...]]]) -> Function:
    coefficients = [float(gamma) for gamma, _ in terms]
    return Function(_core.Polynomial(coefficients, [list(p) for _, p in terms]), polynomial(terms))


def pairs_in_python(counts: Any) -> Any:
    return (counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)) / 2


def functions(n_classes: int) -> dict[str, Function]:
    """By name; the polynomial has an exponent for each of so many classes."""
    first, last = [1, 2, *[0] * (n_classes - 2)], [*[0] * (n_classes - 2), 3, 1]
    return {
        "pairs": Function(_core.Pairs(), pairs),
        **{f"powers {l}": Function(_core.Powers(l), powers(l)) for l in (2, 3, 5, 12)},  # noqa: E741
        **{f"hinged {a}": Function(_core.HingedPairs(a), hinged_pairs(a)) for a in (0, 0.75, 2)},
        "hinged without offset": Function(_core.HingedPairs(1.0, False), hinged_pairs(1, offset=False)),
        "polynomial": polynomial_of([(2, tuple(first)), (1, tuple(last)), (1, tuple([1] * n_classes))]),
        "python": Function(pairs_in_python, pairs),
    }


@dataclass(frozen=True)
class PricedTable:
    """Rows with F, δ and prices by outcome."""

    rows: Rows
    function: Function
    tolerance: Fraction = Fraction(0)
    outcomes: OutcomePrices = field(default_factory=dict)
    budget: Fraction | None = None  # of the core only

    def slow(self) -> Problem:
        """The same by its definition. All objects weigh the same: F counts them."""
        of, _ = self.rows.objects()
        alike = replace(of, p=(Fraction(1, len(of.labels)),) * len(of.labels))
        return Problem(
            alike,
            self.rows.kinds,
            self.function.exact,
            self.rows.n_classes,
            self.tolerance,
            self.rows.prices,
            self.outcomes,
        )

    def fast(self) -> grow_oracle.GrowProblem:
        """The same for the core."""
        parameters = {
            "score": "worst_case",
            "set_function": self.function.core,
            "tolerance": float(self.tolerance),
        }
        problem = self.rows.problem(Score(parameters, lambda of, cell, parts: 0))
        problem.parameters["price_model"] = self._price_rules(problem.table())
        return problem

    def _price_rules(self, table: _core.Table) -> _core.PriceRules:
        rules = self.rows.prices
        columns = range(len(self.rows.own))
        groups = [rules.group_of(j) for j in columns]
        highest = [
            max(self.outcomes[j].values()) if j in self.outcomes else self.rows.own[j] for j in columns
        ]
        return _core.PriceRules(
            [float(price) for price in highest],
            [-1 if group is None else group for group in groups],
            [float(price) for price in rules.setup],
            [j in rules.known for j in columns],
            rules.pay_once,
            float(rules.asking),
            rules.read,
            rules.free_first,
            **read_at_most(rules),
            by_code=[self._by_code(table.column(j), j, float(highest[j])) for j in columns],
            budget=math.inf if self.budget is None else float(self.budget),
        )

    def _by_code(self, column: _core.Column, j: int, highest: float) -> list[float]:
        """The prices of the core's codes: of numbers the distinct values in order, of categories themselves;
        missing last.
        """
        if j not in self.outcomes:
            return []
        n_known = column.n_codes - column.has_missing
        values = column.values if self.rows.kinds[j] == "threshold" else np.arange(n_known)
        known = [float(self.outcomes[j].get(int(value), highest)) for value in values]
        return [*known, float(self.outcomes[j][MISSING])] if column.has_missing else known


def random_table(rng: Random, name: str, *, by_outcome: bool = False, **parameters: Any) -> PricedTable:
    """A table of F `name`, with or without prices by outcome; θ plays no part."""
    rows = replace(random_rows(rng, **parameters), theta=Fraction(0))
    table = PricedTable(rows, functions(rows.n_classes)[name])
    whole = table.slow().impurity(table.slow().of.objects)
    table = replace(table, tolerance=Fraction(one_of(rng, (0, 0, 1, int(whole / 20)))))
    return replace(table, outcomes=random_outcomes(rng, rows)) if by_outcome else table


def random_outcomes(rng: Random, rows: Rows) -> OutcomePrices:
    """Prices of all codes of some columns, some of them 0 where questions are not free for that."""
    matrix = np.array(rows.codes)
    least = 0 if rows.prices.asking > 0 else 1
    return {
        j: {code: Fraction(least + below(rng, 12), 4) for code in np.unique(matrix[:, j]).tolist()}
        for j in range(matrix.shape[1])
        if rng.random() < 0.6
    }


def follow(table: PricedTable, tree: _core.Tree) -> int:
    """Walks the core's tree: every test must be one that Algorithm 1 may choose, every leaf one it makes.
    Returns the number of tests.
    """
    problem, fast = table.slow(), table.fast()
    _, object_of_row = table.rows.objects()
    reached = [
        frozenset(object_of_row[row] for row in np.flatnonzero(rows))
        for rows in grow_oracle.rows_of_nodes(fast, tree)
    ]
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    n_tests = 0
    while waiting:
        node, bought = waiting.pop()
        cell = reached[node]
        assert tree.objects[node] == len(cell)
        if tree.column[node] < 0:
            assert problem.is_leaf(cell) or not winners(claims(problem, cell, bought)), (
                f"node {node} is a leaf"
            )
            continue
        assert not problem.is_leaf(cell), f"node {node} is divided, though F is at most δ"
        children = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]].tolist()
        made = int(tree.column[node]), frozenset(reached[child] for child in children)
        allowed = winners(claims(problem, cell, bought), MARGIN)
        assert made in {(offer.column, frozenset(offer.parts)) for offer in allowed}, (
            f"node {node} tests column {made[0]}, but the best are "
            f"{sorted({(offer.column, float(offer.ratio)) for offer in allowed})}"
        )
        n_tests += 1
        after = problem.after(made[0], bought)
        waiting += [(child, after) for child in children]
    return n_tests
