"""Error against worst-case price: every point is the tree that its impurity and tolerance make."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thriftree import (
    HingedPairs,
    LimitReachedWarning,
    Pairs,
    Polynomial,
    Powers,
    TestCosts,
    WorstCaseTreeClassifier,
    error_cost_curve,
)
from thriftree.datasets import heart_prices, load_heart
from thriftree.testing.makers import small_tables
from thriftree.tuning.frontier import error_cost_search


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return error_cost_curve(X[:200], y[:200], heart_prices(), max_bins=10, test=(X[200:], y[200:]))


def test_the_paper_compares_five_impurities(heart):
    assert list(heart.curves) == ["Pairs", "Powers(3)", "Powers(4)", "Powers(5)", "hinged Pairs"]
    assert sum(map(len, heart.curves.values())) == len(heart.points)


def test_every_point_is_the_tree_of_its_impurity_and_tolerance(heart):
    X, y = load_heart()
    for point in heart.points[::3]:
        model = WorstCaseTreeClassifier(
            impurity=point.impurity, tolerance=point.tolerance, costs=heart_prices(), max_bins=10
        ).fit(X[:200], y[:200])
        assert model.tree_ == point.tree
        assert model.worst_case_cost_ == pytest.approx(point.worst_case_cost)
        assert model.training_error_ == pytest.approx(point.training_error)
        assert 1 - model.score(X[200:], y[200:]) == pytest.approx(point.test_error)
        assert model.tree_.n_leaves == point.leaves


def test_along_a_curve_a_higher_price_buys_less_error(heart):
    for points in heart.curves.values():
        figures = np.array([(point.worst_case_cost, point.training_error) for point in points])
        assert (np.diff(figures[:, 0]) > 0).all()
        assert (np.diff(figures[:, 1]) < 0).all()
        assert figures[0, 0] == 0  # one leaf
        assert figures[-1, 1] == 0  # no error


@settings(max_examples=25, deadline=None)
@given(table=small_tables(max_rows=50), seed=st.integers(0, 2**32 - 1))
def test_no_tolerance_gives_a_tree_that_a_curve_forgot(table, seed):
    """Under delay, groups and outcome prices: what any tolerance buys, the curve has as cheap and as good."""
    rng = np.random.default_rng(seed)
    n = table.X.shape[1]
    costs = TestCosts(
        rng.integers(0, 9, n).astype(float).tolist(), delayed=np.flatnonzero(rng.random(n) < 0.4).tolist()
    )
    parameters = {"costs": costs, "categorical_features": list(table.categorical)}
    curve = error_cost_curve(
        table.X, table.y, sample_weight=table.sample_weight, impurities=[Powers(3)], **parameters
    )
    for tolerance in (0.0, *rng.uniform(0, 3e4, 4).tolist()):
        model = WorstCaseTreeClassifier(impurity=Powers(3), tolerance=tolerance, **parameters)
        model.fit(table.X, table.y, table.sample_weight)
        best = curve.best(model.worst_case_cost_)
        assert best.training_error <= model.training_error_ + 1e-9
    for point in curve.points:
        assert point.tree.worst_case_cost() == pytest.approx(point.worst_case_cost)


def test_the_best_within_a_budget_errs_least_and_then_costs_least(heart):
    for budget in (0, 1, 5, 20, 1000):
        best = heart.best(budget)
        fitting = [point for point in heart.points if point.worst_case_cost <= budget]
        least = min(point.training_error for point in fitting)
        assert best.training_error == least
        assert best.worst_case_cost == min(p.worst_case_cost for p in fitting if p.training_error == least)


@pytest.mark.parametrize("budget", [-1, float("nan"), "much", True, None])
def test_a_budget_that_is_no_amount_is_refused(heart, budget):
    with pytest.raises(ValueError, match=r"budget is .*: give a number >= 0"):
        heart.best(budget)


def test_rows_name_what_made_each_tree(heart):
    rows = heart.to_rows()
    assert rows[0] == {
        "impurity": "Pairs",
        "tolerance": heart.points[0].tolerance,
        "training_error": heart.points[0].training_error,
        "test_error": heart.points[0].test_error,
        "worst_case_cost": 0.0,
        "leaves": 1,
    }
    assert rows[-1]["alpha"] == heart.points[-1].alpha == 0
    lines = str(heart).splitlines()
    assert len(lines) == len(rows) + 1
    assert "at worst" in lines[0]
    assert "hinged Pairs (alpha=0)" in lines[-1]


def test_impurities_may_be_named_and_of_ones_own():
    X, y = load_heart()

    def double_pairs(counts):
        return 2 * counts[:, 0] * counts[:, 1]

    asked = ["pairs", Polynomial([(1, (2, 1))]), HingedPairs(3), HingedPairs(epsilon=0.1), double_pairs]
    curve = error_cost_curve(X, y, impurities=asked, max_bins=10)
    assert list(curve.curves) == [
        "Pairs",
        "Polynomial([(1.0, (2, 1))])",
        "HingedPairs(3)",
        "HingedPairs(epsilon=0.1)",
        "double_pairs",
    ]
    figures = [[(p.worst_case_cost, p.training_error) for p in points] for points in curve.curves.values()]
    assert figures[0] == figures[-1]
    assert curve.points[0].test_error is None
    assert "test error" not in str(curve)


def test_impurities_that_differ_have_names_that_differ():
    X, y = load_heart()
    asked = [HingedPairs(3), HingedPairs(3, offset=False), *(Polynomial([(1, (2, n))]) for n in (1, 2))]
    curve = error_cost_curve(X, y, impurities=asked, max_bins=10)
    assert [points[0].impurity for points in curve.curves.values()] == asked


def test_the_hinge_may_be_varied_as_one_likes():
    X, y = load_heart()
    curve = error_cost_curve(X, y, impurities=["hinged"], epsilons=[0.0, 0.05, 0.5])
    assert {point.alpha for point in curve.points} <= {0.0, 0.05 * 303, 0.5 * 303}
    assert {point.tolerance for point in curve.points} == {0.0}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"impurities": []}, "impurities is empty"),
        ({"impurities": ["gini"]}, "impurities has 'gini'"),
        ({"impurities": [3]}, "impurities has 3"),
        ({"impurities": [Pairs]}, "impurity is the class Pairs: give one of it"),
        ({"impurities": ["pairs", Pairs()]}, "two of the name 'Pairs'"),
        ({"impurities": ["hinged"], "epsilons": []}, "epsilons is empty"),
        ({"impurities": ["hinged"], "epsilons": [2.0]}, "epsilon is 2.0"),
        ({"test": (1, 2, 3)}, r"test is a tuple of 3: give \(X, y\)"),
    ],
)
def test_a_bad_parameter_is_named_with_the_remedy(parameters, message):
    X, y = load_heart()
    with pytest.raises(ValueError, match=message):
        error_cost_curve(X, y, **parameters)


def test_a_curve_out_of_time_says_so():
    X, y = load_heart()
    with pytest.warns(LimitReachedWarning, match="error_cost_curve stopped at its time_limit_s"):
        curve = error_cost_curve(X, y, time_limit_s=0.0)
    assert curve.stopped_by == "time_limit"
    assert list(curve.curves) == ["Pairs"]


def test_ctrl_c_hands_over_the_curves_of_the_trees_grown_so_far(monkeypatch):
    X, y = load_heart()
    whole = error_cost_curve(X, y, heart_prices(), max_bins=6)
    grow, grown = error_cost_search.grow, []

    def interrupted(*arguments):
        grown.append(arguments)
        if len(grown) == 3:
            signal.raise_signal(signal.SIGINT)
        return grow(*arguments)

    monkeypatch.setattr(error_cost_search, "grow", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        error_cost_curve(X, y, heart_prices(), max_bins=6)
    curve = caught.value.partial
    assert curve.stopped_by == "interrupt"
    assert list(curve.curves) == list(whole.curves)[:2]
    assert [p.row() for p in curve.points] == [p.row() for p in whole.points][: len(curve.points)]
