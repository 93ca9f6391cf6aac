"""Enhanced trees: every test is the best by the formulas, and the promises of the docstrings hold."""

from __future__ import annotations

from math import inf
from typing import Any

import enhanced_by_hand as by_hand
import numpy as np
import pytest
from enhanced_by_hand import questions, table
from sklearn.datasets import load_breast_cancer

from thriftree import (
    BalancedClassifier,
    CARTClassifier,
    EnhancedTreeClassifier,
    EnhancedTreeRegressor,
    ImpurePairsClassifier,
    TestCosts,
)
from thriftree.learning.targets import quantile_bins

PRICES = TestCosts([1.0, 2.0, 5.0, 1.5], pay="each")


def assert_best(model: Any, objects: by_hand.Objects, costs: TestCosts | None, score: Any) -> None:
    n_tests = 0
    for here, branch, column, prices in by_hand.inner_nodes(model, objects, costs):
        best = max(
            score(here, candidate) / prices[j]
            for j in range(here.X.shape[1])
            for candidate in by_hand.thresholds(here, j)
        )
        assert score(here, branch) / prices[column] == pytest.approx(best, rel=1e-9)
        n_tests += 1
    assert n_tests > 2


@pytest.mark.parametrize("trade_off", [0.0, 0.3, 1.0, 10.0, inf])
@pytest.mark.parametrize("impurity", ["gini", "entropy"])
@pytest.mark.parametrize("theta", [0.0, 0.03])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_test_has_the_best_enhanced_score(
    trade_off: float, impurity: str, theta: float, weighted: bool
) -> None:
    for seed in range(4):
        X, y, weight = table(seed)
        weight = weight if weighted else np.ones(len(y))
        costs = PRICES if seed % 2 else None
        model = EnhancedTreeClassifier(impurity=impurity, trade_off=trade_off, min_mass=theta, costs=costs)
        model.fit(X, y, sample_weight=weight)

        def score(here: by_hand.Objects, branch: np.ndarray, mass: float = theta * weight.sum()) -> float:
            d = by_hand.discrimination(here, branch, impurity)
            if trade_off == inf:
                return d
            return by_hand.balance(here, branch) + by_hand.efficiency(here, branch, mass) + trade_off * d

        assert_best(model, by_hand.objects_of(X, y, weight), costs, score)


@pytest.mark.parametrize("trade_off", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_test_of_a_regression_has_the_best_enhanced_score(trade_off: float, weighted: bool) -> None:
    for seed in range(4):
        X, y, weight = table(seed)
        weight = weight if weighted else np.ones(len(y))
        target = y + np.random.default_rng(seed).integers(0, 9, size=len(y)) / 8
        model = EnhancedTreeRegressor(trade_off=trade_off, target_bins=5).fit(X, target, sample_weight=weight)
        scale = 2 / (target.max() - target.min()) ** 2

        def score(here: by_hand.Objects, branch: np.ndarray, scale: float = scale) -> float:
            d = scale * by_hand.discrimination(here, branch, "squared_error")
            return by_hand.balance(here, branch) + by_hand.efficiency(here, branch, 0.0) + trade_off * d

        objects = by_hand.objects_of(X, quantile_bins(target, weight, 5), weight, target)
        assert_best(model, objects, None, score)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cost_benefit", [False, True])
def test_every_test_separates_most_impure_pairs(weighted: bool, cost_benefit: bool) -> None:
    for seed in range(4):
        X, y, weight = table(seed)
        model = ImpurePairsClassifier(weighted=weighted, cost_benefit=cost_benefit, costs=PRICES)
        model.fit(X, y, sample_weight=weight)

        def phi(objects: by_hand.Objects) -> float:
            pairs = by_hand.pairs(objects.group)
            return float(objects.p.sum()) * pairs if weighted else pairs

        def score(here: by_hand.Objects, branch: np.ndarray, phi: Any = phi) -> float:
            return phi(here) - sum(phi(by_hand.part(here, branch == v)) for v in np.unique(branch))

        objects = by_hand.objects_of(X, y, weight)
        assert_best(model, objects, PRICES if cost_benefit else None, score)


def test_every_test_is_the_most_even() -> None:
    for seed in range(4):
        X, y, weight = table(seed)
        model = BalancedClassifier().fit(X, y, sample_weight=weight)

        def score(here: by_hand.Objects, branch: np.ndarray) -> float:
            return float(here.p.sum() - np.bincount(branch, here.p).max())

        assert_best(model, by_hand.objects_of(X, y, weight), None, score)


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
@pytest.mark.parametrize(
    "costs",
    [
        None,
        PRICES,
        TestCosts([1.0, 2.0, 5.0, 1.5]),
        TestCosts([1.0, 2.0, 5.0, 1.5], groups={"draw": {"setup": 3.0, "members": [1, 3]}}, free_first=True),
        TestCosts([1.0, 2.0, 5.0, 1.5], read=False, known=[2]),
    ],
    ids=["none", "each", "once", "free first", "single questions"],
)
def test_an_infinite_trade_off_is_cost_benefit_cart_on_the_coalesced_table(impurity: str, costs: Any) -> None:
    for seed in range(6):
        X, y, weight = table(seed)
        objects = by_hand.objects_of(X, y, weight)
        parameters: dict[str, Any] = {"impurity": impurity, "costs": costs, "min_mass": 0.02}
        enhanced = EnhancedTreeClassifier(trade_off=inf, **parameters).fit(X, y, sample_weight=weight)
        cart = CARTClassifier(cost_benefit=True, **parameters)
        cart.fit(objects.X, objects.group, sample_weight=objects.p)
        assert questions(enhanced) == questions(cart)
        assert enhanced.tree_.n_leaves > 3


@pytest.mark.parametrize("k", [3, 7, 15, 31])
@pytest.mark.parametrize("trade_off", [0.0, 1.0, inf])
def test_a_feature_that_is_worth_reading_is_bought_though_single_questions_are_cheaper(
    k: int, trade_off: float
) -> None:
    codes = np.arange(k + 1)
    X = np.column_stack([codes, *(codes > j for j in range(k))]).astype(float)
    prices = [100.0] + [99.0] * k
    parameters: dict[str, Any] = {"trade_off": trade_off}
    reading = EnhancedTreeClassifier(costs=TestCosts(prices, read=True), **parameters).fit(X, codes % 2)
    assert reading.worst_case_cost_ == 100.0
    asking = EnhancedTreeClassifier(costs=TestCosts(prices, read=False), **parameters).fit(X, codes % 2)
    assert asking.worst_case_cost_ > 100.0


def test_leaves_predict_by_the_rows_and_not_by_the_objects() -> None:
    model = EnhancedTreeClassifier().fit([[0.0], [0.0], [0.0], [1.0]], ["a", "a", "b", "b"])
    assert model.tree_.n_leaves == 2
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), [[2 / 3, 1 / 3], [0.0, 1.0]])
    assert model.tree_.core.rows.tolist() == [4, 3, 1]


