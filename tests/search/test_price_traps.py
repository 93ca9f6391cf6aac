"""What a search with prices gets wrong without care: each care has a table that fails without it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

from oracles.priced_trees import PricedProblem, best_by_paths
from oracles.prices import Rules
from priced_problems import random_priced_problem, search
from thoroughness import tries

from thriftree import _core


def two_valued(
    rows: Sequence[tuple[Sequence[int], int, int]], prices: Sequence[float], **options: Any
) -> PricedProblem:
    """Rows of two-valued columns, given as (values, class, how often), each column at its price."""
    values = [list(row) for row, _, times in rows for _ in range(times)]
    given: dict[str, Any] = {
        "leaf_penalty": Fraction(0),
        "price_weight": Fraction(1),
        "budget": None,
        "max_depth": 3,
        **options,
    }
    n = len(values)
    return PricedProblem(
        values,
        [(column, 0) for column in range(len(prices))],
        [label for _, label, times in rows for _ in range(times)],
        2,
        [1] * n,
        [[0, 1], [1, 0]],
        [1] * n,
        Rules(lambda column, _: prices[column], {}, {}),
        **given,
    )


def check_optimum(problem: PricedProblem, **options: Any) -> _core.SearchResult:
    objective, leaves = best_by_paths(problem)
    found = search(problem, **options)
    assert (found.status, found.leaves) == ("optimal", leaves)
    assert abs(found.objective - float(objective)) < 1e-6
    return found


def test_a_test_that_cuts_off_less_than_a_leaf_is_worth_may_begin_the_best_tree() -> None:
    # 30 rows answer the free test 0 with 1; sent on, they would all be mistakes (30 < 36, a leaf), and pay
    # for test 1, too. Without prices the support rule leaves such a test out.
    rows = [((0, 0), 0, 285), ((0, 1), 1, 285), ((1, 1), 0, 30)]
    problem = two_valued(rows, [0.0, 0.25], leaf_penalty=Fraction(36))
    found = check_optimum(problem)
    assert found.test[0] == 0
    assert found.objective / 600 == (3 * 36 + 570 / 4) / 600 < (2 * 36 + 30 + 600 / 4) / 600


def test_of_equal_columns_the_cheaper_is_asked() -> None:
    rows = [((0, 1, 0), 0, 4), ((1, 0, 1), 1, 4)]
    found = check_optimum(two_valued(rows, [0.5, 0.25, 0.375]))
    assert found.test[0] == 1


def test_equal_columns_differ_where_one_was_paid_for() -> None:
    # Column 0 is bought for its first cut; its second divides the rest as column 1 does, and is free then.
    values = [[0, 0], [0, 0], [1, 0], [1, 0], [2, 1], [2, 1]]
    problem = PricedProblem(
        values,
        [(0, 0), (0, 1), (1, 0)],
        [0, 0, 1, 1, 0, 0],
        2,
        [1] * 6,
        [[0, 1], [1, 0]],
        [1] * 6,
        Rules(lambda column, _: (0.25, 0.125)[column], {}, {}),
        Fraction(1, 16),
        Fraction(1),
        None,
        3,
    )
    found = check_optimum(problem)
    assert (found.cost, found.price) == (0, 1.5)


def test_what_is_left_of_the_budget_is_part_of_the_state() -> None:
    # Columns 0 and 1 lead to the same rows; only the cheaper one leaves enough for column 2.
    rows = [((0, 0, 0), 0, 3), ((0, 0, 1), 1, 3), ((1, 1, 0), 1, 4), ((1, 1, 1), 0, 4)]
    problem = two_valued(rows, [5.0, 1.0, 4.0], price_weight=Fraction(0), budget=Fraction(6))
    for duplicates in (True, False):
        found = check_optimum(problem, switches={"duplicates": duplicates})
        assert found.cost == 0
        assert 0 not in found.test.tolist()


def test_rows_that_cancel_still_pay() -> None:
    # 45 pairs contradict each other. The test is worth its price for the other ten rows alone.
    rows = [((0,), 0, 50), ((0,), 1, 45), ((1,), 1, 5)]
    dear = two_valued(rows, [1 / 16], leaf_penalty=Fraction(0))
    assert check_optimum(dear).leaves == 1
    cheap = two_valued(rows, [1 / 32], leaf_penalty=Fraction(0))
    assert check_optimum(cheap).leaves == 2


def test_classes_weigh_mistakes_and_not_prices() -> None:
    rows = [((0, 0), 0, 6), ((1, 0), 1, 6)]
    problem = two_valued(rows, [0.25, 1.0])
    problem.weights = [10] * 6 + [1] * 6
    found = check_optimum(problem)
    assert found.price == 3.0


def test_bounds_hold_wherever_a_search_with_prices_is_stopped() -> None:
    rng = Random(5)
    for number in range(tries(600, 40)):
        problem = random_priced_problem(rng, delay=number % 5 == 0)
        limits = _core.Limits(time_limit_s=rng.choice([0.0, 1e-5, 3e-5, 1e-4, 1e-3]))
        stopped, found = search(problem, limits=limits), search(problem)
        assert stopped.lower_bound <= found.objective <= stopped.objective
        for _, incumbent, bound in stopped.history:
            assert bound <= found.objective <= incumbent


def test_threads_and_caches_change_no_tree_with_prices() -> None:
    rng = Random(17)
    for number in range(tries(300, 25)):
        problem = random_priced_problem(rng, delay=number % 5 == 0)
        trees = [
            search(problem, n_threads=threads, cache_mb=cache).test.tolist()
            for threads, cache in ((1, 48.0), (4, 48.0), (1, 0.0))
        ]
        assert trees[0] == trees[1] == trees[2]
