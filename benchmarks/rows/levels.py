"""Columns of few distinct values, which need no bins."""

from __future__ import annotations

from benchmarks.booster_comparisons import against_fastest
from benchmarks.comparisons import fit_ours, same_tree
from benchmarks.data import levels
from benchmarks.measurement import Lines

TITLE = "16 levels per column, {rows:,} × 50, 2 classes, min_leaf=0.005, one thread"
ROWS = 200_000


def run(rows: int) -> Lines:
    data = levels(rows, 50, 2)
    ours = fit_ours(data)
    yield same_tree("2 classes", ours, data, 12)
    yield against_fastest("2 classes", ours, data, 3)
