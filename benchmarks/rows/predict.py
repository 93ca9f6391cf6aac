"""Labels for many rows by a small and by a large tree."""

from __future__ import annotations

from sklearn.tree import DecisionTreeClassifier

from benchmarks import answers
from benchmarks.clock import cpu_time
from benchmarks.compiled_c import compiled_predictor, is_installed
from benchmarks.data import Array, floats
from benchmarks.measurement import Lines, Measurement, RatioTarget, faster
from thriftree import CARTClassifier

TITLE = "predict, {rows:,} × 20 floats, one thread"
ROWS = 1_000_000

PEER = "tl2cgen"
MOST_COMPILED = 1000  # leaves: gcc takes minutes for the C code of more


def run(rows: int) -> Lines:
    data = floats(rows, 20, 2)
    n_training = rows // 5  # enough for the large tree, and five times sooner
    X, y = data.X[:n_training], data.y[:n_training]
    # The leaves of the large tree are small, and in small nodes many tests tie: the trees differ there.
    for leaves in (150, 14_000 * rows // 1_000_000):
        our_model = CARTClassifier(max_leaves=leaves, n_jobs=1).fit(X, y)
        their_model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        answers.check_same_leaves(our_model.tree_.n_leaves, their_model.get_n_leaves())
        ours = cpu_time(lambda: our_model.predict(data.X), repeats=7)  # noqa: B023 - called at once
        theirs = cpu_time(lambda: their_model.predict(data.X), repeats=5)  # noqa: B023
        answers.check_same_accuracy(ours.result, theirs.result, data.y)
        yield faster(f"{leaves:,} leaves", "scikit-learn", ours.seconds, theirs.seconds, 4.5)
        yield against_compiled_c(their_model, data.X, theirs.result, ours.seconds, leaves)


def against_compiled_c(
    model: DecisionTreeClassifier, X: Array, labels: Array, our_seconds: float, leaves: int
) -> Measurement:
    """The same tree as scikit-learn's, as compiled C code, which answers with class shares."""
    work = f"{leaves:,} leaves"
    if not is_installed():
        return Measurement(work, PEER, target=RatioTarget(1.2), remark="not installed")
    if leaves > MOST_COMPILED:
        return Measurement(work, PEER, target=RatioTarget(1.2), remark="gcc takes minutes")
    theirs = cpu_time(compiled_predictor(model, X), repeats=5)
    answers.check_same_accuracy(theirs.result.argmax(axis=1), labels, labels)
    return Measurement(
        work, PEER, our_seconds, theirs.seconds, ratio=theirs.seconds / our_seconds, target=RatioTarget(1.2)
    )
