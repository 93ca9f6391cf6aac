"""The recommended classifier, which tunes itself, against a search over scikit-learn's pruning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.data import Array
from benchmarks.measurement import Lines, Measurement, faster
from thriftree import ThriftTreeClassifier

TITLE = "ThriftTreeClassifier, default parameters, one thread"
ROWS = 30_000
N_ALPHAS = 10
CATEGORIES = (9, 16, 7, 15, 6, 5, 2, 42)  # of each column, about as in the table "adult"
LOWER_ACCURACY = 0.015  # that a cheaper tree may have on fresh rows: its tolerance, and chance


def run(rows: int) -> Lines:
    X, y, codes = adult_like(rows * 4 // 3)
    # scikit-learn has no categories: it gets their numbers, which takes it the least time.
    yield _against_search(f"{rows:,} × 14, categories", X, codes, y, rows)
    numbers, y = make_classification(rows, 30, n_informative=10, flip_y=0.1, random_state=0)
    numbers = numbers.astype(np.float32)
    yield _against_search(f"{rows * 2 // 3:,} × 30 floats", numbers, numbers, y, rows * 2 // 3)


def _against_search(work: str, X: Any, their_X: Array, y: Array, n: int) -> Measurement:
    tree = DecisionTreeClassifier(random_state=0)
    path = tree.cost_complexity_pruning_path(their_X[:n], y[:n]).ccp_alphas
    alphas = np.quantile(np.maximum(path, 0.0), np.linspace(0, 1, N_ALPHAS))
    search = GridSearchCV(tree, {"ccp_alpha": alphas}, cv=5, n_jobs=1)
    ours = cpu_time(lambda: ThriftTreeClassifier(n_jobs=1, random_state=0).fit(X[:n], y[:n]))
    theirs = cpu_time(lambda: search.fit(their_X[:n], y[:n]), repeats=1)
    scores = [ours.result.score(X[n:], y[n:]), theirs.result.score(their_X[n:], y[n:])]
    if scores[0] < scores[1] - LOWER_ACCURACY:
        raise AnswerDiffersError(f"{scores[0]:.2%} of fresh rows right against {scores[1]:.2%}")
    return faster(work, "GridSearchCV of alpha", ours.seconds, theirs.seconds, 8)


def adult_like(rows: int) -> tuple[pd.DataFrame, Array, Array]:
    """Eight columns of categories and six of numbers, most of them rounded; and all of them as numbers."""
    random = np.random.default_rng(0)
    codes = [random.choice(k, rows, p=random.dirichlet(np.full(k, 1.5))) for k in CATEGORIES]
    numbers = [
        np.round(random.normal(38, 13, rows).clip(17, 90)),
        random.integers(10_000, 1_000_000, rows),
        random.integers(1, 17, rows),
        np.where(random.random(rows) < 0.08, random.integers(100, 99_999, rows), 0),
        np.where(random.random(rows) < 0.05, random.integers(100, 4_000, rows), 0),
        np.round(random.normal(40, 12, rows).clip(1, 99)),
    ]
    score = sum(random.normal(0, 0.8, k)[code] for k, code in zip(CATEGORIES, codes, strict=True))
    score = score + (numbers[0] - 38) / 20 + (numbers[2] - 9) / 4 + 2 * (numbers[3] > 5_000) - 1.3
    y = (random.random(rows) < 1 / (1 + np.exp(-score))).astype(int)
    frame = {
        f"category_{j}": pd.Categorical.from_codes(code, [f"v{v}" for v in range(k)])
        for j, (k, code) in enumerate(zip(CATEGORIES, codes, strict=True))
    }
    frame |= {f"number_{j}": values.astype(np.float64) for j, values in enumerate(numbers)}
    return pd.DataFrame(frame), y, np.column_stack([*codes, *numbers]).astype(np.float32)
