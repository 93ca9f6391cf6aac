"""Labels for many rows by a small and by a large tree."""

from __future__ import annotations

from sklearn.tree import DecisionTreeClassifier

from benchmarks import answers
from benchmarks.clock import cpu_time
from benchmarks.data import floats
from benchmarks.measurement import Lines, faster
from thriftree import CARTClassifier

TITLE = "predict, {rows:,} × 20 floats, one thread"
ROWS = 1_000_000


def run(rows: int) -> Lines:
    data = floats(rows, 20, 2)
    n_training = rows // 5  # enough for the large tree, and five times sooner
    X, y = data.X[:n_training], data.y[:n_training]
    # The leaves of the large tree are small, and in small nodes many tests tie: the trees differ there.
    for leaves in (150, 14_000 * rows // 1_000_000):
        our_model = CARTClassifier(max_leaves=leaves, n_jobs=1).fit(X, y)
        their_model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        answers.check_same_leaves(our_model.tree_.n_leaves, their_model.get_n_leaves())
        ours = cpu_time(lambda: our_model.predict(data.X), repeats=5)  # noqa: B023 - called at once
        theirs = cpu_time(lambda: their_model.predict(data.X), repeats=5)  # noqa: B023
        answers.check_same_accuracy(ours.result, theirs.result, data.y)
        yield faster(f"{leaves:,} leaves", "scikit-learn", ours.seconds, theirs.seconds, 2)
