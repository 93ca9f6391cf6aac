"""What exact thresholds cost over bins, and where the time of a fit goes: coding, counting, choosing,
dividing, and the rest.

Growth is judged without coding, which the two do in different ways.
"""

from __future__ import annotations

import numpy as np

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.comparisons import fit_ours
from benchmarks.data import Data, floats
from benchmarks.measurement import Lines, Measurement, RatioTarget
from benchmarks.settings import BINS, MIN_LEAF
from thriftree import _core

TITLE = "growth of exact thresholds over that of bins, {rows:,} × 50 floats, gini, min_leaf=0.005, one thread"
ROWS = 200_000
COLUMNS = 50
SPANS_FROM = 8192  # smaller tables are ranked


def run(rows: int) -> Lines:
    for classes in (2, 7):
        data = floats(rows, COLUMNS, classes)
        parts = {max_bins: _parts(data, max_bins) for max_bins in (None, BINS)}
        growing = {max_bins: seconds["growing"] for max_bins, seconds in parts.items()}
        yield Measurement(
            f"{classes} classes, growth",
            "max_bins=255",
            growing[None],
            growing[BINS],
            ratio=growing[None] / growing[BINS],
            target=RatioTarget(1.4, "at_most"),
        )
        for max_bins, name in ((None, "exact"), (BINS, "max_bins=255")):
            whole = fit_ours(data, max_bins=max_bins).seconds
            found = {part: seconds for part, seconds in parts[max_bins].items() if part != "growing"}
            found["rest"] = max(0.0, whole - sum(found.values()))
            for part, seconds in found.items():
                yield Measurement(
                    f"{classes} classes, {name}: {part}",
                    "the whole fit",
                    seconds,
                    whole,
                    ratio=seconds / whole,
                )


def _parts(data: Data, max_bins: int | None) -> dict[str, float]:
    """Seconds of coding, of growing, and of the parts of growing."""
    coded = cpu_time(lambda: _core.encode_matrix(data.X, max_bins=max_bins, n_threads=1), repeats=5)
    if (coded.result.n_spans > 0) != (max_bins is None and len(data.y) >= SPANS_FROM):
        raise AnswerDiffersError("exact thresholds are not found through codes of ranges")
    target = _core.Target.classes(data.y.astype(np.int32), data.n_classes)
    options = _core.GrowOptions(
        criterion="gini", candidates=[1] * COLUMNS, min_leaf_share=MIN_LEAF, n_threads=1
    )
    grown = cpu_time(lambda: _core.grow(coded.result, target, options), repeats=5)
    return {"coding": coded.seconds, **grown.result.seconds, "growing": grown.seconds}
