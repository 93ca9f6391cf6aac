"""Methods that choose by tests of significance, against CART of as many leaves."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.measurement import Lines, as_much
from thriftree import CARTClassifier, CHAIDClassifier, QUESTClassifier

TITLE = "tests of significance, {rows:,} × 60 floats, 3 classes, one thread"
ROWS = 4_000
LEAST_ACCURACY = 0.85  # of CART's, on the training rows


def run(rows: int) -> Lines:
    X, y = make_classification(rows, 60, n_informative=12, n_classes=3, flip_y=0.05, random_state=0)
    X = X.astype(np.float32)
    models = (
        ("CHAID", CHAIDClassifier(n_jobs=1)),
        ("QUEST, unpruned", QUESTClassifier(n_jobs=1, pruning=None)),
    )
    for name, model in models:
        ours = cpu_time(lambda: model.fit(X, y))  # noqa: B023 - called at once
        cart = CARTClassifier(max_leaves=ours.result.tree_.n_leaves, n_jobs=1)
        theirs = cpu_time(lambda: cart.fit(X, y), repeats=5)  # noqa: B023
        scores = ours.result.score(X, y), theirs.result.score(X, y)
        if scores[0] < LEAST_ACCURACY * scores[1]:
            raise AnswerDiffersError(f"{name}: {scores[0]:.2%} of the rows right, CART {scores[1]:.2%}")
        work = f"{name}, {ours.result.tree_.n_leaves} leaves"
        yield as_much(work, "CART of as many", ours.seconds, theirs.seconds, 10)
