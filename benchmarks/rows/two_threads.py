"""Wall time of two threads against one.

It says something only on a machine that has two free cores, so loops that share nothing go first: where even
they gain less than 1.9, nothing is measured.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from threading import Thread

from benchmarks.answers import AnswerDiffersError
from benchmarks.data import Data, floats
from benchmarks.measurement import Lines, Measurement, RatioTarget
from benchmarks.settings import BINS, MIN_LEAF
from thriftree import CARTClassifier

TITLE = "two threads against one, wall time, {rows:,} × 50 floats, 2 classes, min_leaf=0.005"
ROWS = 200_000
CALIBRATION = 1.9
ROUNDS = 7


def run(rows: int) -> Lines:
    data = floats(rows, 50, 2)
    for work, max_bins in (("exact", None), ("max_bins=255", BINS)):
        one, two = _alternate(lambda: _burn(1), lambda: _burn(2))
        if 2 * one / two < CALIBRATION:
            remark = f"not measured: two free loops gained {2 * one / two:.2f}×, less than {CALIBRATION}×"
            yield Measurement(work, "itself, one thread", remark=remark)
            continue
        _check_same_tree(data, max_bins)
        one, two = _alternate(_fitting(data, max_bins, 1), _fitting(data, max_bins, 2))
        yield Measurement(work, "itself, one thread", two, one, ratio=one / two, target=RatioTarget(1.85))


def _alternate(one: Callable[[], object], two: Callable[[], object]) -> tuple[float, float]:
    """Least wall times, taken in turns so that a busy moment of the machine meets both."""
    rounds = [(_wall_time(one), _wall_time(two)) for _ in range(ROUNDS)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)


def _wall_time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _burn(n_threads: int) -> None:
    """The same native loop in every thread, as long as a fit, sharing neither memory nor Python's lock."""
    loops = [
        Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"two", b"threads", 1_000_000))
        for _ in range(n_threads)
    ]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()


def _fitting(data: Data, max_bins: int | None, n_jobs: int) -> Callable[[], CARTClassifier]:
    model = CARTClassifier(min_leaf=MIN_LEAF, max_bins=max_bins, n_jobs=n_jobs)
    return lambda: model.fit(data.X, data.y)


def _check_same_tree(data: Data, max_bins: int | None) -> None:
    one, two = (_fitting(data, max_bins, n_jobs)().tree_.to_json() for n_jobs in (1, 2))
    if one != two:
        raise AnswerDiffersError("the trees of one and of two threads differ")
