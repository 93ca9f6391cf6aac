"""A tree grown until every leaf is pure."""

from __future__ import annotations

from benchmarks import answers, sklearn_trees
from benchmarks.comparisons import fit_ours
from benchmarks.data import floats
from benchmarks.measurement import Lines, faster

TITLE = "full depth, exact thresholds, {rows:,} × 50 floats, 2 classes, one thread"
ROWS = 200_000


def run(rows: int) -> Lines:
    data = floats(rows, 50, 2)
    ours = fit_ours(data, min_leaf=1)
    theirs = sklearn_trees.classifier(data, "gini", 1)
    answers.check_all_right("us", ours.result.predict(data.X), data.y)
    answers.check_all_right("scikit-learn", theirs.result.predict(data.X), data.y)
    n_leaves = ours.result.tree_.n_leaves
    answers.check_same_leaves(n_leaves, theirs.result.get_n_leaves())
    yield faster(f"{n_leaves:,} pure leaves", "scikit-learn", ours.seconds, theirs.seconds, 20)
