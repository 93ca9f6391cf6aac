"""Chi-squared tests of tables of counts: categories in rows, classes in columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chdtrc, gammaln, xlogy

from thriftree.estimators.targets import Floats

Statistic = Literal["pearson", "likelihood_ratio"]
Counts = NDArray[Any]

_NEARLY_ZERO = 1e-290  # below this a p-value is near the end of float64, and is found as a logarithm at once


def table_test(table: Floats, statistic: Statistic) -> tuple[float, int]:
    """Statistic and degrees of freedom of one table [categories, classes]. Empty rows and columns count for
    nothing.
    """
    seen = [np.count_nonzero(table.sum(axis=axis)) for axis in (0, 1)]
    if min(seen) < 2:
        return 0.0, 0
    return float(table_statistics(table, statistic)), int((seen[0] - 1) * (seen[1] - 1))


def table_statistics(tables: Floats, statistic: Statistic) -> Floats:
    """The statistic of many tables [..., categories, classes] that are not empty."""
    of_class = tables.sum(axis=-2, keepdims=True)
    product = tables.sum(axis=-1, keepdims=True) * of_class  # expected counts, times the total
    total = of_class.sum(axis=-1, keepdims=True)
    seen = np.where(product > 0, product, 1.0)
    if statistic == "pearson":
        # n N - r c is exactly 0 where whole counts are proportional; n - r c / N would not be.
        parts = ((tables * total - product) / total) ** 2 / (seen / total)
    else:
        parts = 2 * xlogy(tables, tables * total / seen)
    return np.asarray(np.maximum(parts.sum(axis=(-2, -1)), 0.0), np.float64)


def pair_tests(a: Floats, b: Floats, statistic: Statistic) -> tuple[Floats, Counts]:
    """Statistics and degrees of freedom of many tables of two rows, a[..., classes] and b[..., classes]. The
    statistic is 0 where a row is empty.
    """
    of_a, of_b = a.sum(axis=-1, keepdims=True), b.sum(axis=-1, keepdims=True)
    of_class, total = a + b, of_a + of_b
    freedom = np.count_nonzero(of_class, axis=-1) - 1
    if statistic == "pearson":
        expected = of_class * (of_a / total) * (of_b / total)
        parts = ((a * of_b - b * of_a) / total) ** 2 / np.where(expected > 0, expected, 1.0)
        return parts.sum(axis=-1), freedom
    parts = sum(
        xlogy(n, n * total / np.where(n > 0, of_n * of_class, 1.0)) for n, of_n in ((a, of_a), (b, of_b))
    )
    return np.maximum(2 * parts.sum(axis=-1), 0.0), freedom


def log_p_values(statistic: Any, freedom: Any) -> Floats:
    """Natural logarithm of the chance that chi-squared exceeds the statistic; 0 without a degree of freedom.

    As logarithms p-values keep their order where they themselves would all be 0, or all be 1.
    """
    degrees = np.maximum(freedom, 1)
    p = chdtrc(degrees, statistic)
    log_p = np.log(np.maximum(p, _NEARLY_ZERO))
    near_one, near_zero = p > 0.5, p < _NEARLY_ZERO
    if near_one.any():
        log_p = np.where(near_one, np.log1p(-np.minimum(chdtr(degrees, statistic), 0.5)), log_p)
    if near_zero.any():
        far = [np.broadcast_to(x, p.shape)[near_zero].astype(np.float64) for x in (degrees, statistic)]
        log_p = np.array(log_p)
        log_p[near_zero] = _log_tail(*far)
    return np.where(np.asarray(freedom) > 0, log_p, 0.0)


def _log_tail(freedom: Floats, statistic: Floats) -> Floats:
    """The same far out, by the continued fraction of the incomplete gamma function (Legendre's, evaluated as
    Lentz does): exp(-x) x^a / Γ(a) / (x + 1 - a - 1(1-a) / (x + 3 - a - 2(2-a) / (x + 5 - a - ...))).
    """
    a, x = freedom / 2, statistic / 2
    b = x + 1 - a
    d = 1 / b
    fraction, c, i = d.copy(), np.full_like(x, np.inf), 0
    while True:
        i += 1
        numerator = -i * (i - a)
        b = b + 2
        d = 1 / (b + numerator * d)
        c = b + numerator / c
        fraction *= c * d
        if not (np.abs(c * d - 1) >= 1e-15).any():
            return np.asarray(-x + a * np.log(x) - gammaln(a) + np.log(fraction), np.float64)
