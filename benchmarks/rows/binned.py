"""255 quantile codes a column: the fast road for big tables, and what boosters do."""

from __future__ import annotations

from benchmarks.booster_comparisons import against_fastest
from benchmarks.boosters import XGBOOST
from benchmarks.comparisons import binned_against_exact, fit_ours
from benchmarks.data import floats
from benchmarks.measurement import Lines
from benchmarks.settings import BINS

TITLE = "max_bins=255, encoding included, {rows:,} × 50 floats, min_leaf=0.005, one thread"
ROWS = 200_000


def run(rows: int) -> Lines:
    two, seven = floats(rows, 50, 2), floats(rows, 50, 7)
    ours = fit_ours(two, max_bins=BINS)
    yield binned_against_exact("2 classes", ours, two, 130)
    yield against_fastest("2 classes", ours, two, 18)
    ours = fit_ours(seven, max_bins=BINS)
    yield binned_against_exact("7 classes", ours, seven, 90)
    yield against_fastest("7 classes", ours, seven, 20, XGBOOST)
