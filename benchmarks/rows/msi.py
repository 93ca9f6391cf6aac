"""MSI against its algorithm as printed, in plain Python, on scikit-learn's digits: the same tree first."""

from __future__ import annotations

import numpy as np
from oracles.plain_msi import Coding, Table, build_tree
from sklearn.datasets import load_digits

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.measurement import Lines, faster
from thriftree import MSIClassifier

TITLE = "MSI on {rows:,} × 64 digits, one thread"
ROWS = 1_797


def run(rows: int) -> Lines:
    X, y = (array[:rows] for array in load_digits(return_X_y=True))
    ours = cpu_time(lambda: MSIClassifier(n_jobs=1).fit(X, y))
    table = Table(np.asarray(X, dtype=np.float64), np.unique(y, return_inverse=True)[1], len(np.unique(y)))
    plain = cpu_time(lambda: build_tree(table, Coding()), repeats=1)
    if ours.result.tree_text_ != plain.result.text:
        raise AnswerDiffersError("MSI and its plain algorithm learnt different trees")
    n_nodes = ours.result.tree_.n_nodes
    yield faster(f"{n_nodes} nodes", "the plain algorithm", ours.seconds, plain.seconds, 5)
