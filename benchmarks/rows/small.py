"""Tables so small that the cost of a call counts as much as the growing."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier

from benchmarks import answers
from benchmarks.clock import cpu_times_in_turn
from benchmarks.measurement import Lines, faster
from thriftree import CARTClassifier

TITLE = "small tables, default parameters, one thread"
ROWS = 0  # the tables have the size they have


def run(_rows: int) -> Lines:
    tables = (("breast cancer", load_breast_cancer, 4), ("digits", load_digits, 4), ("iris", load_iris, 2.5))
    for name, load, at_least in tables:
        X, y = load(return_X_y=True)
        X = np.ascontiguousarray(X, dtype=np.float32)
        our_model, their_model = CARTClassifier(n_jobs=1), DecisionTreeClassifier(random_state=0)
        ours, theirs = cpu_times_in_turn(
            lambda: our_model.fit(X, y),  # noqa: B023 - called at once
            lambda: their_model.fit(X, y),  # noqa: B023
            batch=20 if len(X) > 200 else 100,
        )
        answers.check_all_right("us", ours.result.predict(X), y)
        answers.check_all_right("scikit-learn", theirs.result.predict(X), y)
        work = f"{name}, {X.shape[0]:,} × {X.shape[1]}"
        yield faster(work, "scikit-learn", ours.seconds, theirs.seconds, at_least)
