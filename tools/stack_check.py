"""Fit, save, load and predict through what people put around an estimator; each answer must stay the same.

    python tools/stack_check.py

Pipelines, meta-estimators and searches of scikit-learn; joblib, pickle, cloudpickle, skops, and MLflow in its
default format. Prints a line for each; exit code 1 if one fails. The extra `full` brings what is needed.
"""

from __future__ import annotations

import io
import pickle
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cloudpickle
import joblib  # type: ignore[import-untyped]
import mlflow.sklearn
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import skops.io
from sklearn.base import is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    NeuralTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    SoftTreeClassifier,
    ThriftTreeClassifier,
)
from thriftree.datasets import heart_prices, load_heart
from thriftree.testing.checks import all_estimators, neural_estimators, soft_estimators

NUMBERS = ["age", "resting_blood_pressure", "cholesterol", "max_heart_rate", "st_depression"]
LABELS = ["sex", "chest_pain", "st_slope"]
DATES = ["born", "seen", "seen_in_berlin", "waited"]


def learners() -> dict[str, Any]:
    """What is fitted, by name; each takes the columns NUMBERS and LABELS of `table` as a pandas frame."""
    tree, soft = CARTClassifier(max_leaves=6), SoftTreeClassifier(max_depth=2, max_iter=20)
    dense = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    columns = make_column_transformer((dense, LABELS), (StandardScaler(), NUMBERS))
    numbers = make_column_transformer((dense, LABELS), remainder="passthrough")
    # The encoder's own default; all else left out, what comes of it is a sparse matrix.
    sparse = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), LABELS), sparse_threshold=1.0)
    return {
        "tree": tree,
        "tree with prices": CARTClassifier(max_leaves=6, costs=_prices(), cost_benefit=True),
        "ThriftTree": ThriftTreeClassifier(cv=2, repeats=1, random_state=0),
        "linear leaves": CARTRegressor(max_leaves=4, leaves="linear"),
        "Pipeline, linear leaves": make_pipeline(columns, CARTRegressor(max_leaves=4, leaves="linear")),
        "optimal tree with prices": OptimalTreeClassifier(max_depth=2, costs=_prices(), price_weight=0.001),
        "Pipeline, sparse, optimal tree": make_pipeline(sparse, OptimalTreeClassifier(max_depth=2)),
        "GridSearchCV, optimal tree": GridSearchCV(OptimalTreeRegressor(), {"max_depth": [1, 2]}, cv=3),
        "soft tree": soft,
        "soft tree, linear leaves": SoftTreeClassifier(max_depth=2, max_iter=20, leaves="linear"),
        "Pipeline, neural tree": make_pipeline(columns, NeuralTreeClassifier(max_epochs=3, random_state=0)),
        "soft tree with prices": SoftTreeClassifier(max_iter=20, costs=_prices(), price_weight=0.001),
        "Pipeline, soft tree": make_pipeline(columns, soft),
        "Pipeline, sparse, soft tree": make_pipeline(sparse, soft),
        "GridSearchCV, soft tree": GridSearchCV(soft, {"max_depth": [1, 2]}, cv=3),
        "CalibratedClassifierCV, soft": CalibratedClassifierCV(soft, cv=3),
        "BaggingClassifier, soft tree": make_pipeline(
            numbers, BaggingClassifier(soft, n_estimators=3, random_state=0)
        ),
        "AdaBoostClassifier, soft tree": make_pipeline(
            numbers, AdaBoostClassifier(soft, n_estimators=3, random_state=0)
        ),
        "Pipeline, OneHotEncoder": make_pipeline(numbers, tree),
        "Pipeline, ColumnTransformer": make_pipeline(columns, tree),
        "Pipeline, sparse": make_pipeline(sparse, tree),
        "GridSearchCV": GridSearchCV(tree, {"max_leaves": [3, 6]}, cv=3),
        "GridSearchCV, sparse": GridSearchCV(
            make_pipeline(sparse, tree), {"cartclassifier__max_leaves": [3, 6]}, cv=3
        ),
        "CalibratedClassifierCV": CalibratedClassifierCV(tree, cv=3),
        "CalibratedClassifierCV, sparse": CalibratedClassifierCV(make_pipeline(sparse, tree), cv=3),
        "BaggingClassifier, sparse": make_pipeline(
            sparse, BaggingClassifier(tree, n_estimators=3, random_state=0)
        ),
        "AdaBoostClassifier, sparse": make_pipeline(
            sparse, AdaBoostClassifier(tree, n_estimators=3, random_state=0)
        ),
        "BaggingClassifier": make_pipeline(numbers, BaggingClassifier(tree, n_estimators=3, random_state=0)),
        "AdaBoostClassifier": make_pipeline(
            numbers, AdaBoostClassifier(tree, n_estimators=3, random_state=0)
        ),
    }


