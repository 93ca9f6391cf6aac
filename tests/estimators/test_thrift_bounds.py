"""A larger budget never has a lower best score, and a bound on the expected price is kept."""

from __future__ import annotations

import warnings
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries
from thrift_prices import random_costs

from thriftree import TestCosts, ThriftTreeClassifier, ThriftTreeRegressor
from thriftree.costs import BoundCosts, Group
from thriftree.datasets import heart_prices, load_heart
from thriftree.learning.budget_grid import STEP, budgets_up_to
from thriftree.testing.makers import small_tables

UP_TO_ROUNDING = 1 + 1e-9


def fitted(table, **parameters):
    cls = ThriftTreeClassifier if table.n_classes else ThriftTreeRegressor
    words = {"categorical_features": list(table.categorical), "cv": 2, "repeats": 1, "random_state": 0}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*pays for no useful test")
        return cls(**words, **parameters).fit(table.X, table.y, table.sample_weight)


def best_score(model):
    return max(model.cv_results_["mean_score"])


@settings(max_examples=tries(60, 10), deadline=None)
@given(
    table=small_tables(max_rows=40, max_columns=3),
    seed=st.integers(0, 2**32 - 1),
    limits=st.lists(st.floats(0, 40), min_size=2, max_size=4, unique=True),
)
def test_the_best_validated_score_never_falls_as_the_budget_rises(table, seed, limits):
    costs = random_costs(np.random.default_rng(seed), table) if seed % 4 else None
    models = [fitted(table, costs=costs, budget=limit) for limit in sorted(limits)]
    scores = [best_score(model) for model in models]
    assert all(a <= b + 1e-12 for a, b in pairwise(scores))
    for model, limit in zip(models, sorted(limits), strict=True):
        results = model.cv_results_
        assert model.worst_case_cost_ <= limit * UP_TO_ROUNDING
        assert best_score(model) - results["mean_score"][0] <= model.tolerance + 1e-12
        assert max(results["budget"]) <= limit * UP_TO_ROUNDING


def test_what_competes_within_a_budget_competes_with_the_same_score_within_a_larger_one():
    X, y = load_heart()
    small, large = (
        ThriftTreeClassifier(costs=heart_prices(), budget=budget, cv=3, repeats=1, random_state=0).fit(X, y)
        for budget in (15, 200)
    )
    assert set(small.cv_results_["budget"]) < set(large.cv_results_["budget"])
    assert best_score(small) <= best_score(large)


@settings(max_examples=tries(60, 12), deadline=None)
@given(
    table=small_tables(max_rows=40, max_columns=3),
    seed=st.integers(0, 2**32 - 1),
    share=st.floats(0, 1.2),
    budget=st.sampled_from([None, 8.0]),
)
def test_a_bound_on_the_expected_price_is_kept_under_any_rules(table, seed, share, budget):
    costs = random_costs(np.random.default_rng(seed), table) if seed % 4 else None
    free = fitted(table, costs=costs, budget=budget)
    bound = share * free.expected_cost_
    model = fitted(table, costs=costs, budget=budget, max_expected=bound)
    assert model.expected_cost_ <= bound * UP_TO_ROUNDING
    assert max(model.cv_results_["expected_cost"]) <= bound * UP_TO_ROUNDING
    assert best_score(model) <= best_score(free) + 1e-12
    if budget is not None:
        assert model.worst_case_cost_ <= budget * UP_TO_ROUNDING


def test_the_best_score_never_falls_as_the_expected_price_may_rise():
    X, y = load_heart()
    models = [
        ThriftTreeClassifier(costs=heart_prices(), max_expected=most, repeats=1, random_state=0).fit(X, y)
        for most in (2, 10, 50, 120, 300)
    ]
    scores = [best_score(model) for model in models]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1]
    assert [model.expected_cost_ <= most for model, most in zip(models, (2, 10, 50, 120, 300), strict=True)]
    assert models[2].worst_case_cost_ > 50 >= models[2].expected_cost_


@pytest.mark.parametrize("cls", [ThriftTreeClassifier, ThriftTreeRegressor])
def test_an_expected_price_below_the_cheapest_test_gives_one_leaf_and_says_so(cls):
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    with pytest.warns(UserWarning, match=r"max_expected=2\.5 pays for no useful test.*costs 4 on average"):
        model = cls(costs=[4.0, 9.0], max_expected=2.5, random_state=0).fit(X, y)
    assert model.tree_.n_leaves == 1
    assert model.expected_cost_ == 0


def test_a_leaf_that_is_best_does_not_blame_the_expected_price():
    model = ThriftTreeClassifier(costs=[4.0], max_expected=9.0).fit(np.ones((30, 1)), np.arange(30) % 2)
    assert model.tree_.n_leaves == 1


def every_total(costs, names):
    """By definition: the price of each set of tests."""
    bound = costs.bind(names)
    sets = chain.from_iterable(combinations(range(len(names)), n) for n in range(1, len(names) + 1))
    return sorted({round(bound.together(one), 9) for one in sets})


