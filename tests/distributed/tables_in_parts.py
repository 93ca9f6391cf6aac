"""Tables, and ways to divide their rows into parts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from thoroughness import FULL

from thriftree.distributed.parts import TablePart

#: The engines that shared tests run on, see conftest.py: all but the first in the full run only.
ENGINE_NAMES = ["local", "spilled", "files", "dask"] if FULL else ["local"]
#: Where parts begin, as shares of the rows or as numbers of rows from the end.
DIVISIONS: dict[str, list[int]] = {
    "one": [],
    "two": [70],
    "seven": [20, 40, 60, 80, 100, 120],
    "empty ones": [0, 50, 50, 150],
    "one row": [1, 2, 149],
    "skewed": [3, 140],
}


def people(n: int = 150, seed: int = 5) -> tuple[pd.DataFrame, Any, Any]:
    """Numbers, categories, ordered ones and missing values, in which many rows have an equal one."""
    random = np.random.default_rng(seed)
    m = 2 * n // 3
    X = pd.DataFrame(
        {
            "a": random.normal(size=m).round(1),
            "b": random.integers(0, 5, m) * 1.0,
            "c": random.choice(list("uvwx"), m),
            "d": pd.Categorical(random.choice(["S", "M", "L"], m), ["S", "M", "L", "XL"], ordered=True),
            "e": random.integers(-3, 4, m).astype(np.int16),
        }
    )
    label = (X["a"] > 0.3).astype(int) + (X["b"] > 2) + (X["c"] > "v") * (X["e"] > 0)
    label = np.where(random.random(m) < 0.15, random.integers(0, 3, m), label % 3)
    number = (2 * X["a"] + X["b"] * (X["c"] == "u") + random.normal(size=m).round(2)).to_numpy()
    X.loc[random.random(m) < 0.08, "b"] = np.nan
    X.loc[random.random(m) < 0.08, "c"] = None
    again = np.append(np.arange(m), random.integers(0, m, n - m))
    return X.iloc[again].reset_index(drop=True), np.array(list("ABC"))[label[again]], number[again]


def divided(X: Any, y: Any, weight: Any, begins: list[int]) -> list[TablePart]:
    """The rows in parts that begin at 0 and at these rows."""
    n = len(y)
    bounds = [0, *(min(begin, n) for begin in begins), n]
    take = (lambda i, j: X.iloc[i:j]) if hasattr(X, "iloc") else (lambda i, j: X[i:j])
    return [
        TablePart(take(i, j), y[i:j], None if weight is None else weight[i:j]) for i, j in pairwise(bounds)
    ]


def content(model: Any) -> dict[str, Any]:
    """All that a fit says of its tree, but for how it was learnt."""
    document = model.tree_.to_dict()
    document.pop("settings", None)
    return document | {
        "expected": model.expected_cost_,
        "importances": model.feature_importances_.tolist(),
        "columns": model.n_features_in_,
        "names": model.feature_names_in_.tolist() if hasattr(model, "feature_names_in_") else None,
        "classes": model.classes_.tolist() if hasattr(model, "classes_") else None,
    }