@pytest.mark.parametrize("cls", [EnhancedTreeClassifier, ImpurePairsClassifier, BalancedClassifier])
def test_every_leaf_holds_the_class_weights_of_its_rows(cls: Any) -> None:
    for seed in range(4):
        X, y, weight = table(seed)
        model = cls().fit(X, y, sample_weight=weight)
        leaf = model.apply(X)
        value = model.tree_.core.value.reshape(-1, 3)
        for node in np.unique(leaf):
            expected = np.bincount(y[leaf == node], weight[leaf == node], minlength=3)
            np.testing.assert_allclose(value[node], expected, rtol=1e-12)


@pytest.mark.parametrize("unit", [2.0**-30, 0.25, 3.0, 1e6])
def test_the_unit_of_weight_changes_nothing_where_it_keeps_equal_sums_equal(unit: float) -> None:
    for seed in range(6):
        X, y, weight = table(seed)
        one = EnhancedTreeClassifier(min_mass=0.03).fit(X, y, sample_weight=weight)
        other = EnhancedTreeClassifier(min_mass=0.03).fit(X, y, sample_weight=weight * unit)
        assert questions(one) == questions(other)
        assert one.expected_cost_ == pytest.approx(other.expected_cost_)


@pytest.mark.parametrize("trade_off", [0.0, 1.0, 10.0])
def test_a_target_of_zero_and_one_gives_the_tree_of_the_classifier(trade_off: float) -> None:
    for seed in range(6):
        X, y, weight = table(seed, n_classes=2)
        objects = by_hand.objects_of(X, y, weight)  # equal rows agree, so that both see the same impurity
        classes = EnhancedTreeClassifier(trade_off=trade_off)
        classes.fit(objects.X, objects.group, sample_weight=objects.p)
        numbers = EnhancedTreeRegressor(trade_off=trade_off)
        numbers.fit(objects.X, objects.group.astype(float), sample_weight=objects.p)
        assert questions(classes) == questions(numbers)


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e300, 8e307])
def test_a_target_whose_squares_cannot_be_summed_is_told_to_be_rescaled(unit: float) -> None:
    with pytest.raises(ValueError, match="rescale y"):
        EnhancedTreeRegressor().fit([[0], [1], [2]], [-unit, 0.0, unit])


def test_multiway_gives_every_category_a_branch() -> None:
    X, y, _ = table(0)
    model = EnhancedTreeClassifier(multiway=True, categorical_features=[0, 1, 2, 3]).fit(X, y)
    core = model.tree_.core
    assert max(np.diff(core.child_begin)) == 3
    path = model.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(core.column >= 0):
        seen = len(np.unique(X[path[:, node], core.column[node]]))
        assert core.child_begin[node + 1] - core.child_begin[node] == seen


@pytest.mark.parametrize("cls", [EnhancedTreeClassifier, ImpurePairsClassifier, BalancedClassifier])
@pytest.mark.parametrize("pruning", ["cost_complexity", "reduced_error", "validation_gain"])
def test_pruning_makes_the_tree_smaller_and_the_seed_decides_it(cls: Any, pruning: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::2, :8], y[::2]
    whole = cls().fit(X, y)
    a, b = (cls(pruning=pruning, random_state=3).fit(X, y) for _ in range(2))
    assert questions(a) == questions(b)
    assert a.tree_.n_leaves < whole.tree_.n_leaves


def test_expensive_mistakes_and_class_weights_change_the_answers() -> None:
    X, y, _ = table(1, n_classes=2)
    parameters: dict[str, Any] = {"max_depth": 1}
    careful = EnhancedTreeClassifier(error_costs=[[0, 20], [1, 0]], **parameters).fit(X, y)
    assert (careful.predict(X) == 0).all()
    heavy = EnhancedTreeClassifier(class_weight={0: 1, 1: 20}, **parameters).fit(X, y)
    assert (heavy.predict(X) == 1).all()
