"""How sure a figure is: 95 % intervals of shares and means, and what weighted rows count for."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LEVEL: Final = 0.95
Z: Final = 1.959963984540054  # of the normal distribution, 2.5 % lie beyond it


def effective_rows(weight: Floats) -> float:
    """How many rows of equal weight tell as much about a mean as these (Kish): their number if all weigh the
    same, fewer otherwise.
    """
    return float(weight.sum() ** 2 / (weight**2).sum()) if len(weight) else 0.0


def wilson(share: float, n: float) -> Interval:
    """Wilson's score interval of a share seen in n rows; n need not be whole. Nothing is known from none."""
    if n <= 0:
        return 0.0, 1.0
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    low = 0.0 if share == 0 else max(centre - half, 0.0)
    return low, 1.0 if share == 1 else min(centre + half, 1.0)


def mean_interval(values: Floats, weight: Floats) -> Interval | None:
    """The normal interval of a weighted mean; None where fewer than two rows leave its spread unknown."""
    n = effective_rows(weight)
    if n < 2:
        return None
    mean = float(np.average(values, weights=weight))
    variance = float(np.average((values - mean) ** 2, weights=weight))
    half = Z * math.sqrt(variance / (n - 1))
    return mean - half, mean + half


def spread_interval(mean: float, variance: float, n: float) -> Interval | None:
    """The same from a mean and the mean squared deviation of n rows."""
    if n < 2:
        return None
    half = Z * math.sqrt(variance / (n - 1))
    return mean - half, mean + half
