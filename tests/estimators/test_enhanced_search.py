"""λ found by an enhanced tree: both rules re-computed from scratch, tiny data, limits, progress."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from enhanced_by_hand import questions, table
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from thriftree import EnhancedTreeClassifier, EnhancedTreeRegressor, LimitReachedWarning, TestCosts
from thriftree.learning.growth import Plan, grow, grow_path
from thriftree.learning.holdout import validation_part
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.table.coding import read_codes
from thriftree.tuning.trade_off import GRID, before_the_drop, within_one_error


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
    parameters: dict[str, Any] = {"min_mass": 0.02, "costs": dict.fromkeys(range(5), 2.0)}
    model = cls(trade_off="auto", random_state=0, **{"pruning": None, **parameters}).fit(X, y)
    n_classes = 2 if cls is EnhancedTreeClassifier else 0
    training, held_out = validation_part(
        Sample(read_codes(X), y, None), Plan("gini", n_classes, 0, 0), 0.2, 0
    )
    learnt, measuring = training.codes.rows, held_out.codes.rows
    fits = [cls(trade_off=value, **parameters).fit(X[learnt], y[learnt]) for value in GRID]
    figures = np.array([[measured(fit, X[measuring], y[measuring]) for fit in fits]])
    assert_path(model.trade_off_path_, figures)
    assert model.trade_off_ == GRID[before_the_drop(figures[0, :, 0])]
    assert questions(model) == questions(cls(trade_off=model.trade_off_, **parameters).fit(X, y))


@pytest.mark.parametrize(("cls", "load"), CASES)
@pytest.mark.parametrize("pruning", [None, "cost_complexity"])
def test_cv_takes_the_smallest_within_one_standard_error(cls: Any, load: Any, pruning: str | None) -> None:
    X, y = data(load)
    parameters: dict[str, Any] = {"min_mass": 0.02, "pruning": pruning, "alpha": 0.01}
    splitter = KFold(4, shuffle=True, random_state=1)
    model = cls(trade_off="cv", cv=splitter, **{"pruning": None, **parameters}).fit(X, y)
    figures = np.array(
        [
            [measured(cls(trade_off=v, **parameters).fit(X[train], y[train]), X[test], y[test]) for v in GRID]
            for train, test in splitter.split(X)
        ]
    )
    assert_path(model.trade_off_path_, figures)
    score = figures[:, :, 0]
    error = score.std(axis=0, ddof=1) / 2
    np.testing.assert_allclose(model.trade_off_path_.standard_error, error, rtol=1e-9)
    assert model.trade_off_ == GRID[within_one_error(score.mean(axis=0), error)]


@pytest.mark.parametrize("costs", [None, TestCosts([1.0, 2.0, 5.0, 1.5])], ids=["none", "once"])
@pytest.mark.parametrize("bounds", [{}, {"max_leaves": 7}, {"max_depth": 3, "min_leaf": 2}], ids=str)
def test_the_trees_of_a_path_are_those_grown_one_by_one(costs: Any, bounds: dict[str, int]) -> None:
    for seed in range(4):
        X, y, weight = table(seed)
        rows = Sample(read_codes(X), y.astype(np.int32), weight)
        model = EnhancedTreeClassifier(costs=costs, min_mass=0.02, **bounds)
        model.fit(X, y, sample_weight=weight)
        plan, limits = model._plan(rows), Limits.of(1, None, None)
        for value, grown in zip(GRID, grow_path(rows, plan, limits, GRID), strict=True):
            assert grown.core == grow(rows, replace(plan, trade_off=value), limits).core


def test_positions_in_cv_are_those_of_the_rows_that_came_to_fit() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150)
    weight[::7] = 0
    kept = np.flatnonzero(weight)
    one = EnhancedTreeClassifier(trade_off="cv", cv=list(thirds(np.arange(150) % 3)), pruning=None).fit(
        X, y, weight
    )
    two = EnhancedTreeClassifier(trade_off="cv", cv=list(thirds(kept % 3)), pruning=None).fit(
        X[kept], y[kept]
    )
    np.testing.assert_array_equal(one.trade_off_path_.score, two.trade_off_path_.score)
    assert one.tree_ == two.tree_


def test_positions_in_cv_serve_a_search_and_the_pruning_within_it() -> None:
    X, y = load_iris(return_X_y=True)
    fold = np.arange(150) % 3
    parameters: dict[str, Any] = {"pruning": "cost_complexity", "min_mass": 0.05}
    model = EnhancedTreeClassifier(
        trade_off="cv", cv=list(thirds(fold)), **{"pruning": None, **parameters}
    ).fit(X, y)
    figures = []
    for rows, held in thirds(fold):
        inner = list(thirds(fold[rows]))  # two are left of the three
        trees = [EnhancedTreeClassifier(trade_off=value, cv=inner, **parameters) for value in GRID]
        figures.append([measured(tree.fit(X[rows], y[rows]), X[held], y[held]) for tree in trees])
    assert_path(model.trade_off_path_, np.array(figures))


def thirds(fold: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    return ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold))


def test_a_fold_without_rows_is_named() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="cv: fold 0 has 150 rows to learn from and 0 to measure on"):
        EnhancedTreeClassifier(trade_off="cv", cv=[(np.arange(150), np.array([], dtype=int))]).fit(X, y)


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


def test_a_smaller_trade_off_is_cheaper_where_discrimination_is_expensive() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    costs = [EnhancedTreeClassifier(trade_off=v, min_mass=0.005).fit(X, y).expected_cost_ for v in (inf, 1.0)]
    assert costs[1] < costs[0]


@pytest.mark.parametrize("rule", ["auto", "cv"])
@pytest.mark.parametrize(("cls", "kind"), [(EnhancedTreeClassifier, int), (EnhancedTreeRegressor, float)])
def test_too_few_rows_to_measure_are_told_and_one_is_used(rule: str, cls: Any, kind: type) -> None:
    X = np.array([[0.0], [1.0]])
    with pytest.warns(UserWarning, match=f"trade_off='{rule}' needs held-out rows.*trade_off=1.0 is used"):
        model = cls(trade_off=rule, pruning=None).fit(X, np.array([0, 1], dtype=kind))
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


@pytest.mark.parametrize("cls", [EnhancedTreeClassifier, EnhancedTreeRegressor])
def test_a_tree_whose_trade_off_is_searched_for_is_pruned_by_default(cls: Any) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 4))
    y = (X[:, 0] + random.normal(size=200) > 0).astype(int if cls is EnhancedTreeClassifier else float)

    def fitted(**parameters: Any) -> Any:
        return cls(random_state=0, max_bins=8, **parameters).fit(X, y).tree_.to_dict()["nodes"]

    found = fitted(trade_off="auto")
    assert found == fitted(trade_off="auto", pruning="cost_complexity")
    assert len(found) < len(fitted(trade_off="auto", pruning=None))
    assert fitted(trade_off=3.0) == fitted(trade_off=3.0, pruning=None)
