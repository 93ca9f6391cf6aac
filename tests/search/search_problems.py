"""Small random problems for the search, and the search called with them."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from oracles.exhaustive_trees import TreeProblem

from thriftree import _core

SWITCHES = (
    "leaf_budget", "after_kernel", "one_side_four", "similarity", "cache", "one_split", "cancel",
    "duplicates", "support", "triples", "rising", "patience", "rough", "first_trees",
)  # fmt: skip


def random_tests(rng: Random, n_tests: int, n_rows: int) -> np.ndarray:
    """Independent, nested, repeated, complementary and constant answers."""
    rows: list[np.ndarray] = []
    for _ in range(n_tests):
        kind = rng.random()
        if rows and kind < 0.06:
            rows.append(rows[rng.randrange(len(rows))].copy())
        elif rows and kind < 0.12:
            rows.append(1 - rows[rng.randrange(len(rows))])
        elif rows and kind < 0.3:
            of = rows[rng.randrange(len(rows))]
            rows.append(of & np.array([rng.random() < 0.7 for _ in range(n_rows)]))
        elif 0.3 < kind < 0.32:
            rows.append(np.full(n_rows, rng.randrange(2)))
        else:
            share = rng.uniform(0.15, 0.85)
            rows.append(np.array([rng.random() < share for _ in range(n_rows)]))
    return np.array(rows).astype(np.uint8).reshape(n_tests, n_rows)


def random_tree_problem(rng: Random) -> TreeProblem:
    """A problem that exhaustive search can solve: few rows, or few tests."""
    n_tests = rng.choice([1, 2, 3, 5, 6, 6, 7, 7, 8])
    n_rows = rng.choice([rng.randint(1, 12), rng.randint(20, 48), rng.randint(20, 48)])
    tests = random_tests(rng, n_tests, n_rows)
    n_classes = rng.choice([1, *[2] * 12, *[3] * 4, 5, 5])
    labels = np.array([rng.randrange(n_classes) for _ in range(n_rows)], dtype=np.int32)
    if rng.random() < 0.5:  # labels that depend on tests, with noise
        word = np.zeros(n_rows, dtype=int)
        for test in tests[: rng.randint(1, n_tests)]:
            word ^= test
        learnt = word * (n_classes - 1)
        labels = np.where([rng.random() < 0.2 for _ in range(n_rows)], labels, learnt).astype(np.int32)
    weights = None
    if rng.random() < 0.4:
        most = rng.choice([1, 2, 5, 1000, 2**33])
        weights = np.array([rng.randint(0, most) for _ in range(n_rows)], dtype=np.int64)
    error_costs = None
    if rng.random() < 0.3:
        error_costs = np.array(
            [
                [0 if i == j and rng.random() < 0.9 else rng.randint(0, 5) for j in range(n_classes)]
                for i in range(n_classes)
            ],
            dtype=np.int64,
        )
    total = n_rows if weights is None else int(weights.sum())
    penalty = Fraction(rng.choice([0, 0, 1, 1, 2, 4, 10]), 4)
    return TreeProblem(
        tests,
        labels,
        n_classes,
        weights,
        error_costs,
        leaf_penalty=penalty * rng.choice([1, 1, max(1, total // 60)]),
        max_depth=rng.choice([0, 1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, None, None]),
        max_leaves=rng.choice([None] * 8 + [1, 2, 3, 4, 5, 6, 7, 9, 12]),
        min_leaf=rng.choice([1, 1, 1, 1, 2, 3]),
        min_leaf_weight=rng.choice([0] * 7 + [max(1, total // 25)]),
    )


def search(problem: TreeProblem, **options: Any) -> _core.SearchResult:
    """The core's answer; `options` add to the problem's or replace them."""
    given = {
        "weights": problem.weights,
        "error_costs": problem.error_costs,
        "leaf_penalty": float(problem.leaf_penalty),
        "max_depth": problem.max_depth,
        "max_leaves": problem.max_leaves,
        "min_leaf": problem.min_leaf,
        "min_leaf_weight": problem.min_leaf_weight,
        **options,
    }
    features = given.pop("features", np.arange(len(problem.tests), dtype=np.int32))
    return _core.search_tree(problem.tests, features, problem.labels, problem.n_classes, **given)


def check_tree(problem: TreeProblem, result: _core.SearchResult) -> None:
    """The tree costs what the result says, has its cheapest labels, and keeps to the limits."""
    costs = np.array(problem.row_costs, dtype=object).reshape(len(problem.labels), problem.n_classes)
    weights = np.ones(len(problem.labels), dtype=np.int64) if problem.weights is None else problem.weights

    def follow(node: int, rows: np.ndarray, depth: int) -> tuple[int, int]:
        assert problem.max_depth is None or depth <= problem.max_depth
        if result.test[node] < 0:
            assert result.left[node] == result.right[node] == -1
            if depth > 0:
                assert len(rows) >= problem.min_leaf
                assert weights[rows].sum() >= problem.min_leaf_weight
            by_label = [int(costs[rows, p].sum()) for p in range(problem.n_classes)]
            assert result.label[node] == by_label.index(min(by_label))
            return min(by_label), 1
        first = problem.tests[result.test[node], rows] == 1
        assert result.left[node] == node + 1, "pre-order"
        left = follow(result.left[node], rows[first], depth + 1)
        right = follow(result.right[node], rows[~first], depth + 1)
        return left[0] + right[0], left[1] + right[1]

    cost, leaves = follow(0, np.arange(len(problem.labels)), 0)
    assert (result.cost, result.leaves) == (cost, leaves)
    assert result.objective == float(cost) + float(problem.leaf_penalty) * leaves
    assert problem.max_leaves is None or leaves <= problem.max_leaves
    assert result.lower_bound <= result.objective
