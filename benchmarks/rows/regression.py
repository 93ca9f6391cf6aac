"""Squared error with every threshold a candidate."""

from __future__ import annotations

import numpy as np

from benchmarks import answers, sklearn_trees
from benchmarks.clock import cpu_time
from benchmarks.data import numeric_target
from benchmarks.measurement import Lines, faster
from benchmarks.settings import MIN_LEAF
from thriftree import CARTRegressor

TITLE = "regression, exact thresholds, {rows:,} × 50 floats, min_leaf=0.005, one thread"
ROWS = 200_000


def run(rows: int) -> Lines:
    data = numeric_target(rows, 50)
    model = CARTRegressor(min_leaf=MIN_LEAF, n_jobs=1)
    ours = cpu_time(lambda: model.fit(data.X, data.y))
    theirs = sklearn_trees.regressor(data, MIN_LEAF)
    answers.check_same_leaves(ours.result.tree_.n_leaves, theirs.result.get_n_leaves())
    errors = (float(np.mean((fit.result.predict(data.X) - data.y) ** 2)) for fit in (ours, theirs))
    answers.check_same_fit("squared error", *errors)
    yield faster("squared error", "scikit-learn", ours.seconds, theirs.seconds, 65)
