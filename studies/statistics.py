"""The statistics of all studies: means with intervals, comparisons by rank, corrected tests, hypervolumes.

- *Splits of one set* share rows, so their scores are not independent: `estimate_of_splits` counts that in
  (Nadeau and Bengio 2003). It answers: how far would other splits of these tables lead?
- *Sets* are drawn, in thought, from all tables there are: `interval_over_sets` draws them again (bootstrap).
  It answers: would it be the same on other tables?
- *Ratios* are averaged by `geometric_mean`, and `ratio_over_sets` says how far other tables would lead.
- *Ranks*: `compare_ranks` has average ranks, Friedman's test, Nemenyi's critical difference, and signed-rank
  tests of pairs with `holm`'s correction (Demšar 2006, Benavoli et al. 2016). `bonferroni_dunn` is the
  critical difference where one method is compared with all others.
- *Score against price*: `hypervolume` is the area that a set of trees dominates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, gmean, norm

from thriftree.plot.rank_comparison import RankComparison, compare_ranks, holm
from thriftree.tuning.estimates import Estimate, estimate_of_divisions

__all__ = [
    "Estimate",
    "Over",
    "RankComparison",
    "bonferroni_dunn",
    "compare_ranks",
    "estimate_of_splits",
    "geometric_mean",
    "holm",
    "hypervolume",
    "interval_over_sets",
    "mean_over_sets",
    "ratio_over_sets",
]

Floats = NDArray[np.float64]

RESAMPLES = 2000


def estimate_of_splits(values: Sequence[float] | Floats, test_share: float) -> Estimate:
    """Mean, error and 95 % interval of scores over splits of the rows, each with that share of test rows.

    One split says nothing about its error, which is then NaN.

    >>> estimate_of_splits([1.0, 2.0, 3.0, 2.0, 2.0], test_share=0.2)  # doctest: +ELLIPSIS
    Estimate(mean=2.0, error=0.474..., low=0.683..., high=3.316...)
    """
    scores = np.asarray(values, dtype=np.float64)
    if len(scores) == 1:
        unknown = float("nan")
        return Estimate(float(scores[0]), unknown, unknown, unknown)
    return estimate_of_divisions(scores, test_to_train=test_share / (1 - test_share))


def interval_over_sets(values: Sequence[float] | Floats, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of the mean of one value a set, by drawing sets again with replacement; NaN for one.

    >>> low, high = interval_over_sets([0.0, 1.0, 2.0, 3.0])
    >>> low < 1.5 < high
    True
    """
    of_sets = np.asarray(values, dtype=np.float64)
    if len(of_sets) < 2:
        return float("nan"), float("nan")
    if np.ptp(of_sets) == 0:
        return float(of_sets[0]), float(of_sets[0])
    drawn = bootstrap(
        (of_sets,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(seed)
    )
    return float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)


@dataclass(frozen=True)
class Over:
    """A mean over sets, its 95 % interval over sets, and how many sets it is of."""

    mean: float
    low: float
    high: float
    n_sets: int


def mean_over_sets(values: Sequence[float] | Floats) -> Over:
    """The mean of one value a set."""
    of_sets = np.asarray(values, dtype=np.float64)
    return Over(float(of_sets.mean()), *interval_over_sets(of_sets), len(of_sets))


def ratio_over_sets(ratios: Sequence[float] | Floats) -> Over:
    """The geometric mean of one ratio a set.

    >>> found = ratio_over_sets([0.5, 2.0, 1.0])
    >>> round(found.mean, 12), found.n_sets
    (1.0, 3)
    """
    found = mean_over_sets(np.log(np.asarray(ratios, dtype=np.float64)))
    mean, low, high = np.exp([found.mean, found.low, found.high])
    return Over(float(mean), float(low), float(high), found.n_sets)


def geometric_mean(values: Sequence[float] | Floats) -> float:
    """Of positive numbers.

    >>> round(geometric_mean([1.0, 4.0]), 12)
    2.0
    """
    return float(gmean(np.asarray(values, dtype=np.float64)))


def bonferroni_dunn(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """By how much the average rank of a method must differ from that of one that all are compared with."""
    q = float(norm.ppf(1 - alpha / (2 * (n_methods - 1))))
    return q * float(np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def hypervolume(points: Iterable[tuple[float, float]], worst: tuple[float, float]) -> float:
    """The area of all (price, score) that some point beats, down to the `worst` price and score.

    A point beats another by a price that is at most as large and a score that is at least as good.

    >>> hypervolume([(1, 0.5), (3, 1.0), (2, 0.4)], worst=(4, 0.0))
    2.0
    """
    top_price, least_score = worst
    area, best = 0.0, least_score
    for price, score in sorted(points, key=lambda point: (point[0], -point[1])):
        if price >= top_price:
            break
        if score > best:
            area += (score - best) * (top_price - price)
            best = score
    return area
