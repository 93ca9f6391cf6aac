"""How far a leaf's numbers can be off: confidence intervals of a share and of a mean.

The JSON form holds no squares of weights, so where rows have weights their number stands for the effective
number of rows: the interval is then a little too narrow, the more so the more the weights differ.
"""

from __future__ import annotations

import math

from scipy.special import ndtri, stdtrit

Interval = tuple[float, float]

LEVEL = 0.95


def wilson(share: float, n: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a probability whose estimate from n > 0 rows is `share`.

    >>> low, high = wilson(81 / 91, 91)
    >>> f"{low:.3f} to {high:.3f}"
    '0.809 to 0.939'
    """
    if n <= 0:
        raise ValueError(f"an interval needs a number of rows above 0, not {n!r}")
    z = float(ndtri(0.5 + level / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / (1 + z * z / n)
    return (0.0 if share == 0 else max(0.0, centre - half), 1.0 if share == 1 else min(1.0, centre + half))


def of_mean(mean: float, mean_squared_deviation: float, n: int, level: float = LEVEL) -> Interval | None:
    """Student's interval of a mean of n rows; None for fewer than two, which tell nothing of their spread."""
    if n < 2:
        return None
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * math.sqrt(mean_squared_deviation / (n - 1))
    return mean - half, mean + half
