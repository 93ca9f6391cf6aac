"""Logarithms of p-values, also of those too small for a float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import special

from thriftree.learning.targets import Floats

_SMALLEST: Final = 1e-290  # below this scipy's tails lose digits, then vanish
_TERMS: Final = 300  # of the continued fractions, which converge far out in a tail within a few dozen


def log_p_of_f(statistic: Floats, between: Floats, within: Floats) -> Floats:
    """log P(F > statistic), with these degrees of freedom; -inf for an infinite statistic."""
    p = special.fdtrc(between, within, statistic)
    return _with_tails(p, _log_f_tail, statistic, between, within)


def log_p_of_chi2(statistic: Floats, freedom: Floats) -> Floats:
    """log P(chi-squared > statistic), with these degrees of freedom."""
    p = special.chdtrc(freedom, statistic)
    return _with_tails(p, _log_chi2_tail, statistic, freedom)


def log_p_of_one_chi2(statistic: float, freedom: float) -> float:
    """As `log_p_of_chi2`, of one number."""
    p = special.chdtrc(freedom, statistic)
    if p < _SMALLEST:
        return float(log_p_of_chi2(np.array([statistic]), np.array([freedom], np.float64))[0])
    return float(np.log(p))  # numpy's, which is not everywhere math's to the last digit


def _with_tails(p: Floats, tail: Callable[..., Floats], statistic: Floats, *freedoms: Floats) -> Floats:
    """log p where p is a proper number, else the logarithm worked out directly."""
    log_p = np.log(np.maximum(p, _SMALLEST))
    far = np.flatnonzero(p < _SMALLEST)
    log_p[far] = -np.inf
    far = far[np.isfinite(statistic[far])]
    if len(far):
        log_p[far] = tail(statistic[far], *(freedom[far] for freedom in freedoms))
    return np.asarray(log_p, dtype=np.float64)


def _log_f_tail(statistic: Floats, between: Floats, within: Floats) -> Floats:
    """The tail is the incomplete beta function I_z(a, b): DLMF 8.17.22, from its last term to its first."""
    a, b, ratio = within / 2, between / 2, between * statistic / within
    z = 1 / (1 + ratio)
    fraction = np.ones_like(z)
    for m in range(_TERMS, 0, -1):
        fraction = 1 - (a + m) * (a + b + m) * z / ((a + 2 * m) * (a + 2 * m + 1)) / fraction
        fraction = 1 + m * (b - m) * z / ((a + 2 * m - 1) * (a + 2 * m)) / fraction
    fraction = 1 - (a + b) * z / (a + 1) / fraction
    log_front = -a * np.log1p(ratio) + b * np.log1p(-z) - np.log(a) - special.betaln(a, b)
    return np.asarray(log_front - np.log(fraction), dtype=np.float64)


def _log_chi2_tail(statistic: Floats, freedom: Floats) -> Floats:
    """The tail is the incomplete gamma function Q(a, x): Legendre's continued fraction (DLMF 8.9), from its
    first term on as Lentz does, since far out a few terms are enough.
    """
    a, x = freedom / 2, statistic / 2
    b = x + 1 - a
    d = 1 / b
    c, fraction = np.full_like(x, np.inf), d
    for k in range(1, _TERMS):
        b = b + 2
        d = 1 / (b + k * (a - k) * d)
        c = b + k * (a - k) / c
        fraction = fraction * (c * d)
        if (np.abs(c * d - 1) < 1e-15).all():
            break
    return np.asarray(a * np.log(x) - x - special.gammaln(a) + np.log(fraction), dtype=np.float64)
