"""Tables for soft trees, and what is asked of both estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from thriftree import SoftTreeClassifier, SoftTreeRegressor

LEARNERS = [SoftTreeClassifier, SoftTreeRegressor]
BOTH = pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
GATES = pytest.mark.parametrize("gates", ["oblique", "axis"])


def spread(seed, n_rows=200, n_columns=4, numbers=False):
    """A table of distinct numbers, whose target three columns decide."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    score = X[:, 0] - X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n_rows)
    return X, score if numbers else np.digitize(score, [-0.5, 0.7])


def mixed(seed, n_rows=300):
    """A frame with numbers, categories and missing values of both."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue"], n_rows).astype(object)
    size, weight = rng.normal(size=n_rows), rng.normal(size=n_rows)
    y = ((colour == "red") * 2 + size + 0.5 * rng.normal(size=n_rows) > 0.5).astype(int)
    colour[rng.random(n_rows) < 0.2] = None
    size[rng.random(n_rows) < 0.2] = np.nan
    return pd.DataFrame({"colour": colour, "size": size, "weight": weight}), y


def target_of(cls, seed, **options):
    return spread(seed, numbers=cls is SoftTreeRegressor, **options)


def answers(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
