"""The search finds what exhaustive dynamic programming finds, whatever is switched off."""

from __future__ import annotations

from random import Random

import pytest
from oracles.exhaustive_trees import ExhaustiveTrees
from search_problems import SWITCHES, check_tree, random_tree_problem, search
from thoroughness import tries


@pytest.mark.parametrize("part", range(10))
def test_the_search_finds_the_optimum_of_small_problems(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(1200, 40)):
        problem = random_tree_problem(rng)
        objective, leaves, cost = ExhaustiveTrees(problem).best()
        off = {name: False for name in SWITCHES if rng.random() < 0.3}
        found = search(problem, switches=off if rng.random() < 0.7 else None)
        assert (found.cost, found.leaves) == (cost, leaves), (objective, found.objective, off)
        assert found.status == "optimal"
        assert found.lower_bound == found.objective
        check_tree(problem, found)


@pytest.mark.parametrize("part", range(2))
def test_of_equal_trees_the_first_is_returned(part: int) -> None:
    rng = Random(1000 + part)
    for _ in range(tries(1000, 40)):
        problem = random_tree_problem(rng)
        problem.max_leaves = None
        found = search(problem)
        assert found.test.tolist() == ExhaustiveTrees(problem).first_of_the_best()
