"""Tables that a common shortcut makes slow: none may take out of proportion long."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from benchmarks import answers
from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.measurement import Lines, Measurement, as_much, faster
from thriftree import CARTClassifier

TITLE = "degenerate tables, one thread"
ROWS = 10_000_000  # of the longest; the others have as many fewer as they do at this size
LEAVES = 50


def run(rows: int) -> Lines:
    yield _misclassification(rows // 200)
    yield _against_sklearn("5,000 columns", *_wide(rows // 10_000), leaves=None, at_least=4)
    yield _many_categories(rows // 50)
    yield _against_sklearn("1,000 classes", *_many_classes(rows // 500), leaves=200, at_least=20)
    yield _one_column(rows)


def _misclassification(rows: int) -> Measurement:
    """Many tests gain nothing by it, and many as much as each other."""
    X, y = make_classification(rows, 20, n_informative=8, n_classes=7, flip_y=0.3, random_state=0)
    X = X.astype(np.float32)
    ours = cpu_time(lambda: CARTClassifier(impurity="misclassification", n_jobs=1).fit(X, y))
    gini = cpu_time(lambda: CARTClassifier(n_jobs=1).fit(X, y))
    if ours.result.score(X, y) < 0.5:
        raise AnswerDiffersError(f"{ours.result.score(X, y):.2%} of the training rows right")
    return as_much(f"misclassification, {rows:,} × 20, 7 classes", "our gini", ours.seconds, gini.seconds, 5)


def _wide(rows: int) -> tuple[answers.Array, answers.Array]:
    X = np.random.default_rng(0).normal(size=(rows, 5000)).astype(np.float32)
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def _many_classes(rows: int) -> tuple[answers.Array, answers.Array]:
    random = np.random.default_rng(0)
    y = random.integers(0, 1000, rows)
    return (random.normal(size=(rows, 10)) + y[:, None] / 500).astype(np.float32), y


def _against_sklearn(
    work: str, X: answers.Array, y: answers.Array, *, leaves: int | None, at_least: float
) -> Measurement:
    ours = cpu_time(lambda: CARTClassifier(max_leaves=leaves, n_jobs=1).fit(X, y))
    theirs = cpu_time(lambda: DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y))
    answers.check_same_accuracy(ours.result.predict(X), theirs.result.predict(X), y)
    return faster(f"{work}, {len(X):,} rows", "scikit-learn", ours.seconds, theirs.seconds, at_least)


def _many_categories(rows: int) -> Measurement:
    """Against the same column as a number, of which the codes are made anew."""
    random = np.random.default_rng(0)
    n_categories = max(rows // 4, 2)
    codes = random.integers(0, n_categories, rows)
    y = (random.random(rows) < random.random(n_categories)[codes]).astype(int)
    named = pd.Categorical.from_codes(codes, [f"c{i}" for i in range(n_categories)])
    frame, numbers = pd.DataFrame({"c": named}), pd.DataFrame({"c": codes.astype(np.float64)})
    ours = cpu_time(lambda: CARTClassifier(max_leaves=LEAVES, n_jobs=1).fit(frame, y))
    theirs = cpu_time(lambda: CARTClassifier(max_leaves=LEAVES, n_jobs=1).fit(numbers, y))
    if ours.result.score(frame, y) <= theirs.result.score(numbers, y):
        raise AnswerDiffersError("sets of categories tell no more than cuts of their numbers")
    work = f"{n_categories:,} categories, {rows:,} rows"
    return as_much(work, "as a number", ours.seconds, theirs.seconds, 3)


def _one_column(rows: int) -> Measurement:
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 1)).astype(np.float32)
    y = (X[:, 0] + random.normal(size=rows) > 0).astype(int)
    square = X.reshape(-1, 10), y[: rows // 10]
    ours = cpu_time(lambda: CARTClassifier(max_leaves=LEAVES, n_jobs=1).fit(X, y))
    theirs = cpu_time(lambda: CARTClassifier(max_leaves=LEAVES, n_jobs=1).fit(*square))
    answers.check_same_leaves(ours.result.tree_.n_leaves, theirs.result.tree_.n_leaves)
    return as_much(f"{rows:,} × 1", "as many cells × 10", ours.seconds, theirs.seconds, 3)
