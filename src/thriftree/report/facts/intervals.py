"""How sure a mean over weighted rows is, and how many rows of equal weight tell as much."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.explain.intervals import Interval

Floats = NDArray[np.float64]

Z: Final = 1.959963984540054  # of the normal distribution, 2.5 % lie beyond it


def effective_rows(weight: Floats) -> float:
    """How many rows of equal weight tell as much about a mean as these (Kish): their number if all weigh the
    same, fewer otherwise.
    """
    return float(weight.sum() ** 2 / (weight**2).sum()) if len(weight) else 0.0


def mean_interval(values: Floats, weight: Floats) -> Interval | None:
    """The normal interval of a weighted mean; None where its spread is unknown: of fewer than two rows, and
    of rows that are all alike.
    """
    n = effective_rows(weight)
    if n < 2:
        return None
    mean = float(np.average(values, weights=weight))
    variance = float(np.average((values - mean) ** 2, weights=weight))
    if variance == 0:
        return None
    half = Z * math.sqrt(variance / (n - 1))
    return mean - half, mean + half
