"""The best trees along leaf penalties, from few searches."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.exhaustive_trees import ExhaustiveTrees, TreeProblem
from search_problems import check_tree, random_tree_problem, search
from thoroughness import tries

from thriftree import _core


def search_path(problem: TreeProblem, penalties: list[float], **options: Any) -> list[_core.SearchResult]:
    return _core.search_path(
        problem.tests,
        np.arange(len(problem.tests), dtype=np.int32),
        problem.labels,
        problem.n_classes,
        leaf_penalties=penalties,
        weights=problem.weights,
        error_costs=problem.error_costs,
        max_depth=problem.max_depth,
        max_leaves=problem.max_leaves,
        min_leaf=problem.min_leaf,
        min_leaf_weight=problem.min_leaf_weight,
        **options,
    )


def test_a_path_has_the_tree_of_each_penalty() -> None:
    rng = Random(81)
    for _ in range(tries(400, 25)):
        problem = random_tree_problem(rng)
        penalties = [rng.choice([0, 1, 2, 3, 5, 8, 13]) / 4 for _ in range(rng.randint(1, 9))]
        path = search_path(problem, penalties)
        assert len(path) == len(penalties)
        for penalty, found in zip(penalties, path, strict=True):
            problem.leaf_penalty = Fraction(penalty)
            _, leaves, cost = ExhaustiveTrees(problem).best()
            assert (found.cost, found.leaves, found.status) == (cost, leaves, "optimal")
            assert found.test.tolist() == search(problem).test.tolist()
            check_tree(problem, found)


def test_a_path_searches_no_more_than_it_needs() -> None:
    rng = np.random.default_rng(3)
    tests = rng.integers(0, 2, (8, 200)).astype(np.uint8)
    labels = ((tests[0] & tests[1]) ^ (rng.random(200) < 0.05)).astype(np.int32)
    problem = TreeProblem(tests, labels, 2, max_depth=3)
    penalties = [float(x) for x in np.linspace(4, 20, 40)]
    path = search_path(problem, penalties)
    assert len({(found.cost, found.leaves) for found in path}) == 1
    searched = [found for found in path if found.statistics["triple_kernels"] > 0]
    assert len(searched) == 2


def test_no_penalty_gives_no_tree_and_a_wrong_one_is_refused() -> None:
    problem = random_tree_problem(Random(1))
    assert search_path(problem, []) == []
    with pytest.raises(ValueError, match="leaf_penalties"):
        search_path(problem, [1.0, -1.0])


def test_a_path_without_time_is_valid_and_says_so() -> None:
    problem = random_tree_problem(Random(5))
    problem.max_leaves = None
    for found in search_path(problem, [0.0, 1.0, 2.0], limits=_core.Limits(time_limit_s=0.0)):
        assert found.status == "time_limit"
        assert found.lower_bound <= found.objective


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_is_built_from_what_kernels_said_of_its_nodes_when_they_were_searched(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tests = rng.integers(0, 2, (14, 500)).astype(np.uint8)
    labels = ((tests[0] & tests[1]) ^ tests[2] ^ tests[3] ^ (rng.random(500) < 0.2)).astype(np.int32)
    problem = TreeProblem(tests, labels, 2, max_depth=4)
    found = search(problem, lookahead=3, beam=None)
    assert found.leaves > 8  # so four levels
    # One for the root, and one at most for each of the sides that were searched.
    assert found.statistics["triple_kernels"] <= 1 + found.statistics["nodes"]
    without = search(problem, lookahead=3, beam=None, switches={"cache": False})
    assert found.test.tolist() == without.test.tolist()
    assert without.statistics["triple_kernels"] > found.statistics["triple_kernels"]
