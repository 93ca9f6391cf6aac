"""Many rows, few columns."""

from __future__ import annotations

from benchmarks.booster_comparisons import against_fastest
from benchmarks.boosters import HIST_GRADIENT_BOOSTING
from benchmarks.comparisons import binned_against_exact, fit_ours, same_tree
from benchmarks.data import floats
from benchmarks.measurement import Lines
from benchmarks.settings import BINS

TITLE = "encoding included, {rows:,} × 20 floats, min_leaf=0.005, one thread"
ROWS = 1_000_000


def run(rows: int) -> Lines:
    data = floats(rows, 20, 2)
    ours = fit_ours(data)
    yield same_tree("2 classes, exact", ours, data, 110)
    yield against_fastest("2 classes, exact", ours, data, 8, HIST_GRADIENT_BOOSTING)
    ours = fit_ours(data, max_bins=BINS)
    yield binned_against_exact("2 classes, max_bins=255", ours, data, 40)
    yield against_fastest("2 classes, max_bins=255", ours, data, 3, HIST_GRADIENT_BOOSTING)
