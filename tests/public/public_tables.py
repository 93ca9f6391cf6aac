"""Random tables that have something to learn and something to prune."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thriftree.testing.makers import SmallTable


def noisy_table(seed: int, n_rows: int | None = None) -> SmallTable:
    """Numbers and categories, half of the time with weights and missing values, of two to five classes.
    Labels follow two of the columns, but for some noise.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 160)) if n_rows is None else n_rows
    n_columns, n_classes = int(rng.integers(1, 5)), int(rng.integers(2, 6))
    X = rng.integers(0, rng.integers(2, 12, size=n_columns), size=(n, n_columns)).astype(float)
    signal = X[:, 0] * 2 + X[:, -1] + rng.normal(0, rng.choice([0.1, 1.0, 4.0]), n)
    y = np.argsort(np.argsort(signal)) * n_classes // n
    noisy = rng.random(n) < rng.choice([0.0, 0.1, 0.3])
    y[noisy] = rng.integers(0, n_classes, noisy.sum())
    categorical = tuple(np.flatnonzero(rng.random(n_columns) < 0.4).tolist())
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.15] = np.nan
    weight = rng.integers(1, 25, size=n) / 8.0 if rng.random() < 0.5 else None
    return SmallTable(X, y, weight, categorical, n_classes)


def noisy_tables(n: int) -> Iterator[SmallTable]:
    return (noisy_table(seed) for seed in range(n))


def tiny_table(seed: int) -> SmallTable:
    """Few enough rows and values to try all trees."""
    rng = np.random.default_rng(seed)
    n, n_columns = int(rng.integers(3, 9)), int(rng.integers(1, 3))
    X = rng.integers(0, 4, size=(n, n_columns)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    categorical = tuple(np.flatnonzero(rng.random(n_columns) < 0.4).tolist())
    y = rng.integers(0, rng.integers(2, 5), size=n)
    # Heavy rows make trees worth their bits; light ones try the terms that would be negative.
    weight = rng.choice([0.05, 1.0, 5.0, 20.0], size=n) if rng.random() < 0.8 else None
    return SmallTable(X, y, weight, categorical, int(y.max()) + 1)
