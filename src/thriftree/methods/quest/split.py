"""Where QUEST splits a variable: two normal distributions, one for each group of classes, cross there.

A split is a number of values: so many of the smallest go left. Sums are numpy's own and not products of BLAS,
whose last digits depend on the CPU.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.targets import Floats

_SAME: Final = 1e-9  # values nearer to each other than this, on the scale from 0 to 1, are one


def n_left(values: Floats, counts: Floats) -> int:
    """How many of the ascending `values` (from 0 to 1) go left, by the weights counts[value, class]; at least
    one, and not all.
    """
    n = len(values)
    in_first = _superclass(values, counts)
    a, b = counts[:, in_first].sum(axis=1), counts[:, ~in_first].sum(axis=1)
    mean_a, variance_a = _moments(values, a)
    mean_b, variance_b = _moments(values, b)
    if variance_b < variance_a:
        a, mean_a, variance_a, b, mean_b, variance_b = b, mean_b, variance_b, a, mean_a, variance_a
    at = np.flatnonzero(a)
    if values[at[-1]] - values[at[0]] <= _SAME:
        # The limit of a vanishing variance: A is this value alone, and is cut off on the side of B.
        return _inner(int(at[-1]) + 1 if mean_b > mean_a else int(at[0]), n)
    shift = crossing(variance_a, variance_b, abs(mean_b - mean_a), log(a.sum() / b.sum()))
    if shift is not None:
        level = abs(mean_b - mean_a) <= _SAME  # then both crossings are as near: the lower one first
        for direction in (-1, 1) if level else (1 if mean_b > mean_a else -1,):
            found = _n_up_to(values, mean_a + direction * shift)
            if 0 < found < n:
                return found
    return _inner(_n_up_to(values, (mean_a + mean_b) / 2), n)


def crossing(narrow: float, wide: float, apart: float, log_odds: float) -> float | None:
    """How far from the mean of A, towards the mean of B, the densities of the two normal distributions, times
    their shares, are equal; None if nowhere.

    `narrow` and `wide` are the variances of A and B, `apart` the distance of their means, and `log_odds` the
    logarithm of A's share over B's. Of two crossings it is the one nearer to the mean of A, and also to that
    of B: both lie on the same side of the point halfway between the crossings. With s, v and δ for the
    variances and the distance, and L = log odds + log(v / s) / 2, the equation is
    (v - s) t² + 2 s δ t - (s δ² + 2 s v L) = 0; the root is written so that v = s is no special case.
    """
    lead = log_odds + log(wide / narrow) / 2
    constant = narrow * apart**2 + 2 * narrow * wide * lead
    discriminant = narrow * wide * (apart**2 + 2 * (wide - narrow) * lead)
    if discriminant < 0:
        return None
    below = narrow * apart + sqrt(discriminant)
    return constant / below if below > 0 else None


def _superclass(values: Floats, counts: Floats) -> NDArray[np.bool_]:
    """The classes of one of two groups: two-means clustering of the means of the classes. It is exact, since
    the sorted means can be cut in only so many places. Of equal means, the heaviest class is a group.
    """
    weight = counts.sum(axis=0)
    present = np.flatnonzero(weight)
    first = np.zeros(len(weight), dtype=bool)
    if len(present) == 2:
        first[present[0]] = True
        return first
    means = (values[:, None] * counts[:, present]).sum(axis=0) / weight[present]
    means -= means.mean()
    if means.max() - means.min() <= _SAME:
        first[present[np.argmax(weight[present])]] = True
        return first
    by_mean = np.argsort(means, kind="stable")
    size = np.arange(1, len(present))
    between = np.cumsum(means[by_mean])[:-1] ** 2 * (1 / size + 1 / (len(present) - size))
    best = int(np.argmax(between >= between.max() * (1 - _SAME)))
    first[present[by_mean[: best + 1]]] = True
    return first


def _moments(values: Floats, weight: Floats) -> tuple[float, float]:
    """Mean and variance; divided by the weight, so that a split depends on shares alone."""
    total = weight.sum()
    mean = float((values * weight).sum() / total)
    return mean, float(((values - mean) ** 2 * weight).sum() / total)


def _inner(n_left: int, n: int) -> int:
    """The nearest split with values on both sides."""
    return min(max(n_left, 1), n - 1)


def _n_up_to(values: Floats, point: float) -> int:
    return int(np.searchsorted(values, point + _SAME, side="right"))
