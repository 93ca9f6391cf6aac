"""Where the target is a number, the search finds what exhaustive dynamic programming finds."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from number_problems import check_number_tree, random_number_problem, search_numbers
from oracles.number_trees import NumberProblem, NumberTrees
from search_problems import SWITCHES
from thoroughness import tries

from thriftree import _core


@pytest.mark.parametrize("part", range(6))
def test_the_search_finds_the_least_squared_error_of_small_problems(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(1200, 30)):
        problem = random_number_problem(rng)
        objective, leaves, cost = NumberTrees(problem).best()
        off = {name: False for name in SWITCHES if rng.random() < 0.3}
        found = search_numbers(problem, switches=off if rng.random() < 0.7 else None)
        assert (found.cost, found.leaves) == (cost, leaves), (objective, found.objective, off)
        assert found.status == "optimal"
        assert found.lower_bound == found.objective
        check_number_tree(problem, found)


def test_of_equal_trees_of_numbers_the_first_is_returned() -> None:
    rng = Random(1000)
    for _ in range(tries(1000, 40)):
        problem = random_number_problem(rng)
        problem.max_leaves = None
        found = search_numbers(problem)
        assert found.test.tolist() == NumberTrees(problem).first_of_the_best()


def test_rounding_to_units_loses_no_more_than_a_unit_for_each_leaf() -> None:
    rng = Random(7)
    for _ in range(tries(1000, 40)):
        problem = random_number_problem(rng)
        exact = NumberTrees(problem, rounded=False).best()[0]
        found = search_numbers(problem)
        leaves = min(len(problem.sums), problem.max_leaves or 10**6, 2 ** (problem.max_depth or 20))
        assert found.objective >= exact
        assert found.objective - leaves * 1.01 <= exact


@pytest.mark.parametrize("n_threads", [1, 4])
def test_threads_and_tiny_caches_change_no_tree_of_numbers(n_threads: int) -> None:
    rng = np.random.default_rng(5)
    tests = rng.integers(0, 2, (14, 300)).astype(np.uint8)
    sums = rng.integers(-1000, 1000, 300) + 400 * (tests[0] ^ tests[3]).astype(np.int64)
    problem = NumberProblem(tests, np.zeros(300, dtype=np.int32), 1, max_depth=5, sums=sums)
    expected = search_numbers(problem)
    for cache_mb in (0.0, 0.03):
        found = search_numbers(problem, cache_mb=cache_mb, n_threads=n_threads)
        assert (found.cost, found.test.tolist()) == (expected.cost, expected.test.tolist())
        assert found.statistics["cache_evictions"] > 0


def test_bounds_hold_wherever_a_search_for_numbers_is_stopped() -> None:
    rng = Random(31)
    stopped = 0
    for _ in range(tries(2000, 60)):
        problem = random_number_problem(rng)
        best, _, _ = NumberTrees(problem).best()
        limits = _core.Limits(time_limit_s=rng.choice([0.0, 1e-5, 3e-5, 1e-4, 1e-3]))
        found = search_numbers(problem, limits=limits)
        stopped += found.status == "time_limit"
        assert found.lower_bound <= best <= found.objective
        assert all(bound <= best for _, _, bound in found.history)
        check_number_tree(problem, found)
    assert stopped > 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sums": [1, 2]}, "one entry per row"),
        ({"sums": [2**51, 1, 0]}, "coarser units"),
        ({"sums": [1, 2, 3], "weights": [1, 0, 1]}, "without weight"),
        ({"sums": [1, 2, 3], "unit": 3.0}, "power of two"),
        ({"sums": [2**40, 0, -(2**40)], "unit": 2.0**10}, "smaller unit"),
    ],
)
def test_what_cannot_be_summed_exactly_is_refused(change: dict[str, Any], message: str) -> None:
    tests = np.array([[0, 0, 1]], dtype=np.uint8)
    weights = change.get("weights")
    with pytest.raises(ValueError, match=message):
        _core.search_tree(
            tests,
            np.zeros(1, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            0,
            weights=None if weights is None else np.array(weights, dtype=np.int64),
            numbers=(np.array(change["sums"], dtype=np.int64), change.get("unit", 1.0)),
        )


@pytest.mark.parametrize("n_rows", [33_000, 70_000])
@pytest.mark.parametrize("heaviest", [1, 2**30])
def test_sums_of_many_rows_and_of_heavy_ones_do_not_overflow(n_rows: int, heaviest: int) -> None:
    rng = np.random.default_rng(0)
    tests = rng.integers(0, 2, (3, n_rows)).astype(np.uint8)
    weights = rng.integers(heaviest // 2 + 1, heaviest + 1, n_rows)
    sums = weights * (3 * (tests[0] & tests[1]).astype(np.int64) - tests[2] + rng.integers(-1, 2, n_rows))
    unit = 2.0**-12 if heaviest > 1 else 2.0**10
    problem = NumberProblem(tests, np.zeros(n_rows, dtype=np.int32), 1, weights, max_depth=3, sums=sums)
    found = search_numbers(problem, numbers=(sums, unit))
    cells = tests[0] * 4 + tests[1] * 2 + tests[2]
    total, weight = (np.bincount(cells, weights=amount) for amount in (sums, weights))
    gains = total * total / weight * unit
    assert found.leaves == 8
    assert found.cost == -sum(int(gain) for gain in gains.tolist())
