"""Every tree within a slack of the best where tests have prices, one after the other, as
docs/guide/near_optimal.md defines them: prices row by row, for rules without delay.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from oracles.priced_trees import PricedProblem, Rows

# (objective, leaves, tests in pre-order with -1 at leaves)
PricedTree: TypeAlias = "tuple[Fraction, int, tuple[int, ...]]"
Path: TypeAlias = "tuple[int, ...]"  # columns asked, sorted


def priced_trees_within(problem: PricedProblem, slack: Fraction) -> list[PricedTree]:
    """The trees at most so much above the best, by objective."""
    most = problem.max_leaves or len(problem.values)
    every = sorted(_trees(problem, problem.all_rows, (), problem.max_depth, most))
    return [tree for tree in every if tree[0] <= every[0][0] + slack]


def _trees(problem: PricedProblem, rows: Rows, path: Path, depth: int, leaves: int) -> list[PricedTree]:
    made: list[PricedTree] = [(problem.leaf_cost(rows), 1, (-1,))]
    if depth == 0 or leaves < 2:
        return made
    for test, low, high, after, pay in _tests(problem, rows, path):
        same = _label(problem, low) == _label(problem, high)
        rights = _trees(problem, high, after, depth - 1, leaves - 1)
        for a in _trees(problem, low, after, depth - 1, leaves - 1):
            for b in rights:
                if a[1] + b[1] <= leaves and not (same and a[1] == b[1] == 1):
                    made.append((pay + a[0] + b[0], a[1] + b[1], (test, *a[2], *b[2])))
    return made


def _tests(
    problem: PricedProblem, rows: Rows, path: Path
) -> Iterator[tuple[int, Rows, Rows, Path, Fraction]]:
    """Tests of a node that the budget allows, with what they leave and cost: of one feature's that divide
    the rows alike the first.
    """
    seen = set()
    for number, test in enumerate(problem.tests):
        sides, after = problem.divided(rows, test), tuple(sorted((*path, test[0])))
        if sides is None or (test[0], frozenset(sides)) in seen:
            continue
        seen.add((test[0], frozenset(sides)))
        if problem.budget is not None and problem.price_of_path(after, None) > problem.budget:
            continue
        pay = sum(
            problem.payers[i] * (problem.price_of_path(after, i) - problem.price_of_path(path, i))
            for i in rows
        )
        yield number, *sides, after, problem.price_weight * pay


def _label(problem: PricedProblem, rows: Rows) -> int:
    costs = [
        sum(problem.weights[i] * problem.error_costs[problem.labels[i]][p] for i in rows)
        for p in range(problem.n_classes)
    ]
    return costs.index(min(costs))