def every_learner() -> dict[str, Any]:
    """Every estimator as it is, but small and quick."""
    quick: dict[str, Any] = {
        "cv": 2,
        "repeats": 1,
        "max_depth": 2,
        "max_iter": 20,
        "max_epochs": 3,
        "random_state": 0,
    }
    quick |= {"time_limit_s": None}
    made = {}
    for kind in (*all_estimators(), *soft_estimators(), *neural_estimators()):
        known = kind._get_param_names()
        made[kind.__name__] = kind(**{name: value for name, value in quick.items() if name in known})
    return made


def dated_learners() -> dict[str, Any]:
    """What is fitted to the columns DATES of `table` beside the others."""
    tree = CARTClassifier(max_leaves=12)
    return {
        "tree, dates": tree,
        "soft tree, dates": SoftTreeClassifier(max_depth=2, max_iter=20),
        "ThriftTree, dates": ThriftTreeClassifier(cv=2, repeats=1, random_state=0),
        "Pipeline, dates": make_pipeline(make_column_transformer(("passthrough", DATES)), tree),
        "GridSearchCV, dates": GridSearchCV(tree, {"max_leaves": [3, 6]}, cv=3),
        "CalibratedClassifierCV, dates": CalibratedClassifierCV(tree, cv=3),
    }


def table() -> tuple[Any, Any]:
    """The heart table with dates that go by its numbers, and the answers."""
    X, y = load_heart(as_frame="pandas")
    X = X[[*NUMBERS, *LABELS]].copy()
    days = pd.Timestamp("2020-01-01") - pd.to_timedelta(X["age"] * 365, unit="D")
    X["born"] = days.dt.date
    X["seen"] = days + pd.to_timedelta(X["cholesterol"], unit="s")
    X["seen_in_berlin"] = X["seen"].dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    X["waited"] = pd.to_timedelta(X["max_heart_rate"], unit="min")
    return X, y


def _prices() -> Any:
    known = heart_prices().prices
    return {name: known[name] for name in (*NUMBERS, *LABELS)}


def _by_skops(model: Any) -> Any:
    content = skops.io.dumps(model)
    return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))


def _by_joblib(model: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def _by_mlflow(model: Any) -> Any:
    """In MLflow's own format; it saves no type that it was not told to trust."""
    trusted = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        mlflow.sklearn.save_model(model, path, skops_trusted_types=trusted)
        return mlflow.sklearn.load_model(path)


WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "joblib": _by_joblib,
    "cloudpickle": lambda model: cloudpickle.loads(cloudpickle.dumps(model)),
    "skops": _by_skops,
    "MLflow": _by_mlflow,
}


def check(model: Any, way: Callable[[Any], Any], X: Any) -> str | None:
    """What is wrong with the model that comes back; None: nothing."""
    back = way(model)
    if not np.array_equal(back.predict(X), model.predict(X)):
        return "other labels"
    if not hasattr(model, "predict_proba"):
        return None
    return None if np.array_equal(back.predict_proba(X), model.predict_proba(X)) else "other probabilities"


def main() -> int:
    """Exit code 0 if every model comes back as it was by every way."""
    X, y = table()
    plain = X[[*NUMBERS, *LABELS]]
    fits = [(name, learner, plain) for name, learner in learners().items()]
    fits += [(name, learner, plain) for name, learner in every_learner().items()]
    fits += [(name, learner, X[[*DATES, "sex"]]) for name, learner in dated_learners().items()]
    failed = 0
    for name, learner, rows in fits:
        target = X["max_heart_rate"].to_numpy(float) if is_regressor(learner) else y
        model = learner.fit(rows[:200], target[:200])
        for way, there_and_back in WAYS.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of MLflow, about environments
                    problem = check(model, there_and_back, rows[200:])
            except Exception:  # whatever these libraries raise is what is reported
                problem = traceback.format_exc()
            failed += problem is not None
            print(f"{name:30} {way:12} {'ok' if problem is None else f'FAILED: {problem}'}")
    print(f"{len(fits) * len(WAYS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
