"""Small random problems whose nearly best trees can be listed, and the core called with them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
from oracles.exhaustive_trees import TreeProblem
from oracles.near_trees import NearTrees, PlainTree
from search_problems import random_tree_problem

from thriftree import _core


def random_near_problem(rng: Random) -> tuple[TreeProblem, list[int], Fraction]:
    """A problem, the feature of each test, and a slack."""
    problem = random_tree_problem(rng)
    problem.max_depth = rng.choice([0, 1, 2, 2, 3, 3, 4, None])
    most = 3 if problem.max_depth is None or problem.max_depth > 2 else 5
    problem.tests = problem.tests[: rng.randint(1, most)]
    n_tests = len(problem.tests)
    features = list(range(n_tests))
    if rng.random() < 0.5:
        features = [rng.randrange(n_tests) for _ in features]
    total = len(problem.labels) if problem.weights is None else int(problem.weights.sum())
    slack = Fraction(rng.choice([0, 0, 1, 2, 5, 1000])) * rng.choice([1, max(1, total // 30)])
    return problem, features, slack


def near(problem: TreeProblem, features: list[int], slack: float, **options: Any) -> _core.NearOptimal:
    """The core's set."""
    return _core.near_optimal(
        problem.tests,
        np.array(features, dtype=np.int32),
        problem.labels,
        problem.n_classes,
        slack,
        weights=problem.weights,
        error_costs=problem.error_costs,
        leaf_penalty=float(problem.leaf_penalty),
        max_depth=problem.max_depth,
        max_leaves=problem.max_leaves,
        min_leaf=problem.min_leaf,
        min_leaf_weight=problem.min_leaf_weight,
        **options,
    )


def plain(found: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]) -> list[PlainTree]:
    """Trees of the core as the oracle writes them."""
    tests, begins, costs, leaves = found
    parts = [tuple(tests[begin:end].tolist()) for begin, end in pairwise(begins)]
    return list(zip(costs.tolist(), leaves.tolist(), parts, strict=True))


def value_order(oracle: NearTrees, tree: PlainTree) -> tuple[Any, ...]:
    """The stated order: objective, leaves where they count, then node by node."""
    counted = oracle.problem.leaf_penalty > 0 or oracle.problem.max_leaves is not None
    place = {test: i for i, test in enumerate(sorted(range(len(oracle.features)), key=_by_feature(oracle)))}

    def node(tests: tuple[int, ...], rows: int) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """The sort key of the first tree of `tests`, and what comes after it."""
        test, rest = tests[0], tests[1:]
        if test < 0:
            cost = oracle.trees.leaf_cost(rows)
            return ((cost + oracle.problem.leaf_penalty, 1 if counted else 0, -1),), rest
        answers = oracle.problem.answers[test]
        first, rest = node(rest, rows & answers)
        second, rest = node(rest, rows & ~answers)
        value = first[0][0] + second[0][0]
        leaves = first[0][1] + second[0][1]
        return ((value, leaves, place[test]), first, second), rest

    return node(tree[2], oracle.problem.all_rows)[0]


def _by_feature(oracle: NearTrees) -> Any:
    return lambda test: (oracle.features[test], test)
