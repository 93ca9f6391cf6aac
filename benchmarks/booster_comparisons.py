"""Our tree against the fastest of some boosters: answers first, then the times."""

from __future__ import annotations

import math
from collections.abc import Mapping

from benchmarks.boosters import ALL, Boosted, Fit
from benchmarks.clock import Timed, cpu_time
from benchmarks.comparisons import check_log_loss
from benchmarks.data import Data
from benchmarks.measurement import Measurement, faster
from benchmarks.settings import MIN_LEAF
from thriftree import CARTClassifier


def against_fastest(
    work: str,
    ours: Timed[CARTClassifier],
    data: Data,
    at_least: float,
    candidates: Mapping[str, Fit] = ALL,
) -> Measurement:
    """Against the fastest of these boosters with one tree of as many leaves."""
    name, theirs = _fastest(
        candidates,
        data,
        leaves=ours.result.tree_.n_leaves,
        least_rows=math.ceil(MIN_LEAF * len(data.y)),
    )
    check_log_loss(ours.result, theirs.result.probabilities(data.y), data)
    return faster(work, name, ours.seconds, theirs.seconds, at_least)


def _fastest(
    boosters: Mapping[str, Fit], data: Data, *, leaves: int, least_rows: int
) -> tuple[str, Timed[Boosted]]:
    """Name and fit of the booster that took the least time."""
    fits = {
        name: cpu_time(lambda fit=fit: fit(data, leaves, least_rows), repeats=2)  # type: ignore[misc]
        for name, fit in boosters.items()
    }
    return min(fits.items(), key=lambda item: item[1].seconds)
