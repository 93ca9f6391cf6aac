"""Ten times the rows, the same number of leaves."""

from __future__ import annotations

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.data import floats
from benchmarks.measurement import Lines, Measurement, RatioTarget
from benchmarks.settings import BINS, MIN_LEAF
from thriftree import CARTClassifier

TITLE = "ten times the rows, {rows:,} × 20 floats, 2 classes, as many leaves, one thread"
ROWS = 1_000_000
LEAVES = 100


def run(rows: int) -> Lines:
    for work, max_bins, at_most in (("max_bins=255", BINS, 12), ("exact", None, 18)):
        few, many = (_fit_seconds(n, max_bins) for n in (rows // 10, rows))
        against = f"itself, {rows // 10:,} rows"
        yield Measurement(work, against, many, few, ratio=many / few, target=RatioTarget(at_most, "at_most"))


def _fit_seconds(rows: int, max_bins: int | None) -> float:
    data = floats(rows, 20, 2)
    model = CARTClassifier(min_leaf=MIN_LEAF, max_leaves=LEAVES, max_bins=max_bins, n_jobs=1)
    fit = cpu_time(lambda: model.fit(data.X, data.y))
    if model.tree_.n_leaves != LEAVES:
        raise AnswerDiffersError(f"{model.tree_.n_leaves} leaves instead of {LEAVES} on {rows:,} rows")
    return fit.seconds
