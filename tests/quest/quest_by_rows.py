"""QUEST at one node from rows and scipy's tests: slow, and with nothing of the library in it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import optimize, stats


def p_of_means(x: Any, y: Any) -> float:
    """Of the analysis of variance."""
    return _p(stats.f_oneway, x, y)


def p_of_spreads(x: Any, y: Any) -> float:
    """Of Levene's test about the means; 1 where two rows a class leave nothing to compare."""
    if np.unique(y, return_counts=True)[1].max() <= 2:
        return 1.0
    return _p(lambda *groups: stats.levene(*groups, center="mean"), x, y)


def _p(test: Any, x: Any, y: Any) -> float:
    groups = [x[y == c] for c in np.unique(y)]
    if len(x) <= len(groups):
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of groups without spread
        p = float(test(*groups).pvalue)
    return 1.0 if np.isnan(p) else p


def p_of_categories(x: Any, y: Any) -> float:
    """Of Pearson's chi-squared test."""
    table = np.array([[np.sum((x == v) & (y == c)) for c in np.unique(y)] for v in np.unique(x)])
    return float(stats.chi2_contingency(table, correction=False).pvalue)


def selected(X: Any, y: Any, categorical: tuple[int, ...], alpha: float = 0.05) -> list[int]:
    """The columns that QUEST may split, several if they tie; NaN is missing."""
    known = {j: ~np.isnan(X[:, j]) for j in range(X.shape[1])}
    usable = [j for j, k in known.items() if len(np.unique(X[k, j])) > 1 and len(np.unique(y[k])) > 1]
    numbers = [j for j in usable if j not in categorical]
    first = {
        j: (p_of_categories if j in categorical else p_of_means)(X[known[j], j], y[known[j]]) for j in usable
    }
    if not usable or min(first.values()) <= alpha / len(usable):
        return _least(first)
    spreads = {j: p_of_spreads(X[known[j], j], y[known[j]]) for j in numbers}
    if numbers and min(spreads.values()) <= alpha / (len(usable) + len(numbers)):
        return _least(spreads)
    return _least(first)


def _least(p_values: dict[int, float]) -> list[int]:
    return [j for j, p in p_values.items() if p <= min(p_values.values()) * (1 + 1e-9) + 1e-25]


def superclass(x: Any, y: Any) -> Any:
    """Which rows are of one of the two groups of classes: every way to cut the sorted means is tried."""
    classes = np.unique(y)
    means = np.array([x[y == c].mean() for c in classes])
    if np.ptp(means) < 1e-9 * np.ptp(x):
        return y == classes[np.argmax([np.sum(y == c) for c in classes])]
    order = np.argsort(means)
    n = len(classes)
    within = [means[order[:k]].var() * k + means[order[k:]].var() * (n - k) for k in range(1, n)]
    return np.isin(y, classes[order[: int(np.argmin(within)) + 1]])


def split_point(x: Any, y: Any) -> float:
    """By scanning for sign changes of the difference of two log densities."""
    in_a = superclass(x, y)
    a, b = x[in_a], x[~in_a]
    if b.var() < a.var():
        a, b = b, a
    if np.ptp(a) == 0:
        beyond = x[x > a[0]].min() if b.mean() > a[0] else x[x < a[0]].max()
        return float((a[0] + beyond) / 2)

    def lead(t: Any) -> Any:
        log_a = np.log(len(a)) + stats.norm.logpdf(t, a.mean(), a.std())
        return log_a - np.log(len(b)) - stats.norm.logpdf(t, b.mean(), b.std())

    wide = a.mean() + 60 * np.ptp(x) * np.linspace(-1, 1, 4001)
    grid = np.sort(np.concatenate([wide, np.linspace(x.min(), x.max(), 4001)]))
    changes = np.flatnonzero(np.diff(np.sign(lead(grid))))
    roots = [optimize.brentq(lead, grid[i], grid[i + 1], xtol=1e-14) for i in changes]
    if abs(a.mean() - b.mean()) > 1e-9 * np.ptp(x):
        roots = sorted(roots, key=lambda t: abs(t - a.mean()))[:1]
    inside = [root for root in roots if x.min() <= root < x.max()]
    return float(inside[0]) if inside else float(a.mean() + b.mean()) / 2


def crimcoord(x: Any, y: Any) -> dict[float, float]:
    """The first discriminant coordinate of each category, by the eigenproblem as it is defined on rows."""
    levels = np.unique(x)
    rows = (x[:, None] == levels).astype(float)
    centred = rows - rows.mean(axis=0)
    total = centred.T @ centred
    between = np.zeros_like(total)
    for c in np.unique(y):
        mean = centred[y == c].mean(axis=0)
        between += np.sum(y == c) * np.outer(mean, mean)
    spread, axes = np.linalg.eigh(total)
    kept = spread > 1e-9 * spread.max()
    to_sphere = axes[:, kept] / np.sqrt(spread[kept])
    strength, directions = np.linalg.eigh(to_sphere.T @ between @ to_sphere)
    # The singular vectors of the table are the scores times the roots of the categories' sizes. All that are
    # as strong as the strongest span a space; of its directions, the one in which the first category that
    # tells anything lies farthest to the left.
    leading = (to_sphere @ directions[:, strength > strength[-1] * (1 - 1e-9)]) * np.sqrt(rows.sum(axis=0))[
        :, None
    ]
    leading = np.linalg.qr(
        leading - np.outer(np.sqrt(rows.mean(axis=0)), np.sqrt(rows.mean(axis=0)) @ leading)
    )[0]
    first = np.flatnonzero((leading**2).sum(axis=1) > 1e-9)[0]
    scores = -(leading @ leading[first]) / np.sqrt(rows.sum(axis=0))
    scores -= scores.mean()
    # Rounded, so that categories of equal shares have equal scores.
    return dict(zip(levels.tolist(), (scores / np.abs(scores).max()).round(9).tolist(), strict=True))
