"""With prices the search finds what enumeration finds, whatever is switched off."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from oracles.priced_trees import best_by_paths, best_of_all_trees
from priced_problems import random_priced_problem, search
from search_problems import SWITCHES
from thoroughness import tries


@pytest.mark.parametrize("part", range(4))
def test_the_search_with_prices_finds_the_optimum_of_small_problems(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(1200, 50)):
        problem = random_priced_problem(rng)
        objective, leaves = best_by_paths(problem)
        off = {name: False for name in SWITCHES if rng.random() < 0.3}
        found = search(
            problem,
            switches=off if rng.random() < 0.7 else None,
            n_threads=rng.choice([1, 4]),
            cache_mb=rng.choice([0.0, 48.0]),
        )
        assert found.status == "optimal"
        assert (found.objective, found.leaves) == (float(objective), leaves), (problem, off)
        assert found.objective - 1e-6 <= found.lower_bound <= found.objective


@pytest.mark.parametrize("part", range(2))
def test_with_delayed_tests_the_search_finds_what_all_trees_hold(part: int) -> None:
    rng = Random(100 + part)
    for _ in range(tries(600, 25)):
        problem = random_priced_problem(rng, delay=True)
        objective, leaves = best_of_all_trees(problem)
        off = {name: False for name in SWITCHES if rng.random() < 0.2}
        found = search(problem, switches=off, n_threads=rng.choice([1, 4]))
        assert found.status == "optimal"
        assert (found.objective, found.leaves) == (float(objective), leaves), (problem, off)


def test_prices_that_are_rounded_give_the_rounding_away() -> None:
    rng = Random(7)
    for _ in range(tries(500, 40)):
        problem = random_priced_problem(rng, exact=False)
        objective, _ = best_by_paths(problem)
        found = search(problem)
        assert found.objective == pytest.approx(float(objective), rel=1e-7, abs=1e-7)
        assert found.lower_bound <= float(objective) * (1 + 1e-15)
        assert found.lower_bound >= found.objective - 1e-6


def test_every_prefix_of_a_search_with_prices_is_bounded() -> None:
    rng = Random(11)
    for _ in range(tries(300, 30)):
        problem = random_priced_problem(rng)
        objective, _ = best_by_paths(problem)
        found = search(problem)
        for _, incumbent, bound in found.history:
            assert bound <= float(objective) <= incumbent


def test_a_tree_to_begin_with_is_cut_to_the_budget_and_priced() -> None:
    rng = Random(13)
    for _ in range(tries(300, 30)):
        problem = random_priced_problem(rng)
        n_tests = len(problem.tests)
        begin = (
            np.array([rng.randrange(n_tests), -1, -1], dtype=np.int32),
            np.array([1, -1, -1], dtype=np.int32),
            np.array([2, -1, -1], dtype=np.int32),
            np.zeros(3, dtype=np.int32),
        )
        objective, _ = best_by_paths(problem)
        found = search(problem, warm_start=begin)
        assert found.objective == float(objective)
        quick = search(problem, warm_start=begin, lookahead=2)
        assert quick.objective >= float(objective)
