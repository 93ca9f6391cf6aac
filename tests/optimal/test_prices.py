"""Prices in OptimalTreeClassifier: the objective, the budget, and the best tree of all."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.priced_trees import PricedProblem, all_figures, best_by_paths, best_of_all_trees
from oracles.prices import Rules
from thoroughness import tries

from thriftree import CARTClassifier, OptimalTreeClassifier, regularised_risk
from thriftree.costs import Group, Steps, TestCosts


def random_table(rng: Random, *, delay: bool = False) -> tuple[PricedProblem, TestCosts]:
    """A small table with prices under every rule at random, as the oracle and as people give them. Amounts
    are sums of powers of 2, and so are the numbers of rows.
    """
    n_columns, n_rows = rng.randint(1, 3), 8
    values = [
        [rng.randrange(3 if c == 0 and not delay else 2) for c in range(n_columns)] for _ in range(n_rows)
    ]
    for c in range(n_columns):  # every column has a test
        values[0][c], values[1][c] = 0, 1
    tests = [(c, cut) for c in range(n_columns) for cut in sorted({row[c] for row in values})[:-1]]
    prices: list[float | Steps] = []
    for _ in range(n_columns):
        one = rng.randint(0, 6) / 4
        steps = not delay and rng.random() < 0.3
        prices.append(Steps((0,), (rng.randint(0, 6) / 4, one)) if steps else one)
    group_of = {c: "lab" for c in range(n_columns) if rng.random() < 0.5}
    setup = {"lab": rng.randint(0, 4) / 4} if group_of else {}
    known = frozenset(c for c in range(n_columns) if rng.random() < 0.1)
    delayed = frozenset(c for c in range(n_columns) if delay and rng.random() < 0.6)
    pay = "once" if delay or rng.random() < 0.7 else "each"

    def own(column: int, value: Any) -> float:
        price = prices[column]
        return price if isinstance(price, float) else price.prices[int(value > 0)]

    costs = TestCosts(
        dict(enumerate(prices)),
        groups={name: Group(price, tuple(group_of)) for name, price in setup.items()},
        pay=pay,
        known=sorted(known),
        delayed=sorted(delayed),
    )
    problem = PricedProblem(
        values,
        tests,
        [rng.randrange(2) for _ in range(n_rows)],
        2,
        [1] * n_rows,
        [[0, 1], [1, 0]],
        [1] * n_rows,
        Rules(own, group_of, setup, known, delayed, pay),
        leaf_penalty=rng.choice([0, 1, 2]) * Fraction(n_rows, 64),
        price_weight=Fraction(rng.choice([1, 2, 4, 8]), 16),
        budget=rng.choice([None, None, Fraction(rng.randint(0, 12), 4)]),
        max_depth=rng.choice([1, 2, 3]),
    )
    return problem, costs


@pytest.mark.parametrize("delay", [False, True])
def test_the_tree_is_the_best_of_all_with_prices(delay: bool) -> None:
    rng = Random(31 + delay)
    for _ in range(tries(300, 20)):
        problem, costs = random_table(rng, delay=delay)
        if len(set(problem.labels)) < 2:
            continue
        best = best_of_all_trees(problem) if delay else best_by_paths(problem)
        n = len(problem.values)
        model = OptimalTreeClassifier(
            max_depth=problem.max_depth,
            leaf_penalty=float(problem.leaf_penalty / n),
            costs=costs,
            price_weight=float(problem.price_weight),
            budget=None if problem.budget is None else float(problem.budget),
        ).fit(problem.values, problem.labels)
        assert model.status_ == "optimal"
        assert model.objective_ == pytest.approx(float(best[0] / n), rel=1e-12)
        assert model.objective_ - 1e-9 <= model.lower_bound_ <= model.objective_
        if problem.budget is not None:
            assert model.worst_case_cost_ <= float(problem.budget)


def a_table(n_rows: int = 240) -> tuple[np.ndarray, np.ndarray, TestCosts]:
    rng = np.random.default_rng(4)
    X = np.round(rng.normal(size=(n_rows, 5)), 2)
    y = ((X[:, 0] > 0) ^ (X[:, 1] + X[:, 2] > 0.5)) ^ (rng.random(n_rows) < 0.1)
    costs = TestCosts({0: 6.0, 1: 3.0, 2: 4.0, 3: 1.0, 4: 1.0}, groups={"lab": Group(2.5, (1, 2))}, known=[4])
    return X, y.astype(int), costs


def test_the_objective_is_that_of_the_finished_tree() -> None:
    X, y, costs = a_table()
    weight = np.random.default_rng(5).uniform(0.2, 3, len(y))
    model = OptimalTreeClassifier(
        max_depth=3, leaf_penalty=0.01, costs=costs, price_weight=0.02, class_weight={0: 1, 1: 4}
    ).fit(X, y, sample_weight=weight)
    by_class = weight * np.where(y == 1, 4, 1)
    risk = regularised_risk(model.tree_, X, y, 0.01, sample_weight=by_class)
    price = np.average(model.predict_cost(X), weights=weight)
    assert model.expected_cost_ == pytest.approx(price)
    assert model.objective_ == pytest.approx(risk + 0.02 * price, rel=1e-12)
    assert model.lower_bound_ <= model.objective_


@pytest.mark.parametrize("budget", [None, 6.0])
def test_no_greedy_tree_with_prices_is_better(budget: float | None) -> None:
    X, y, costs = a_table()
    model = OptimalTreeClassifier(
        max_depth=3, leaf_penalty=0.005, costs=costs, price_weight=0.02, budget=budget
    ).fit(X, y)
    for benefit in (True, False):
        greedy = CARTClassifier(max_depth=3, costs=costs, cost_benefit=benefit).fit(X, y)
        if budget is None or greedy.worst_case_cost_ <= budget:
            risk = regularised_risk(greedy.tree_, X, y, 0.005) + 0.02 * greedy.expected_cost_
            assert model.objective_ <= risk + 1e-12
    assert budget is None or model.worst_case_cost_ <= budget


def test_dearer_prices_never_make_the_tree_dearer() -> None:
    X, y, costs = a_table()
    paid = [
        OptimalTreeClassifier(max_depth=2, leaf_penalty=0.0, costs=costs, price_weight=w).fit(X, y)
        for w in (0.001, 0.01, 0.03, 0.1)
    ]
    prices = [model.expected_cost_ for model in paid]
    assert prices == sorted(prices, reverse=True)


def test_with_many_delayed_features_the_bound_is_that_without_delay() -> None:
    rng = np.random.default_rng(8)
    X = rng.integers(0, 2, (120, 10))
    y = (X[:, 0] ^ X[:, 1]) | X[:, 2]
    costs = TestCosts(dict.fromkeys(range(10), 1.0), delayed=list(range(10)))
    at_once = TestCosts(dict.fromkeys(range(10), 1.0))
    options: dict[str, Any] = {"max_depth": 3, "leaf_penalty": 0.001, "price_weight": 0.02}
    model = OptimalTreeClassifier(costs=costs, **options).fit(X, y)
    free = OptimalTreeClassifier(costs=at_once, **options).fit(X, y)
    assert model.status_ in ("heuristic", "optimal")
    assert model.lower_bound_ <= free.objective_ <= model.objective_


def test_all_thresholds_are_refused_with_prices() -> None:
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = OptimalTreeClassifier(max_depth=2, thresholds="all", price_weight=0.1, leaf_penalty=0.0)
    with pytest.raises(ValueError, match="without prices"):
        model.fit(X, y)


def test_a_limit_of_time_keeps_the_best_tree_and_a_bound() -> None:
    rng = np.random.default_rng(10)
    X, y = rng.integers(0, 2, (2000, 40)), rng.integers(0, 2, 2000)
    model = OptimalTreeClassifier(max_depth=6, leaf_penalty=0.0, price_weight=0.001, time_limit_s=0.3)
    with pytest.warns(UserWarning, match="time_limit"):
        model.fit(X, y)
    assert model.status_ == "time_limit"
    assert model.lower_bound_ <= model.objective_


def test_the_best_tree_of_a_mean_price_lies_between_the_bound_and_the_tree() -> None:
    rng = Random(41)
    tight = 0
    for _ in range(tries(200, 12)):
        problem, costs = random_table(rng, delay=rng.random() < 0.3)
        problem.budget, problem.max_depth = None, 2
        if len(set(problem.labels)) < 2:
            continue
        n = len(problem.values)
        figures = [(float(risk / n), float(price / n)) for risk, price in all_figures(problem)]
        most = rng.choice(sorted({price for _, price in figures}))
        best = min(risk for risk, price in figures if price <= most)
        model = OptimalTreeClassifier(
            max_depth=2, leaf_penalty=float(problem.leaf_penalty / n), costs=costs, max_expected=most
        ).fit(problem.values, problem.labels)
        assert model.expected_cost_ <= most + 1e-12
        assert model.lower_bound_ <= best + 1e-9
        assert best <= model.objective_ + 1e-12
        if model.status_ == "optimal":
            tight += 1
            assert model.objective_ == pytest.approx(best, abs=1e-6)
    assert tight > 0
