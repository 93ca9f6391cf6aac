"""A budget of a worst-case tree is kept on every path, and the search makes the most of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries
from thrift_prices import random_costs

from thriftree import HingedPairs, LimitReachedWarning, Powers, TestCosts, WorstCaseTreeClassifier
from thriftree.datasets import heart_prices, load_heart
from thriftree.testing.makers import small_table, small_tables
from thriftree.tuning import worst_case_search

UP_TO_ROUNDING = 1 + 1e-9
IMPURITIES = ["pairs", Powers(3), HingedPairs(epsilon=0.1), "search"]


def fitted_quietly(model, table):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="budget=.* pays for no useful test")
        return model.fit(table.X, table.y, table.sample_weight)


def rows_of_all_kinds(table, rng):
    """The rows of the table, and others with values that are missing, unseen and new together."""
    other = table.X[rng.integers(0, len(table.X), (200, 1)), np.arange(table.X.shape[1])]
    mixed = table.X[rng.integers(0, len(table.X), other.shape), np.arange(table.X.shape[1])]
    mixed[rng.random(mixed.shape) < 0.15] = np.nan
    mixed[rng.random(mixed.shape) < 0.15] = 77.0
    return np.concatenate([table.X, other, mixed])


@settings(max_examples=tries(150, 50), deadline=None)
@given(
    table=small_tables(max_rows=40),
    seed=st.integers(0, 2**32 - 1),
    share=st.floats(0, 1.2),
    impurity=st.sampled_from(IMPURITIES),
    multiway=st.sampled_from([True, False, "all"]),
)
def test_no_path_costs_more_than_the_budget_under_any_rules(table, seed, share, impurity, multiway):
    rng = np.random.default_rng(seed)
    parameters = {
        "costs": random_costs(rng, table) if seed % 5 else None,
        "categorical_features": list(table.categorical),
        "multiway": multiway,
    }
    free = WorstCaseTreeClassifier(**parameters).fit(table.X, table.y, table.sample_weight)
    budget = share * free.worst_case_cost_
    model = fitted_quietly(WorstCaseTreeClassifier(**parameters, impurity=impurity, budget=budget), table)
    assert model.worst_case_cost_ <= budget * UP_TO_ROUNDING
    assert model.worst_case_cost_ == model.tree_.worst_case_cost()
    assert model.predict_cost(rows_of_all_kinds(table, rng)).max() <= budget * UP_TO_ROUNDING


@settings(max_examples=tries(60, 30), deadline=None)
@given(table=small_tables(max_rows=40), seed=st.integers(0, 2**32 - 1))
def test_a_budget_that_pays_for_all_only_leaves_out_idle_tests(table, seed):
    costs = random_costs(np.random.default_rng(seed), table)
    parameters = {"costs": costs, "categorical_features": list(table.categorical), "impurity": Powers(3)}
    free = WorstCaseTreeClassifier(**parameters).fit(table.X, table.y, table.sample_weight)
    within = WorstCaseTreeClassifier(**parameters, budget=free.worst_case_cost_)
    within.fit(table.X, table.y, table.sample_weight)
    assert within.training_error_ == pytest.approx(free.training_error_, abs=1e-12)
    assert within.worst_case_cost_ <= free.worst_case_cost_ * UP_TO_ROUNDING
    core = within.tree_.core
    for node in np.flatnonzero(core.column >= 0):
        below = leaves_below(core, int(node))
        assert len({int(core.label[leaf]) for leaf in below}) > 1


def leaves_below(core, node):
    """The leaves of a subtree."""
    children = core.children[core.child_begin[node] : core.child_begin[node + 1]].tolist()
    return [leaf for child in children for leaf in leaves_below(core, child)] if children else [node]


def test_the_plain_tree_keeps_tests_that_change_no_prediction():
    """Exclusive or of two columns, unbalanced so that one class is always the more common."""
    X = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=float)
    y = np.array([0, 0, 0, 0, 0, 1, 0])
    plain = WorstCaseTreeClassifier(max_depth=1).fit(X, y)
    within = WorstCaseTreeClassifier(max_depth=1, budget=10).fit(X, y)
    assert plain.tree_.n_leaves == 2
    assert within.tree_.n_leaves == 1
    assert plain.predict(X).tolist() == within.predict(X).tolist()


def test_questions_are_what_a_budget_counts_without_prices():
    X, y = load_heart()
    model = WorstCaseTreeClassifier(impurity="search", cv=None, budget=2).fit(X, y)
    assert model.worst_case_cost_ == model.tree_.depth == 2


def test_a_budget_below_the_cheapest_test_gives_one_leaf_and_says_so_where_it_was_asked():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    with pytest.warns(UserWarning, match="budget=2.5 pays for no useful test.*'x1' at 3") as caught:
        model = WorstCaseTreeClassifier(costs=[4.0, 3.0], budget=2.5).fit(X, y)
    assert caught[0].filename == __file__
    assert model.tree_.n_leaves == 1
    assert model.worst_case_cost_ == model.expected_cost_ == 0


def test_a_table_without_useful_tests_does_not_blame_the_budget():
    model = WorstCaseTreeClassifier(costs=[4.0, 3.0], budget=1.0).fit(np.ones((30, 2)), np.arange(30) % 2)
    assert model.tree_.n_leaves == 1


@pytest.mark.parametrize("budget", [None, 1, 10, 60, 200])
def test_the_search_takes_the_least_error_of_all_that_it_tries(budget):
    X, y = load_heart()
    costs = heart_prices()
    model = WorstCaseTreeClassifier(impurity="search", cv=None, costs=costs, budget=budget).fit(X, y)
    found = model.search_results_
    assert model.training_error_ == pytest.approx(min(found["error"]), abs=1e-12)
    assert model.training_error_ == pytest.approx(found["error"][0], abs=1e-12)
    assert model.worst_case_cost_ == pytest.approx(found["worst_case_cost"][0])
    assert model.tree_.n_leaves == found["leaves"][0]
    best = [
        cost
        for cost, error in zip(found["worst_case_cost"], found["error"], strict=True)
        if error <= min(found["error"]) + 1e-12
    ]
    assert model.worst_case_cost_ == pytest.approx(min(best))
    for impurity in ["pairs", Powers(4), HingedPairs(epsilon=0.05)]:
        one = WorstCaseTreeClassifier(impurity=impurity, costs=costs, budget=budget).fit(X, y)
        assert one.training_error_ >= model.training_error_ - 1e-12


def test_within_a_budget_tests_compete_regardless_of_their_price_too():
    """The expensive column alone decides the class; the cheap ones know a little each, and there are many."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    cheap = np.where(rng.random((400, 6)) < 0.6, y[:, np.newaxis], 1 - y[:, np.newaxis])
    X = np.column_stack([y, cheap]).astype(float)
    costs = TestCosts([100.0, *[1.0] * 6])
    greedy = WorstCaseTreeClassifier(costs=costs, budget=105).fit(X, y)
    model = WorstCaseTreeClassifier(impurity="search", costs=costs, budget=105).fit(X, y)
    assert greedy.training_error_ > 0
    assert model.training_error_ == 0
    assert model.search_results_["by_price"][0] is False
    assert model.worst_case_cost_ == 100


