"""Sets of nearly best trees whose objective has prices are what pricing and listing all trees finds."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from near_problems import plain
from oracles.near_priced_trees import priced_trees_within
from oracles.priced_trees import PricedProblem
from oracles.prices import Rules
from priced_problems import arguments, random_priced_problem
from thoroughness import tries

from thriftree import OptimalTreeClassifier, TestCosts, _core, near_optimal
from thriftree.testing.makers import small_table


def small(rng: Random) -> tuple[PricedProblem, Fraction]:
    """A problem whose trees can be listed, and a slack."""
    problem = random_priced_problem(rng)
    most = {1: 9, 2: 6, 3: 3, 4: 3}[problem.max_depth]
    problem.tests = sorted(rng.sample(problem.tests, min(most, len(problem.tests))))
    return problem, Fraction(rng.choice([0, 0, 1, 2, 4, 16, 1000]), rng.choice([1, 4]))


def near(problem: PricedProblem, slack: Fraction, **options: Any) -> _core.NearOptimal:
    return _core.near_optimal(**arguments(problem), slack=float(slack), **options)


@pytest.mark.parametrize("part", range(4))
def test_the_set_has_every_tree_within_the_slack_with_its_price(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(500, 15)):
        problem, slack = small(rng)
        wanted = priced_trees_within(problem, slack)
        found = near(problem, slack, n_threads=rng.choice([1, 2]))
        assert found.status == "optimal"
        assert found.count() == len(wanted), problem
        if len(wanted) > 3000:
            continue
        trees = [
            (Fraction(cost) * Fraction(found.cost_unit) + problem.leaf_penalty * leaves, leaves, tests)
            for cost, leaves, tests in plain(found.trees(0, len(wanted)))
        ]
        assert [objective for objective, _, _ in trees] == [objective for objective, _, _ in wanted]
        assert set(trees) == set(wanted)


def test_what_is_left_of_the_budget_tells_nodes_of_the_set_apart() -> None:
    # Columns 0 and 1 lead to the same rows; after the expensive one column 2 is beyond the budget.
    values = [[a, a, b] for a in (0, 1) for b in (0, 1) for _ in range(3)]
    problem = PricedProblem(
        values=values,
        tests=[(0, 0), (1, 0), (2, 0)],
        labels=[row[0] ^ row[2] for row in values],
        n_classes=2,
        weights=[1] * 12,
        error_costs=[[0, 1], [1, 0]],
        payers=[1] * 12,
        rules=_rules((5.0, 1.0, 4.0)),
        leaf_penalty=Fraction(1, 4),
        price_weight=Fraction(0),
        budget=Fraction(6),
        max_depth=3,
    )
    found = near(problem, Fraction(12))
    trees = [tests for _, _, tests in plain(found.trees(0, found.count()))]
    assert set(trees) == {tests for _, _, tests in priced_trees_within(problem, Fraction(12))}
    assert any({1, 2} <= set(tests) for tests in trees)
    assert not any({0, 2} <= set(tests) for tests in trees)


def _rules(prices: tuple[float, ...]) -> Rules:
    return Rules(lambda column, _: prices[column], {}, {})


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_a_set_with_prices_is_the_optimal_tree(seed: int) -> None:
    rows = small_table(seed, weighted=bool(seed & 1), categories=bool(seed & 2))
    prices = {j: float(1 + (3 * j + seed) % 5) for j in range(rows.X.shape[1])}
    costs = TestCosts(prices, groups={"both": {"setup": 4.0, "members": [0, 1]}})
    given: dict[str, Any] = {
        "max_depth": 2, "leaf_penalty": 0.01, "costs": costs, "price_weight": 0.004,
        "budget": 12.0 if seed % 3 else None, "min_leaf": 1 + seed % 2,
        "categorical_features": list(rows.categorical),
    }  # fmt: skip
    found = near_optimal(rows.X, rows.y, sample_weight=rows.sample_weight, slack=0.02, **given)
    best = OptimalTreeClassifier(**given).fit(rows.X, rows.y, sample_weight=rows.sample_weight)
    assert found.best == pytest.approx(best.objective_, abs=1e-9)
    first = found.first(200)
    for objective, tree in zip(first.objectives, first, strict=True):
        assert objective == pytest.approx(found.objective_of(tree), abs=1e-9)
        assert tree.worst_case_cost() <= (given["budget"] or np.inf)
    assert first.objectives.tolist() == pytest.approx(sorted(first.objectives))
    cheapest = found.cheapest()
    if found.count() <= 200:
        assert cheapest.expected_cost == pytest.approx(
            min(tree.expected_cost(rows.X, rows.sample_weight) for tree in first)
        )
    assert found.objective_of(cheapest.tree) <= found.limit + 1e-9


def test_delayed_tests_are_refused_by_name_where_they_would_be_weighed() -> None:
    rows = small_table(1)
    costs = TestCosts({0: 2.0, 1: 3.0, 2: 1.0}, delayed=[1])
    found = near_optimal(rows.X, rows.y, costs=costs, max_depth=2)
    assert found.cheapest().is_proved
    with pytest.raises(ValueError, match="weighs no delayed tests, and these are: x1"):
        near_optimal(rows.X, rows.y, costs=costs, max_depth=2, price_weight=0.01)
