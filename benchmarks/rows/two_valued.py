"""Yes-or-no columns, where a code is one bit."""

from __future__ import annotations

from benchmarks.booster_comparisons import against_fastest
from benchmarks.comparisons import fit_ours, same_tree
from benchmarks.data import two_valued
from benchmarks.measurement import Lines

TITLE = "two-valued columns, {rows:,} × 100, 7 classes, min_leaf=0.005, one thread"
ROWS = 500_000


def run(rows: int) -> Lines:
    data = two_valued(rows, 100, 7)
    ours = fit_ours(data)
    yield same_tree("7 classes", ours, data, 60)
    yield against_fastest("7 classes", ours, data, 25)
