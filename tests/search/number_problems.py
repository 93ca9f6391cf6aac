"""Small random problems whose target is a number, and the search called with them."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from oracles.number_trees import NumberProblem
from search_problems import random_tests

from thriftree import _core


def random_number_problem(rng: Random) -> NumberProblem:
    """A problem that exhaustive search can solve: few rows, or few tests."""
    n_tests = rng.choice([1, 2, 3, 5, 6, 6, 7, 7, 8])
    n_rows = rng.choice([rng.randint(1, 12), rng.randint(20, 48), rng.randint(20, 48)])
    tests = random_tests(rng, n_tests, n_rows)
    most = rng.choice([1, 3, 20, 1000, 2**20])
    numbers = np.array([rng.randint(-most, most) for _ in range(n_rows)], dtype=np.int64)
    if rng.random() < 0.6:  # numbers that depend on tests, with noise
        word = np.zeros(n_rows, dtype=np.int64)
        for test in tests[: rng.randint(1, n_tests)]:
            word ^= test
        numbers = np.where([rng.random() < 0.2 for _ in range(n_rows)], numbers, word * most)
    if rng.random() < 0.1:
        numbers[rng.randrange(n_rows)] = 50 * most  # far from all others
    weights = None
    if rng.random() < 0.4:
        heaviest = rng.choice([1, 2, 5, 1000])
        weights = np.array([rng.randint(0, heaviest) for _ in range(n_rows)], dtype=np.int64)
        numbers = numbers * weights
    total = n_rows if weights is None else int(weights.sum())
    squares = max(1, int((np.abs(numbers.astype(object)).max() ** 2) * n_rows))
    penalty = Fraction(rng.choice([0, 0, 1, 1, 2, 4, 10]), 4)
    at_most = 44 - squares.bit_length()
    unit = Fraction(2) ** min(at_most, rng.choice([0, 0, 3, -2, at_most - 38]))
    return NumberProblem(
        tests,
        np.zeros(n_rows, dtype=np.int32),
        1,
        weights,
        leaf_penalty=penalty * rng.choice([1, 1, int(max(1, squares * unit // 100))]),
        max_depth=rng.choice([0, 1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, None, None]),
        max_leaves=rng.choice([None] * 8 + [1, 2, 3, 4, 5, 6, 7, 9, 12]),
        min_leaf=rng.choice([1, 1, 1, 1, 2, 3]),
        min_leaf_weight=rng.choice([0] * 7 + [max(1, total // 25)]),
        sums=numbers,
        unit=unit,
    )


def search_numbers(problem: NumberProblem, **options: Any) -> _core.SearchResult:
    """The core's answer; `options` add to the problem's or replace them."""
    given = {
        "weights": problem.weights,
        "leaf_penalty": float(problem.leaf_penalty),
        "max_depth": problem.max_depth,
        "max_leaves": problem.max_leaves,
        "min_leaf": problem.min_leaf,
        "min_leaf_weight": problem.min_leaf_weight,
        **options,
    }
    features = given.pop("features", np.arange(len(problem.tests), dtype=np.int32))
    target = given.pop("numbers", (problem.sums, float(problem.unit)))
    return _core.search_tree(problem.tests, features, np.zeros(0, dtype=np.int32), 0, numbers=target, **given)


def check_number_tree(problem: NumberProblem, result: _core.SearchResult) -> None:
    """The tree costs what the result says, and keeps to the limits."""

    def follow(node: int, rows: int, depth: int) -> tuple[int, int]:
        assert problem.max_depth is None or depth <= problem.max_depth
        if result.test[node] < 0:
            assert result.left[node] == result.right[node] == -1
            if depth > 0:
                assert rows.bit_count() >= problem.min_leaf
                assert problem.weight(rows) >= problem.min_leaf_weight
            return -problem.rounded_gain(rows), 1
        first = rows & problem.answers[result.test[node]]
        assert result.left[node] == node + 1, "pre-order"
        left = follow(result.left[node], first, depth + 1)
        right = follow(result.right[node], rows & ~first, depth + 1)
        return left[0] + right[0], left[1] + right[1]

    cost, leaves = follow(0, problem.all_rows, 0)
    assert (result.cost, result.leaves) == (cost, leaves)
    assert result.objective == float(cost) + float(problem.leaf_penalty) * leaves
    assert problem.max_leaves is None or leaves <= problem.max_leaves
    assert result.lower_bound <= result.objective
