"""A budget is kept under every rule of prices, and is used."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries
from thrift_prices import random_costs

from thriftree import TestCosts, ThriftTreeClassifier, ThriftTreeRegressor
from thriftree.costs import Group
from thriftree.datasets import heart_prices, load_heart
from thriftree.estimators.cart import CARTClassifier
from thriftree.estimators.enhanced import EnhancedTreeClassifier
from thriftree.learning.allowance import Budget
from thriftree.learning.budget import grow_within
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import Pruning
from thriftree.testing.makers import small_tables
from thriftree.tree import Tree

UP_TO_ROUNDING = 1 + 1e-9
UNLIMITED = Limits.of(1, None, None)


def grown_within(model, table, budget):
    """The tree of one plan within a budget, with its prices."""
    rows = model._read(table.X, table.y, table.sample_weight, Limits.of(1, None, None))
    grown = grow_within(Budget(budget, model.costs), rows, model._plan(rows), UNLIMITED, Pruning())
    prices = None if model.costs is None else model.costs.to_dict()
    return Tree(grown.core, grown.columns, tuple(model.classes_.tolist()), prices)


@settings(max_examples=tries(150, 50), deadline=None)
@given(table=small_tables(max_rows=40), seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1.2))
def test_no_path_costs_more_than_the_budget_under_any_rules(table, seed, share):
    rng = np.random.default_rng(seed)
    costs = random_costs(rng, table)
    parameters = {"costs": costs, "categorical_features": list(table.categorical)}
    model = [
        CARTClassifier(**parameters),
        CARTClassifier(**parameters, cost_benefit=True),
        EnhancedTreeClassifier(**parameters),
    ][rng.integers(3)]
    free = type(model)(**model.get_params()).fit(table.X, table.y, table.sample_weight)
    budget = share * free.worst_case_cost_
    tree = grown_within(model, table, budget)
    assert tree.worst_case_cost() <= budget * UP_TO_ROUNDING
    assert tree.predict_cost(table.X).max() <= budget * UP_TO_ROUNDING
    if share >= 1:
        assert tree == free.tree_


@settings(max_examples=12, deadline=None)
@given(
    table=small_tables(max_rows=24, max_columns=3),
    seed=st.integers(0, 2**32 - 1),
    budget=st.sampled_from([0.0, 3.0, 8.0]),
)
def test_the_tuned_tree_keeps_its_budget(table, seed, budget):
    costs = random_costs(np.random.default_rng(seed), table)
    parameters = {"costs": costs, "categorical_features": list(table.categorical), "cv": 2, "repeats": 1}
    model = ThriftTreeClassifier(**parameters, budget=budget, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="budget=.* pays for no useful test")
        model.fit(table.X, table.y, table.sample_weight)
    assert model.worst_case_cost_ <= budget * UP_TO_ROUNDING
    assert model.worst_case_cost_ == model.tree_.worst_case_cost()
    assert max(model.cv_results_["worst_case_cost"]) <= budget * UP_TO_ROUNDING


@pytest.mark.parametrize("budget", [1, 10, 60, 110, 200])
def test_a_budget_of_dollars_is_kept_on_the_heart_data(budget):
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), budget=budget, repeats=1, random_state=0).fit(X, y)
    assert model.worst_case_cost_ <= budget * UP_TO_ROUNDING
    assert model.predict_cost(X).max() <= budget * UP_TO_ROUNDING
    assert model.tree_.n_leaves > 1


def test_questions_are_what_a_budget_counts_without_prices():
    X, y = load_heart()
    model = ThriftTreeClassifier(budget=2, tolerance=0, repeats=1, random_state=0).fit(X, y)
    assert model.tree_.depth == model.worst_case_cost_ == 2


def test_a_path_that_cannot_pay_for_the_best_test_takes_another():
    """y is decided by a, and within a = 1 by expensive, of which cheap knows most: a greedy tree that is cut
    afterwards would stop below a."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3)).astype(float)
    a, expensive = X[:, 0], X[:, 1]
    X[:, 2] = np.where(rng.random(400) < 0.1, 1 - expensive, expensive)
    y = np.where(a == 0, 0, 1 + expensive)
    model = CARTClassifier(costs=TestCosts([5.0, 50.0, 2.0]))
    rows = model._read(X, y, None, Limits.of(1, None, None))
    within = grow_within(Budget(10.0, model.costs), rows, model._plan(rows), UNLIMITED, Pruning())
    assert set(within.core.column[within.core.column >= 0].tolist()) == {0, 2}
    assert Tree(within.core, within.columns, (0, 1, 2), model.costs.to_dict()).worst_case_cost() == 7.0


