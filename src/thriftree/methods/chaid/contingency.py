"""Chi-squared tests of tables of counts: categories in rows, classes in columns."""

from __future__ import annotations

from math import log
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, xlogy

from thriftree.learning.targets import Floats
from thriftree.methods.log_p_values import log_p_of_chi2, log_p_of_one_chi2

Statistic = Literal["pearson", "likelihood_ratio"]
Counts = NDArray[Any]

_LOG_HALF = -log(2.0)
_PAIRWISE = 8  # numpy adds so many numbers and more in another order than one after the other


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
    freedom = (of_class != 0).sum(axis=-1) - 1
    if statistic == "pearson":
        expected = of_class * (of_a / total) * (of_b / total)
        parts = ((a * of_b - b * of_a) / total) ** 2 / np.where(expected > 0, expected, 1.0)
        return parts.sum(axis=-1), freedom
    parts = sum(
        xlogy(n, n * total / np.where(n > 0, of_n * of_class, 1.0)) for n, of_n in ((a, of_a), (b, of_b))
    )
    return np.maximum(2 * parts.sum(axis=-1), 0.0), freedom


def pair_log_p(a: list[float], b: list[float], statistic: Statistic) -> float:
    """The log p-value of one table of two rows: what `pair_tests` and `log_p_values` give for it, to the last
    digit, without making arrays.
    """
    if statistic != "pearson" or len(a) >= _PAIRWISE:
        return float(log_p_values(*pair_tests(np.array(a), np.array(b), statistic)))
    of_a, of_b = sum(a), sum(b)
    total = of_a + of_b
    share_a, share_b = of_a / total, of_b / total
    value, freedom = 0.0, -1
    for n, m in zip(a, b, strict=True):
        of_class = n + m
        freedom += of_class != 0
        expected = of_class * share_a * share_b
        off = (n * of_b - m * of_a) / total
        value += off * off / (expected if expected > 0 else 1.0)
    return log_p_value(value, freedom)


def log_p_value(statistic: float, freedom: float) -> float:
    """As `log_p_values`, of one number."""
    if freedom <= 0:
        return 0.0
    log_p = log_p_of_one_chi2(statistic, freedom)
    if log_p > _LOG_HALF:
        log_p = float(np.log1p(-min(float(chdtr(freedom, statistic)), 0.5)))
    return log_p


def log_p_values(statistic: Any, freedom: Any) -> Floats:
    """Natural logarithm of the chance that chi-squared exceeds the statistic; 0 without a degree of freedom.

    As logarithms p-values keep their order where they themselves would all be 0, or all be 1.
    """
    freedom, statistic = np.asarray(freedom, np.float64), np.asarray(statistic, np.float64)
    if statistic.shape != freedom.shape:
        statistic, freedom = np.broadcast_arrays(statistic, freedom)
    degrees = np.maximum(freedom, 1.0).ravel()
    log_p = log_p_of_chi2(statistic.ravel(), degrees).reshape(statistic.shape)
    near_one = log_p > _LOG_HALF
    if near_one.any():
        below = chdtr(degrees.reshape(statistic.shape), statistic)
        log_p = np.where(near_one, np.log1p(-np.minimum(below, 0.5)), log_p)
    return np.where(freedom > 0, log_p, 0.0)