def test_each_budget_of_the_grid_is_the_price_of_some_tests():
    names = ["a", "b", "c", "d"]
    costs = TestCosts({"a": 2.0, "b": 30.0, "c": 5.0, "d": 1.0}, groups={"draw": Group(3.0, ("a", "c"))})
    totals, grid = every_total(costs, names), budgets_up_to(1e9, costs.bind(names), 100)
    assert set(np.round(grid, 9)) <= set(totals)
    assert (grid[0], grid[-1]) == (totals[-1], totals[0]) == (41.0, 1.0)
    for total in totals:  # below each there is one that is not much smaller
        nearest = budgets_up_to(total, costs.bind(names), 100)[0]
        assert total / STEP < nearest <= total
    for limit in (1.0, 17.0, 41.0):
        assert budgets_up_to(limit, costs.bind(names), 100) == tuple(g for g in grid if g <= limit)
    assert budgets_up_to(0.9, costs.bind(names), 100) == (0.0,)


@settings(max_examples=tries(200, 40), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), limits=st.tuples(st.floats(0, 60), st.floats(0, 60)))
def test_grids_are_made_of_prices_alone(seed, limits):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    prices = rng.integers(0, 20, n) + rng.integers(0, 2) * rng.random(n).round(2)
    members = rng.permutation(n)[: rng.integers(0, n + 1)].tolist()
    costs = TestCosts(
        prices.astype(float),
        groups={"draw": Group(float(rng.integers(0, 6)), tuple(members))} if members else {},
        pay=str(rng.choice(["once", "each"])),
        known=np.flatnonzero(rng.random(n) < 0.2).tolist(),
    )
    bound = costs.bind([f"x{j}" for j in range(n)])
    small, large = (budgets_up_to(limit, bound, 30) for limit in sorted(limits))
    assert set(small) <= set(large) | {0.0}
    assert list(large) == sorted(set(large), reverse=True)
    assert all(b <= max(limits) * UP_TO_ROUNDING for b in large)
    everything = bound.together(range(n))
    if costs.pay == "once":
        assert budgets_up_to(1e9, bound, 30)[0] == pytest.approx(everything)


def test_the_grid_of_very_many_prices_stays_small():
    rng = np.random.default_rng(0)
    costs = TestCosts(rng.lognormal(2, 2, 2000))
    grid = budgets_up_to(1e12, costs.bind([f"x{j}" for j in range(2000)]), 100)
    assert len(grid) < np.log(grid[0] / grid[-1]) / np.log(STEP) + 2


def test_what_is_free_may_be_asked_within_any_budget():
    costs = TestCosts({"a": 0.0, "b": 8.0})
    assert budgets_up_to(1.0, costs.bind(["a", "b"]), 10) == (0.0,)
    assert budgets_up_to(8.0, costs.bind(["a", "b"]), 10) == (8.0, 0.0)
    assert budgets_up_to(5.0, TestCosts({"a": 0.0}).bind(["a"]), 10) == (0.0,)


def test_without_prices_every_small_number_of_questions_is_a_budget():
    prices = BoundCosts.without_prices(["a", "b", "c"])
    for n in range(1, 6):
        assert budgets_up_to(n + 0.5, prices, 1000) == tuple(float(k) for k in range(n, 0, -1))


def test_a_path_that_pays_each_time_may_cost_more_than_all_tests_once():
    costs = TestCosts([3.0, 4.0], pay="each")
    assert budgets_up_to(1e9, costs.bind(["a", "b"]), 50)[0] >= 7.0 * 50


@settings(max_examples=tries(40, 8), deadline=None)
@given(
    table=small_tables(max_rows=40, max_columns=3),
    seed=st.integers(0, 2**32 - 1),
    share=st.floats(0.2, 1),
    node=st.integers(0, 30),
)
def test_a_part_that_is_grown_anew_keeps_the_whole_tree_within_the_expected_price(table, seed, share, node):
    costs = random_costs(np.random.default_rng(seed), table) if seed % 4 else None
    bound = share * fitted(table, costs=costs).expected_cost_
    model = fitted(table, costs=costs, max_expected=bound)
    node %= model.tree_.n_nodes
    edit = model.refit_below(node, table.X, table.y, table.sample_weight)
    assert edit.estimator.expected_cost_ <= bound * UP_TO_ROUNDING
    assert edit.estimator.expected_cost_ == pytest.approx(
        edit.tree.expected_cost(table.X, sample_weight=table.sample_weight)
    )


def test_what_is_changed_below_a_node_may_be_a_lower_expected_price():
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), repeats=1, random_state=0).fit(X, y)
    assert model.expected_cost_ > 30
    edit = model.refit_below(0, X, y, max_expected=30)
    assert 0 < edit.estimator.expected_cost_ <= 30
    assert edit.tree.n_leaves > 1


def test_a_forced_test_leaves_its_branches_what_it_does_not_use_up():
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), max_expected=60, repeats=1, random_state=0).fit(X, y)
    edit = model.refit_below(0, X, y, feature="chest_pain")
    assert edit.tree.n_leaves > 2
    assert edit.estimator.expected_cost_ <= 60
    with pytest.raises(ValueError, match=r"costs 10[0-9.]+ on average, above max_expected=60: raise it"):
        model.refit_below(0, X, y, feature="thallium_scan")