@pytest.mark.parametrize("asking", [5.0, 100.0])
def test_within_a_budget_scores_still_weigh_prices_as_the_plan_says(asking):
    """Where the budget cuts nothing off but one column, the tree is that of the others."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (300, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + 2 * X[:, 3] + rng.normal(size=300) > 9).astype(int)
    model = CARTClassifier(
        costs=TestCosts([3.0, 1.0, 1.0, 99.0], asking=asking, read=False), cost_benefit=True, max_depth=4
    )
    rows = model._read(X, y, None, Limits.of(1, None, None))
    real = TestCosts([3.0, 1.0, 1.0, 99.0])
    within = grow_within(Budget(50.0, real), rows, model._plan(rows), UNLIMITED, Pruning())
    others = CARTClassifier(
        costs=TestCosts([3.0, 1.0, 1.0], asking=asking, read=False), cost_benefit=True, max_depth=4
    ).fit(X[:, :3], y)
    assert model.fit(X, y).worst_case_cost_ > 50
    assert within.core.column.tolist() == others.tree_.core.column.tolist()
    assert within.core.keys.tolist() == others.tree_.core.keys.tolist()


def test_delayed_tests_are_given_up_where_their_order_is_too_expensive():
    """Each side of the root needs a delayed test of its own: together ordered by all, they cost 20."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 3)).astype(float)
    y = np.where(X[:, 0] == 0, X[:, 1], X[:, 2]).astype(int)
    costs = TestCosts([0.0, 10.0, 10.0], delayed=[0, 1, 2])
    free = CARTClassifier(costs=costs).fit(X, y)
    assert free.worst_case_cost_ == 20.0
    model = ThriftTreeClassifier(costs=costs, budget=12, random_state=0).fit(X, y)
    assert model.worst_case_cost_ == 10.0
    assert model.score(X, y) > 0.7


def test_a_shared_set_up_is_part_of_what_a_budget_pays():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (300, 2)).astype(float)
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    costs = TestCosts([1.0, 1.0], groups={"draw": Group(8.0, (0, 1))})
    assert ThriftTreeClassifier(costs=costs, budget=10, random_state=0).fit(X, y).worst_case_cost_ == 10.0
    assert ThriftTreeClassifier(costs=costs, budget=9.5, random_state=0).fit(X, y).worst_case_cost_ == 9.0


@pytest.mark.parametrize("cls", [ThriftTreeClassifier, ThriftTreeRegressor])
def test_a_budget_below_the_cheapest_test_gives_one_leaf_and_says_so(cls):
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    with pytest.warns(UserWarning, match="budget=2.5 pays for no useful test.*'x1' at 3"):
        model = cls(costs=[4.0, 3.0], budget=2.5, random_state=0).fit(X, y)
    assert model.tree_.n_leaves == 1
    assert model.worst_case_cost_ == model.expected_cost_ == 0


def test_a_table_without_useful_tests_does_not_blame_the_budget():
    X = np.ones((30, 2))
    model = ThriftTreeClassifier(costs=[4.0, 3.0], budget=1.0).fit(X, np.arange(30) % 2)
    assert model.tree_.n_leaves == 1
