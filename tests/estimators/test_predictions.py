"""What a fitted estimator answers, against plain counting."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from oracles import node_tests as oracles
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, TestCosts, Tree
from thriftree.testing.makers import SmallTable, small_table

CLASSIFIERS = [CARTClassifier, ID3Classifier, C45Classifier]


def fit(cls: Any, table: SmallTable, **params: Any) -> Any:
    model = cls(categorical_features=list(table.categorical), **params)
    return model.fit(table.X, table.y, sample_weight=table.sample_weight)


def mixed_table(seed: int, n_classes: int = 3) -> SmallTable:
    return small_table(
        seed, n_rows=50, n_classes=n_classes, weighted=seed % 2 == 0, missing=seed % 3 > 0, categories=True
    )


@pytest.mark.parametrize("cls", [*CLASSIFIERS, CARTRegressor])
def test_a_row_ends_in_the_leaf_that_the_tests_say(cls: Any) -> None:
    for seed in range(10):
        table = mixed_table(seed, 0 if cls is CARTRegressor else 3)
        model = fit(cls, table)
        reached = oracles.rows_by_node(table.X, model.tree_.core, [c.categories for c in model.tree_.columns])
        leaves = model.apply(table.X)
        for row, leaf in enumerate(leaves):
            assert row in reached[leaf]
            assert model.tree_.core.column[leaf] < 0
        path = model.decision_path(table.X).toarray()
        for node, rows in enumerate(reached):
            assert np.flatnonzero(path[:, node]).tolist() == rows.tolist()


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("smoothing", [0.0, 1.0, 0.5])
def test_probabilities_are_smoothed_shares_of_the_leaf(cls: Any, smoothing: float) -> None:
    table = mixed_table(1)
    model = fit(cls, table, smoothing=smoothing, max_depth=2)
    leaf = model.apply(table.X)
    weight = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
    for row in range(table.n_rows):
        here = leaf == leaf[row]
        sums = np.bincount(table.y[here], weights=weight[here], minlength=3) + smoothing
        np.testing.assert_allclose(
            model.predict_proba(table.X[row : row + 1])[0], sums / sums.sum(), rtol=1e-12
        )
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(table.X), np.log(model.predict_proba(table.X)))


def test_a_regression_leaf_predicts_its_weighted_mean() -> None:
    table = mixed_table(2, 0)
    model = fit(CARTRegressor, table, max_depth=2)
    leaf = model.apply(table.X)
    for row in range(table.n_rows):
        here = leaf == leaf[row]
        mean = np.average(
            table.y[here], weights=None if table.sample_weight is None else table.sample_weight[here]
        )
        assert model.predict(table.X[row : row + 1])[0] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("cls", [*CLASSIFIERS, CARTRegressor])
def test_without_prices_a_row_pays_one_a_test(cls: Any) -> None:
    for seed in range(6):
        table = mixed_table(seed, 0 if cls is CARTRegressor else 3)
        model = fit(cls, table)
        paid = model.predict_cost(table.X)
        assert paid.tolist() == (np.asarray(model.decision_path(table.X).sum(axis=1)).ravel() - 1).tolist()
        assert model.expected_cost_ == pytest.approx(np.average(paid, weights=table.sample_weight), rel=1e-12)
        assert model.worst_case_cost_ == model.tree_.depth


def test_a_feature_measured_twice_is_paid_once() -> None:
    X = np.arange(8.0).reshape(-1, 1)
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    model = CARTClassifier(costs=TestCosts([5.0])).fit(X, y)
    assert model.tree_.depth > 1
    assert set(model.predict_cost(X)) == {5.0}
    assert model.expected_cost_ == model.worst_case_cost_ == 5.0
    each = CARTClassifier(costs=TestCosts([5.0], pay="each")).fit(X, y)
    assert each.worst_case_cost_ == 5.0 * each.tree_.depth


def test_prices_may_be_a_plain_dict_of_column_names() -> None:
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "scan": [0.0, 1.0, 0.0, 1.0]})
    model = CARTClassifier(costs={"age": 1.0, "scan": 100.0}).fit(X, [0, 1, 0, 1])
    assert model.worst_case_cost_ == 100.0
    assert model.predict_cost(X).tolist() == [100.0] * 4


def test_the_expected_cost_covers_rows_that_only_validated() -> None:
    table = mixed_table(3)
    model = fit(CARTClassifier, table, pruning="reduced_error", random_state=0)
    paid = model.predict_cost(table.X)
    assert model.expected_cost_ == pytest.approx(np.average(paid, weights=table.sample_weight), rel=1e-12)


def test_frames_of_every_library_give_the_same_tree() -> None:
    data = {"colour": ["red", "blue", None, "red", "green", "blue"] * 4, "size": list(np.arange(24.0) % 7)}
    y = [0, 1, 1, 0, 2, 1] * 4
    frames = [pd.DataFrame(data), pl.DataFrame(data), pa.table(data)]
    for cls in CLASSIFIERS:
        models = [cls().fit(frame, y) for frame in frames]
        texts = {model.tree_.to_json() for model in models}
        assert len(texts) == 1
        for model, frame in zip(models, frames, strict=True):
            assert model.feature_names_in_.tolist() == ["colour", "size"]
            assert model.predict(frame).tolist() == models[0].predict(frames[0]).tolist()


def test_importances_are_the_decrease_that_each_column_brought() -> None:
    for seed in range(6):
        table = mixed_table(seed)
        model = fit(CARTClassifier, table)
        weight = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
        everything = oracles.Node(table.X, table.y, weight, 3)
        reached = oracles.rows_by_node(table.X, model.tree_.core, [c.categories for c in model.tree_.columns])
        total = np.zeros(table.X.shape[1])
        core = model.tree_.core
        for node, rows in enumerate(reached):
            if core.column[node] < 0:
                continue
            here = oracles.part(everything, np.isin(np.arange(table.n_rows), rows))
            children = core.children[core.child_begin[node] : core.child_begin[node + 1]]
            branch = np.array([next(v for v, c in enumerate(children) if row in reached[c]) for row in rows])
            total[core.column[node]] += here.weight.sum() * oracles.gain(here, branch, "gini")
        np.testing.assert_allclose(model.feature_importances_, total / total.sum(), atol=1e-9)


def test_sample_weights_are_routed() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = CARTClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), model)
        if hasattr(pipeline, "set_score_request"):  # before scikit-learn 1.7 a pipeline asks for itself
            pipeline.set_score_request(sample_weight=True)
        fitted = cross_validate(pipeline, X, y, params={"sample_weight": weight}, return_estimator=True, cv=3)
    for estimator in fitted["estimator"]:
        assert estimator[-1].classes_.tolist() == [1, 2]


def test_importing_the_package_is_light() -> None:
    code = "import sys, thriftree; print([m for m in ('sklearn', 'pandas', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("later", [["x", "y", None, "x"], [1.5, 2.0, None, 3.0], [True, False, None, True]])
def test_a_column_without_a_known_value_may_be_anything_at_prediction(frame: Any, later: list[Any]) -> None:
    km = [1.0, 2.0, 3.0, 4.0]
    model = CARTClassifier().fit(frame({"note": [None] * 4, "km": km}), [0, 0, 1, 1])
    again = Tree.from_json(model.tree_.to_json())
    table = frame({"note": later, "km": km})
    assert model.predict(table).tolist() == again.predict(table).tolist() == [0, 0, 1, 1]


def test_boosting_may_give_rows_next_to_no_weight() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(CARTClassifier(max_depth=3), n_estimators=60, random_state=0).fit(X, y)
    assert len(model.estimators_) == 60
    assert model.score(X, y) == 1.0
