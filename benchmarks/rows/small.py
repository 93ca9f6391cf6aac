"""Tables so small that the cost of a call counts as much as the growing."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.tree import DecisionTreeClassifier

from benchmarks import answers
from benchmarks.clock import cpu_time_in_batches
from benchmarks.measurement import Lines, faster
from thriftree import CARTClassifier

TITLE = "small tables, default parameters, one thread"
ROWS = 0  # the tables have the size they have


def run(_rows: int) -> Lines:
    for name, load in (("breast cancer", load_breast_cancer), ("digits", load_digits)):
        X, y = load(return_X_y=True)
        X = np.ascontiguousarray(X, dtype=np.float32)
        our_model, their_model = CARTClassifier(n_jobs=1), DecisionTreeClassifier(random_state=0)
        ours = cpu_time_in_batches(lambda: our_model.fit(X, y), batch=20)  # noqa: B023 - called at once
        theirs = cpu_time_in_batches(lambda: their_model.fit(X, y), batch=20)  # noqa: B023
        answers.check_all_right("us", ours.result.predict(X), y)
        answers.check_all_right("scikit-learn", theirs.result.predict(X), y)
        work = f"{name}, {X.shape[0]:,} × {X.shape[1]}"
        yield faster(work, "scikit-learn", ours.seconds, theirs.seconds, 1.5)
