"""Exact thresholds where the table is not all plain numbers: what that costs over the plain table.

The tree must be the one of a table in which every value has its code.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import Timed, cpu_time
from benchmarks.comparisons import fit_ours
from benchmarks.data import Data, floats
from benchmarks.measurement import Lines, as_much
from benchmarks.settings import MIN_LEAF
from thriftree import CARTClassifier
from thriftree.table.coding import read_codes

TITLE = "exact thresholds, {rows:,} × 50, min_leaf=0.005, one thread: over the same fit of plain floats"
ROWS = 200_000
COLUMNS = 50
LEVELS = 20
AT_MOST = 1.3


def run(rows: int) -> Lines:
    for classes in (2, 7):
        data = floats(rows, COLUMNS, classes)
        for impurity in ("gini", "entropy"):
            plain = fit_ours(data, impurity=impurity)
            for name, other in _tables(data):
                ours = _fit(other, impurity)
                _check(ours.result, other)
                yield as_much(
                    f"{classes} classes, {impurity}, {name}", "plain", ours.seconds, plain.seconds, AT_MOST
                )


def _tables(data: Data) -> Iterator[tuple[str, Data]]:
    random = np.random.default_rng(5)
    holes = data.X.copy()
    holes[random.random(data.X.shape) < 0.1] = np.nan
    yield "10 % missing", Data(holes, data.y)
    yield "float weights", Data(data.X, data.y, random.uniform(0.5, 2.0, len(data.y)))
    frame = pd.DataFrame(data.X, columns=[f"x{j}" for j in range(COLUMNS)])
    for j in range(0, COLUMNS, 5):
        codes = np.searchsorted(np.quantile(data.X[:, j], np.arange(1, LEVELS) / LEVELS), data.X[:, j])
        frame[f"x{j}"] = pd.Categorical.from_codes(
            random.permutation(LEVELS)[codes], [f"level {k}" for k in range(LEVELS)]
        )
    yield "20 % categories", Data(frame, data.y)


def _fit(data: Data, impurity: str) -> Timed[CARTClassifier]:
    model = CARTClassifier(impurity=impurity, min_leaf=MIN_LEAF, n_jobs=1)
    return cpu_time(lambda: model.fit(data.X, data.y, sample_weight=data.sample_weight))


def _check(model: CARTClassifier, data: Data) -> None:
    by_value = CARTClassifier(impurity=model.impurity, min_leaf=MIN_LEAF, n_jobs=1)
    by_value.fit(read_codes(data.X, by_value=True), data.y, sample_weight=data.sample_weight)
    if by_value.tree_ != model.tree_:
        raise AnswerDiffersError("the tree is not that of every value")
