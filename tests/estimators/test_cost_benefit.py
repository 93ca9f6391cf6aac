"""Cost-benefit trees: scores are divided by what a test adds to the price of the path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, TestCosts
from thriftree.costs import Group, PathState
from thriftree.datasets import heart_prices, load_heart
from thriftree.learning.growth import price_rules
from thriftree.table.coding import encode


def random_costs(rng: np.random.Generator, n_columns: int) -> TestCosts:
    members = rng.permutation(n_columns)[: n_columns // 2].tolist()
    return TestCosts(
        {j: float(rng.choice([0.5, 1.0, 2.0, 7.0])) for j in range(n_columns)},
        groups={"draw": {"setup": float(rng.choice([0.0, 3.0])), "members": members}}
        if len(members) > 1
        else {},
        known=[int(rng.integers(n_columns))] if rng.random() < 0.5 else [],
        pay="once" if rng.random() < 0.7 else "each",
    )


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, TestCosts]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(40, 5)).astype(float)
    y = ((X[:, 0] + X[:, 1] > 3) ^ (rng.random(40) < 0.15)).astype(int)
    return X, y, random_costs(rng, 5)


def path_to(core: Any, node: int) -> list[int]:
    columns: list[int] = []
    while core.parent[node] >= 0:
        node = int(core.parent[node])
        columns.append(int(core.column[node]))
    return columns[::-1]


def gini(labels: np.ndarray) -> float:
    share = np.bincount(labels, minlength=2) / len(labels)
    return float(1 - (share**2).sum())


@pytest.mark.parametrize("seed", range(60))
def test_the_core_prices_a_path_as_the_price_model_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = encode(rng.normal(size=(9, 6)))
    bound = random_costs(rng, 6).bind(table.columns)
    rules = price_rules(bound, table)
    path, state = [], PathState()
    for column in rng.integers(0, 6, size=5).tolist():
        expected = [bound.marginal(state, j) for j in range(6)]
        np.testing.assert_allclose(rules.marginal(path), expected, rtol=1e-12)
        path.append(column)
        state = bound.visit(state, column)


@pytest.mark.parametrize("seed", range(40))
def test_every_test_has_the_best_decrease_for_its_price(seed: int) -> None:
    X, y, costs = problem(seed)
    costs = replace(costs, read=False)  # so that single tests compete alone
    model = CARTClassifier(costs=costs, cost_benefit=True, min_leaf=2).fit(X, y)
    core = model.tree_.core
    bound = costs.bind([f"x{j}" for j in range(5)])
    reached = model.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(core.column >= 0):
        rows = reached[:, node]
        state = PathState()
        for column in path_to(core, int(node)):
            state = bound.visit(state, column)
        scores = []
        for j in range(5):
            for cut in np.unique(X[rows, j])[:-1]:
                left, right = y[rows & (X[:, j] <= cut)], y[rows & (X[:, j] > cut)]
                if min(len(left), len(right)) < 2:
                    continue
                mean = (len(left) * gini(left) + len(right) * gini(right)) / rows.sum()
                scores.append((gini(y[rows]) - mean) / bound.marginal(state, j))
        assert core.score[node] == pytest.approx(max(scores), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_tree_does_not_depend_on_the_currency(seed: int) -> None:
    X, y, costs = problem(seed)
    dollars = CARTClassifier(costs=costs, cost_benefit=True).fit(X, y)
    description = costs.to_dict()
    cents = TestCosts(
        {feature: 100.0 * price for feature, price in costs.prices.items()},
        groups={n: {"setup": 100.0 * g.setup, "members": g.members} for n, g in costs.groups.items()},
        known=costs.known,
        pay=costs.pay,
    )
    assert costs.to_dict() == description
    again = CARTClassifier(costs=cents, cost_benefit=True).fit(X, y)
    assert again.tree_.core.column.tolist() == dollars.tree_.core.column.tolist()
    assert again.tree_.core.keys.tolist() == dollars.tree_.core.keys.tolist()


def test_prices_of_one_change_nothing_and_neither_do_absent_ones() -> None:
    X, y, _ = problem(1)
    plain = CARTClassifier().fit(X, y)
    ones = TestCosts(dict.fromkeys(range(5), 1.0), pay="each")
    for parameters in ({"cost_benefit": True}, {"cost_benefit": True, "costs": ones}):
        model = CARTClassifier(**parameters).fit(X, y)
        assert model.tree_.core.column.tolist() == plain.tree_.core.column.tolist()
        assert model.tree_.core.keys.tolist() == plain.tree_.core.keys.tolist()


@pytest.mark.parametrize("learner", [CARTClassifier, C45Classifier])
def test_a_heart_tree_that_weighs_prices_costs_less(learner: Any) -> None:
    X, y = load_heart()
    parameters = {"max_leaves": 6, "costs": heart_prices()}
    plain = learner(**parameters).fit(X, y)
    thrifty = learner(cost_benefit=True, **parameters).fit(X, y)
    assert thrifty.expected_cost_ < plain.expected_cost_


def test_a_number_is_predicted_from_the_cheaper_of_two_equal_columns() -> None:
    x = np.arange(30.0)
    X = np.column_stack([x, x])
    model = CARTRegressor(costs={0: 5.0, 1: 1.0}, cost_benefit=True, max_leaves=4).fit(X, x**2)
    assert set(model.tree_.core.column.tolist()) == {1, -1}


def test_a_question_that_may_be_free_needs_a_price_of_asking() -> None:
    X, y, _ = problem(2)
    free = TestCosts(dict.fromkeys(range(5), 1.0), asking=0.0)
    with pytest.raises(ValueError, match="let asking be more than 0"):
        CARTClassifier(costs=free, cost_benefit=True).fit(X, y)


@pytest.mark.parametrize("read", [False, True])
def test_by_misclassification_no_test_is_made_that_gains_nothing_whatever_is_bought_with_it(
    read: bool,
) -> None:
    """Two columns of one group tell classes apart together, and neither does alone."""
    X = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]] * 5, float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    blood = Group(setup=5.0, members=("x0", "x1"))
    costs = TestCosts({"x0": 1.0, "x1": 1.0, "x2": 9.0}, groups={"blood": blood}, asking=0.1, read=read)
    gini = CARTClassifier(costs=costs, cost_benefit=True).fit(X, y)
    assert gini.tree_.n_leaves == 4
    assert (
        CARTClassifier(impurity="misclassification", costs=costs, cost_benefit=True).fit(X, y).tree_.n_leaves
        == 1
    )
