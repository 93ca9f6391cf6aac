"""Estimators fitted on the heart table, each once, and the way through a file and back."""

from __future__ import annotations

import functools
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thriftree
from thriftree.datasets import heart_prices, load_heart

sys.path.insert(0, str(Path(__file__).parent))  # for sameness.py, under any import mode

#: Settings under which more attributes are set than by default, and the trees stay small.
SETTINGS: dict[str, dict[str, Any]] = {
    "CARTClassifier": {"pruning": "cost_complexity", "random_state": 0, "max_depth": 4},
    "EnhancedTreeClassifier": {"trade_off": "auto", "random_state": 0, "max_leaves": 9},
    "EnhancedTreeRegressor": {"trade_off": "cv", "random_state": 0, "max_leaves": 9},
    "MSIClassifier": {},
    "OptimalTreeClassifier": {"max_depth": 3, "cv": 2, "random_state": 0},
    "OptimalTreeRegressor": {"max_depth": 2, "cv": 2, "random_state": 0},
    "QUESTClassifier": {"max_depth": 3, "random_state": 0},
    "ThriftTreeClassifier": {"cv": 2, "repeats": 1, "random_state": 0, "budget": 120},
    "ThriftTreeRegressor": {"cv": 2, "repeats": 1, "random_state": 0},
    "WorstCaseTreeClassifier": {"impurity": "search", "certificate": True, "max_leaves": 9},
}


@functools.cache
def fit_on_heart(cls: Any) -> Any:
    """The estimator with prices on the heart table."""
    X, y = load_heart()
    X, y = X[:150], y[:150]
    target = y if cls.__name__.endswith("Classifier") else (y == "present").astype(float)
    parameters = SETTINGS.get(cls.__name__, {"max_depth": 4})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(costs=heart_prices(), **parameters).fit(X, target)


@pytest.fixture(scope="session")
def on_heart() -> Callable[[Any], Any]:
    return fit_on_heart


@pytest.fixture
def through_file(tmp_path: Path) -> Callable[[Any], Any]:
    """Saves and loads."""

    def way(model: Any) -> Any:
        model.save(tmp_path / "model.json")
        return thriftree.load(tmp_path / "model.json")

    return way


@pytest.fixture
def document_of(tmp_path: Path) -> Callable[[Any], dict[str, Any]]:
    """The document that `save` writes."""

    def saved(model: Any) -> dict[str, Any]:
        model.save(tmp_path / "document.json")
        document: dict[str, Any] = json.loads((tmp_path / "document.json").read_text(encoding="ascii"))
        return document

    return saved