def test_the_cross_validated_search_chooses_a_tolerance():
    X, y = load_heart()
    n_folds = tries(5, 3)
    parameters = {"impurity": "search", "costs": heart_prices(), "budget": 200, "random_state": 0}
    model = WorstCaseTreeClassifier(**parameters, cv=n_folds).fit(X, y)
    by_training = WorstCaseTreeClassifier(**parameters, cv=None).fit(X, y)
    assert model.tolerance_ > 0
    assert model.tree_.n_leaves < by_training.tree_.n_leaves
    assert model.worst_case_cost_ <= 200
    assert len(model.search_results_["error"]) == 2 * len(worst_case_search.MENU) * len(
        worst_case_search.SHARES
    )
    assert model.search_results_["error"] == sorted(model.search_results_["error"])
    assert model.tree_ == WorstCaseTreeClassifier(**parameters, cv=n_folds).fit(X, y).tree_


def test_the_cross_validated_error_is_that_of_trees_of_the_other_folds():
    table = small_table(4, n_rows=90, n_columns=3, n_values=5, weighted=True)
    half = np.arange(90) < 45
    folds = [(np.flatnonzero(half), np.flatnonzero(~half)), (np.flatnonzero(~half), np.flatnonzero(half))]
    model = WorstCaseTreeClassifier(impurity="search", cv=folds)
    model.fit(table.X, table.y, table.sample_weight)
    found = model.search_results_
    at = next(i for i, t in enumerate(found["tolerance"]) if t == 0 and found["impurity"][i] == Powers(3))
    lost = 0.0
    for growing, held_out in folds:
        one = WorstCaseTreeClassifier(impurity=Powers(3))
        one.fit(table.X[growing], table.y[growing], table.sample_weight[growing])
        wrong = one.predict(table.X[held_out]) != table.y[held_out]
        lost += table.sample_weight[held_out][wrong].sum()
    assert found["error"][at] == pytest.approx(lost / table.sample_weight.sum())


def test_a_search_out_of_time_takes_what_it_has_and_says_so():
    X, y = load_heart()
    with pytest.warns(LimitReachedWarning, match="time_limit_s"):
        model = WorstCaseTreeClassifier(impurity="search", cv=5, time_limit_s=0.0).fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert len(model.search_results_["impurity"]) >= 1


def test_the_search_goes_by_folds_unless_training_error_is_asked_for():
    X, y = load_heart()
    found, folds, training = (
        WorstCaseTreeClassifier(impurity="search", random_state=0, **cv).fit(X, y).search_results_
        for cv in ({}, {"cv": 5}, {"cv": None})
    )
    assert found == folds
    assert found["error"][0] > training["error"][0]
