"""`shrinkage` of every estimator: a number, None, or "cv"; labels stay, limits and Ctrl-C are kept."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    MSIClassifier,
    OptimalTreeClassifier,
    ThriftTreeClassifier,
    ThriftTreeRegressor,
)
from thriftree.document.shrinkage import UNMEASURED
from thriftree.learning.limits import LimitReachedWarning
from thriftree.testing.checks import all_estimators
from thriftree.tuning import shrinkage as tuning
from thriftree.tuning.shrinkage import GRID

HARD = [cls for cls in all_estimators() if not cls.__name__.startswith(("Soft", "Neural"))]
QUICK = {"cv": 2, "repeats": 1, "leaf_penalty": 0.02, "lookahead": 1, "random_state": 0, "max_leaves": 12}


def table(seed: int = 0, n_rows: int = 150) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    return X, np.where(rng.random(n_rows) < 0.75, (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.8), 0)


def quick(cls: Any, **parameters: Any) -> Any:
    known = cls().get_params()
    return cls(**{name: value for name, value in QUICK.items() if name in known}, **parameters)


def test_every_hard_tree_has_the_parameter_and_thrift_trees_shrink_by_ten() -> None:
    defaults = {cls.__name__: cls().get_params()["shrinkage"] for cls in HARD}
    assert len(defaults) > 10
    shrunk = {name: value for name, value in defaults.items() if value is not None}
    assert shrunk == {"ThriftTreeClassifier": 10.0, "ThriftTreeRegressor": 10.0}


@pytest.mark.parametrize("cls", HARD, ids=lambda cls: cls.__name__)
def test_a_number_shrinks_the_finished_tree(cls: Any) -> None:
    X, y = table()
    raw, model = (quick(cls, shrinkage=given).fit(X, y) for given in (None, 5))
    assert model.shrinkage_ == model.tree_.shrinkage == 5
    assert raw.shrinkage_ is None
    assert model.tree_ == raw.tree_.with_shrinkage(5)
    assert (model.tree_.core.value == raw.tree_.core.value).all()
    if is_classifier(model):
        assert (model.predict(X) == raw.predict(X)).all()
        assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()
        assert (model.predict_proba(X) != raw.predict_proba(X)).any()
    else:
        assert (model.predict(X) != raw.predict(X)).any()


@pytest.mark.parametrize("cls", HARD, ids=lambda cls: cls.__name__)
def test_folds_choose_from_the_grid(cls: Any) -> None:
    X, y = table(1, 90)
    model = quick(cls, shrinkage="cv").fit(X, y)
    assert (model.shrinkage_ or 0.0) in GRID
    raw = quick(cls, shrinkage=None).fit(X, y)
    assert model.tree_ == raw.tree_.with_shrinkage(model.shrinkage_)
    assert model.stopped_by_ is None


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "auto"])
def test_what_is_no_shrinkage_is_refused_by_name(wrong: Any) -> None:
    X, y = table()
    with pytest.raises(ValueError, match="'shrinkage' parameter"):
        CARTClassifier(shrinkage=wrong).fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_the_chosen_strength_has_the_least_log_loss_on_the_folds(seed: int) -> None:
    X, y = table(seed, 240)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    folds = list(KFold(4, shuffle=True, random_state=seed).split(X))
    losses = np.zeros(len(GRID))
    for training, held_out in folds:
        tree = CARTClassifier(min_leaf=4).fit(X[training], y[training], weight[training])
        for i, strength in enumerate(GRID):
            said = tree.tree_.with_shrinkage(strength).predict_proba(X[held_out])
            losses[i] += log_loss(y[held_out], said, labels=tree.classes_, sample_weight=weight[held_out])
    model = CARTClassifier(min_leaf=4, cv=folds, shrinkage="cv").fit(X, y, weight)
    assert (model.shrinkage_ or 0.0) == GRID[int(losses.argmin())]


@pytest.mark.parametrize("seed", range(3))
def test_the_chosen_strength_has_the_least_squared_error_on_the_folds(seed: int) -> None:
    X, y = table(seed, 240)
    folds = list(KFold(4, shuffle=True, random_state=seed).split(X))
    losses = np.zeros(len(GRID))
    for training, held_out in folds:
        tree = CARTRegressor(min_leaf=3).fit(X[training], y[training]).tree_
        for i, strength in enumerate(GRID):
            losses[i] += np.mean((tree.with_shrinkage(strength).predict(X[held_out]) - y[held_out]) ** 2)
    model = CARTRegressor(min_leaf=3, cv=folds, shrinkage="cv").fit(X, y)
    assert (model.shrinkage_ or 0.0) == GRID[int(losses.argmin())]


def test_one_tree_a_fold_is_grown_and_what_fit_found_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(2)
    plans = []
    whole = tuning._losses

    def counted(grown: Any, *rest: Any) -> Any:
        plans.append(grown)
        return whole(grown, *rest)

    monkeypatch.setattr(tuning, "_losses", counted)
    model = CARTClassifier(pruning="cost_complexity", cv=3, random_state=0, shrinkage="cv").fit(X, y)
    assert len(plans) == 3
    assert {grown.alpha for grown in plans} == {model.alpha_}


@pytest.mark.parametrize("metric", ["accuracy", "auc"])
def test_thrift_trees_are_chosen_without_shrinkage(metric: Any) -> None:
    X, y = table(4)
    models = [
        ThriftTreeClassifier(metric=metric, cv=3, repeats=1, random_state=0, shrinkage=given).fit(X, y)
        for given in (None, 10.0, 100.0, "cv")
    ]
    assert all(model.tree_.with_shrinkage(None) == models[0].tree_ for model in models)
    assert all(model.cv_results_ == models[0].cv_results_ for model in models)


@pytest.mark.parametrize("cls", [CARTClassifier, ThriftTreeRegressor, MSIClassifier, OptimalTreeClassifier])
def test_without_time_the_strength_is_the_default_and_the_limit_is_named(cls: Any) -> None:
    X, y = table()
    with pytest.warns(LimitReachedWarning):
        model = quick(cls, shrinkage="cv", time_limit_s=0).fit(X, y)
    assert model.shrinkage_ == UNMEASURED
    assert model.stopped_by_ == "time_limit"


@pytest.mark.parametrize("cls", [CARTClassifier, ThriftTreeClassifier, MSIClassifier, OptimalTreeClassifier])
@pytest.mark.parametrize("fold", [0, 1])
def test_an_interrupt_among_the_folds_leaves_the_tree(
    cls: Any, fold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table()
    done = []

    def interrupted(*given: Any) -> Any:
        done.append(given)
        if len(done) > fold:
            raise KeyboardInterrupt
        return np.arange(len(GRID), 0, -1.0)

    monkeypatch.setattr(tuning, "_losses", interrupted)
    model = quick(cls, shrinkage="cv")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stopped_by_ == "interrupt"
    assert model.shrinkage_ == (GRID[-1] if fold else UNMEASURED)
    raw = quick(cls, shrinkage=None).fit(X, y)
    assert model.tree_.with_shrinkage(None) == raw.tree_


def test_a_single_row_and_a_single_class_can_be_fitted() -> None:
    for X, y in (([[1.0]], ["a"]), ([[1.0], [2.0], [3.0]], ["a", "a", "a"])):
        for given in (3.0, "cv"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                model = CARTClassifier(shrinkage=given).fit(X, y)
            assert model.predict_proba(X).tolist() == [[1.0]] * len(y)
