"""How far a level of the tree is from the limit: reading every code once at the speed of memory.

A level below the root counts only the smaller child of each node, so it reads at most half of the codes.
"""

from __future__ import annotations

import numpy as np

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.data import floats
from benchmarks.measurement import Lines, Measurement, RatioTarget
from benchmarks.settings import BINS
from thriftree import _core

TITLE = "a level against memory speed, {rows:,} × 50 one-byte codes, 2 classes, one thread"
ROWS = 1_000_000
COLUMNS = 50
DEPTH = 6


def run(rows: int) -> Lines:
    data = floats(rows, COLUMNS, 2)
    table = _core.encode_matrix(data.X, max_bins=BINS, n_threads=1)
    if not all(table.column(j).narrow for j in range(COLUMNS)):
        raise AnswerDiffersError("codes of more than one byte")
    target = _core.Target.classes(data.y.astype(np.int32), 2)

    def growing_seconds(depth: int) -> float:
        options = _core.GrowOptions(criterion="gini", candidates=[1] * COLUMNS, max_depth=depth, n_threads=1)
        return cpu_time(lambda: _core.grow(table, target, options), repeats=5).seconds

    speed = _copy_bytes_per_second(max(rows * COLUMNS * 8, 1 << 26))
    limit = rows * COLUMNS / speed
    root = growing_seconds(1)
    below = (growing_seconds(DEPTH) - root) / (DEPTH - 1)
    against = f"codes at {speed / 1e9:.1f} GB/s"
    yield Measurement("root: count, choose, divide", against, root, limit, ratio=root / limit)
    yield Measurement(
        f"mean of levels 2 to {DEPTH}",
        against,
        below,
        limit,
        ratio=below / limit,
        target=RatioTarget(12, "at_most"),
    )


def _copy_bytes_per_second(size: int) -> float:
    """Bytes read and written a second while copying an array far larger than the cores' own caches."""
    source, copy = np.ones(size // 8), np.zeros(size // 8)
    return 2 * size / cpu_time(lambda: np.copyto(copy, source), repeats=5).seconds
