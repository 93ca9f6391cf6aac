"""The exact search and looking ahead end at the cheapest tree, found by trying every tree."""

from __future__ import annotations

import numpy as np
import pytest
from small_instances import CLASSES, OBJECTIVES, optimum_by_trying, random_cases
from thoroughness import tries
from to_the_end import NO_TIME

from thriftree.search.allowance import UNLIMITED, Allowance
from thriftree.search.exact import optimum
from thriftree.search.instance import Goal, Instance
from thriftree.search.lookahead import LookAhead
from thriftree.search.worst_case import quick_knapsack_bound


def no_bound(instance: Instance, goal: Goal, allowance: Allowance) -> float:
    return 0.0


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", CLASSES)
def test_the_exact_search_finds_the_cheapest_tree(trees: str, objective: str) -> None:
    for _, small, goal in random_cases(tries(500, 90), trees, seed=3):
        (found,) = optimum(small.instance(), goal, objective, UNLIMITED)
        assert found == pytest.approx(float(optimum_by_trying(small, goal, objective))), (small, goal)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", CLASSES)
def test_looking_ahead_rises_with_every_step_and_ends_at_the_cheapest_tree(
    trees: str, objective: str
) -> None:
    bound = quick_knapsack_bound if objective == "worst_case" else no_bound
    for _, small, goal in random_cases(tries(300, 100), trees, seed=4):
        cheapest = float(optimum_by_trying(small, goal, objective))
        ahead = LookAhead(small.instance(), goal, objective, bound, UNLIMITED)
        before = ahead.lower
        while not ahead.closed:
            ahead.step()
            assert before <= ahead.lower <= cheapest + 1e-9, (small, goal)
            before = ahead.lower
        if trees != "error":  # where leaves share what they may lose, the end is a bound
            assert ahead.lower == pytest.approx(cheapest), (small, goal)


def instance_of_many(n: int, m: int) -> Instance:
    rng = np.random.default_rng(0)
    codes = np.unique(rng.integers(0, 3, (n, m)), axis=0)
    n = len(codes)
    even = np.full(n, 1 / n)
    return Instance(codes, rng.integers(0, 2, n), even, even, np.ones(m), np.full(m, -1), np.zeros(0))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_search_that_is_out_of_time_says_nothing(objective: str) -> None:
    assert list(optimum(instance_of_many(60, 8), Goal("pure"), objective, NO_TIME)) == []


def test_looking_ahead_without_time_keeps_the_first_bound() -> None:
    ahead = LookAhead(instance_of_many(60, 8), Goal("pure"), "worst_case", quick_knapsack_bound, NO_TIME)
    before = ahead.lower
    assert list(ahead.run()) == [before]
    ahead.step()
    assert ahead.lower == before
    assert not ahead.closed


def test_looking_ahead_stops_where_the_bound_is_enough() -> None:
    ahead = LookAhead(instance_of_many(60, 8), Goal("pure"), "worst_case", quick_knapsack_bound, UNLIMITED)
    assert list(ahead.run(enough=ahead.lower)) == [ahead.lower]
    assert not ahead.closed
