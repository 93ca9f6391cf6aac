"""Enhanced trees: every test is the best by the formulas, and the promises of the docstrings hold."""

from __future__ import annotations

import pickle
from math import inf
from typing import Any

import enhanced_by_hand as by_hand
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from thriftree import (
    BalancedClassifier,
    CARTClassifier,
    EnhancedTreeClassifier,
    EnhancedTreeRegressor,
    ImpurePairsClassifier,
    LimitReachedWarning,
    TestCosts,
)
from thriftree.estimators.growth import Plan, Rows
from thriftree.estimators.holdout import validation_part
from thriftree.estimators.targets import quantile_bins
from thriftree.estimators.trade_off import GRID, before_the_drop, within_one_error

PRICES = TestCosts([1.0, 2.0, 5.0, 1.5], pay="each")


def table(seed: int, n_rows: int = 60, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Few values, so that many rows are equal and some of those have different classes."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, size=(n_rows, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + random.integers(0, 2, size=n_rows)).astype(int) % n_classes
    return X, y, random.integers(1, 6, size=n_rows) / 4


def questions(model: Any) -> list[Any]:
    core = model.tree_.core
    return [array.tolist() for array in (core.column, core.keys, core.children)]


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
            if not weighted:
                return by_hand.pairs(objects.group)
            mass = np.bincount(objects.group, objects.p)
            return float((mass.sum() ** 2 - (mass**2).sum()) / 2)

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
        words: dict[str, Any] = {"impurity": impurity, "costs": costs, "min_mass": 0.02}
        enhanced = EnhancedTreeClassifier(trade_off=inf, **words).fit(X, y, sample_weight=weight)
        cart = CARTClassifier(cost_benefit=True, **words)
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
    words: dict[str, Any] = {"trade_off": trade_off}
    reading = EnhancedTreeClassifier(costs=TestCosts(prices), **words).fit(X, codes % 2)
    assert reading.worst_case_cost_ == 100.0
    asking = EnhancedTreeClassifier(costs=TestCosts(prices, read=False), **words).fit(X, codes % 2)
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


def test_dear_mistakes_and_class_weights_change_the_answers() -> None:
    X, y, _ = table(1, n_classes=2)
    words: dict[str, Any] = {"max_depth": 1}
    careful = EnhancedTreeClassifier(error_costs=[[0, 20], [1, 0]], **words).fit(X, y)
    assert (careful.predict(X) == 0).all()
    heavy = EnhancedTreeClassifier(class_weight={0: 1, 1: 20}, **words).fit(X, y)
    assert (heavy.predict(X) == 1).all()


def measured(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float, int]:
    """AUC or R², mean price and leaves of a fitted model on other rows, by scikit-learn."""
    if hasattr(model, "classes_"):
        share = model.predict_proba(X)
        known = [k for k, label in enumerate(model.classes_) if 0 < (y == label).sum() < len(y)]
        score = np.mean([roc_auc_score(y == model.classes_[k], share[:, k]) for k in known])
    else:
        score = r2_score(y, model.predict(X))
    return float(score), float(model.predict_cost(X).mean()), model.tree_.n_leaves


def assert_path(path: Any, figures: np.ndarray) -> None:
    """`figures[part, λ]` are score, price and leaves."""
    assert path.trade_off.tolist() == list(GRID)
    np.testing.assert_allclose(path.score, figures[:, :, 0].mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(path.expected_cost, figures[:, :, 1].mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(path.n_leaves, figures[:, :, 2].mean(axis=0), rtol=1e-9)


CASES = [(EnhancedTreeClassifier, load_breast_cancer), (EnhancedTreeRegressor, load_diabetes)]


def data(load: Any) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(return_X_y=True)
    if load is load_diabetes:  # every part has the extremes, so that λ means the same in all
        y = np.clip(y, 80.0, 250.0)
    return X[:200, :5], y[:200]


@pytest.mark.parametrize(("cls", "load"), CASES)
def test_auto_is_the_papers_rule_on_a_validation_part_and_learns_from_all_rows(cls: Any, load: Any) -> None:
    X, y = data(load)
    words: dict[str, Any] = {"min_mass": 0.02, "costs": dict.fromkeys(range(5), 2.0)}
    model = cls(trade_off="auto", random_state=0, **words).fit(X, y)
    n_classes = 2 if cls is EnhancedTreeClassifier else 0
    training, held_out = validation_part(Rows(X, y, None), Plan("gini", n_classes, 0, 0), 0.2, 0)
    fits = [cls(trade_off=value, **words).fit(training.X, training.y) for value in GRID]
    figures = np.array([[measured(fit, held_out.X, held_out.y) for fit in fits]])
    assert_path(model.trade_off_path_, figures)
    assert model.trade_off_ == GRID[before_the_drop(figures[0, :, 0])]
    assert questions(model) == questions(cls(trade_off=model.trade_off_, **words).fit(X, y))


@pytest.mark.parametrize(("cls", "load"), CASES)
@pytest.mark.parametrize("pruning", [None, "cost_complexity"])
def test_cv_takes_the_smallest_within_one_standard_error(cls: Any, load: Any, pruning: str | None) -> None:
    X, y = data(load)
    words: dict[str, Any] = {"min_mass": 0.02, "pruning": pruning, "alpha": 0.01}
    splitter = KFold(4, shuffle=True, random_state=1)
    model = cls(trade_off="cv", cv=splitter, **words).fit(X, y)
    figures = np.array(
        [
            [measured(cls(trade_off=v, **words).fit(X[train], y[train]), X[test], y[test]) for v in GRID]
            for train, test in splitter.split(X)
        ]
    )
    assert_path(model.trade_off_path_, figures)
    score = figures[:, :, 0]
    error = score.std(axis=0, ddof=1) / 2
    np.testing.assert_allclose(model.trade_off_path_.standard_error, error, rtol=1e-9)
    assert model.trade_off_ == GRID[within_one_error(score.mean(axis=0), error)]


@pytest.mark.parametrize("rule", ["auto", "cv"])
def test_the_search_does_not_depend_on_threads_and_survives_a_pickle(rule: str) -> None:
    X, y = load_iris(return_X_y=True)
    one, two = (EnhancedTreeClassifier(trade_off=rule, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    again = pickle.loads(pickle.dumps(two))
    for model in (two, again):
        assert one.tree_ == model.tree_
        assert one.trade_off_ == model.trade_off_
        for name, column in one.trade_off_path_.items():
            assert column.tolist() == model.trade_off_path_[name].tolist()


def test_a_smaller_trade_off_is_cheaper_where_discrimination_is_dear() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    costs = [EnhancedTreeClassifier(trade_off=v, min_mass=0.005).fit(X, y).expected_cost_ for v in (inf, 1.0)]
    assert costs[1] < costs[0]


@pytest.mark.parametrize("rule", ["auto", "cv"])
@pytest.mark.parametrize(("cls", "kind"), [(EnhancedTreeClassifier, int), (EnhancedTreeRegressor, float)])
def test_too_few_rows_to_measure_are_told_and_one_is_used(rule: str, cls: Any, kind: type) -> None:
    X = np.array([[0.0], [1.0]])
    with pytest.warns(UserWarning, match=f"trade_off='{rule}' needs held-out rows.*trade_off=1.0 is used"):
        model = cls(trade_off=rule).fit(X, np.array([0, 1], dtype=kind))
    assert (model.trade_off_, model.trade_off_path_) == (1.0, None)
    assert model.predict(X).tolist() == [0, 1]


@pytest.mark.parametrize("rule", ["auto", "cv"])
@pytest.mark.parametrize("n_rows", [1, 2, 7])
def test_a_target_of_one_value_needs_no_trade_off(rule: str, n_rows: int) -> None:
    for cls in (EnhancedTreeClassifier, EnhancedTreeRegressor):
        model = cls(trade_off=rule).fit(np.arange(n_rows)[:, None], np.ones(n_rows))
        assert (model.trade_off_, model.tree_.n_leaves) == (1.0, 1)


@pytest.mark.parametrize("rule", ["auto", "cv"])
def test_a_class_with_one_member_is_left_out_of_the_score_where_it_has_no_row(rule: str) -> None:
    X, y = load_iris(return_X_y=True)
    y = np.append(y[1:], 7)
    model = EnhancedTreeClassifier(trade_off=rule, random_state=0).fit(X, y)
    assert np.isfinite(model.trade_off_path_.score).all()


@pytest.mark.parametrize("rule", ["auto", "cv"])
def test_a_search_out_of_time_says_so(rule: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(LimitReachedWarning, match="time_limit_s"):
        model = EnhancedTreeClassifier(trade_off=rule, time_limit_s=0.0).fit(X, y)
    assert (model.stopped_by_, model.trade_off_, model.trade_off_path_) == ("time_limit", 1.0, None)


def test_a_fit_with_a_number_forgets_the_path_of_an_earlier_one() -> None:
    X, y = load_iris(return_X_y=True)
    model = EnhancedTreeClassifier(trade_off="auto", random_state=0).fit(X, y)
    assert model.trade_off_path_ is not None
    model.set_params(trade_off=3).fit(X, y)
    assert (model.trade_off_, model.trade_off_path_) == (3.0, None)


def test_the_pruning_path_is_that_of_the_tree_that_fit_would_prune() -> None:
    X, y = load_iris(return_X_y=True)
    auto = EnhancedTreeClassifier(trade_off="auto", random_state=0)
    path = auto.cost_complexity_pruning_path(X, y)
    assert not hasattr(auto, "trade_off_")
    chosen = auto.fit(X, y).trade_off_
    by_number = EnhancedTreeClassifier(trade_off=chosen).cost_complexity_pruning_path(X, y)
    np.testing.assert_array_equal(path.ccp_alphas, by_number.ccp_alphas)


@pytest.mark.parametrize("theta", [-0.1, 1.1])
def test_a_mass_that_is_no_share_is_refused(theta: float) -> None:
    with pytest.raises(ValueError, match="'min_mass' parameter"):
        EnhancedTreeClassifier(min_mass=theta).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("value", [-1.0, float("nan"), "best", None])
def test_a_trade_off_that_means_nothing_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"'trade_off' parameter .* must be"):
        EnhancedTreeClassifier(trade_off=value).fit([[0], [1]], [0, 1])


def test_the_steps_of_a_search_are_told_to_callbacks() -> None:
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
    told: list[str] = []

    class Listener:
        def setup(self, estimator: Any, context: Any) -> None:
            told.append("setup")

        def teardown(self, estimator: Any, context: Any) -> None:
            told.append("teardown")

        def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
            told.append(f"{context.task_name} of {context.max_subtasks}")

        def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> None:
            told.append(f"{context.task_name} done")
            assert (context.task_name == "fit") == (fitted_estimator is not None)

    X, y = load_iris(return_X_y=True)
    model = EnhancedTreeClassifier(trade_off="cv", cv=StratifiedKFold(2)).set_callbacks(Listener())
    model.fit(X, y)
    one = ["trade_off path of 0", "trade_off path done"]
    assert told == [
        "setup",
        "fit of None",
        *one,
        *one,
        "grow of 0",
        "grow done",
        "fit done",
        "teardown",
    ]
