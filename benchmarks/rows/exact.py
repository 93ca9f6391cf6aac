"""Every threshold between two values is a candidate, as in scikit-learn."""

from __future__ import annotations

from benchmarks.comparisons import fit_ours, same_tree
from benchmarks.data import floats
from benchmarks.measurement import Lines

TITLE = "exact thresholds, {rows:,} × 50 floats, min_leaf=0.005, one thread"
ROWS = 200_000
AT_LEAST = {(2, "gini"): 120, (2, "entropy"): 100, (7, "gini"): 80, (7, "entropy"): 100}


def run(rows: int) -> Lines:
    for classes in (2, 7):
        data = floats(rows, 50, classes)
        for impurity in ("gini", "entropy"):
            ours = fit_ours(data, impurity=impurity)
            yield same_tree(f"{classes} classes, {impurity}", ours, data, AT_LEAST[classes, impurity])
        weighted = floats(rows, 50, classes, weighted=True)
        ours = fit_ours(weighted, impurity="entropy")
        yield same_tree(f"{classes} classes, entropy, weights", ours, weighted, 50)
