"""Small random tables that are hard on a tree learner: ties, weights, missing values, categories, many
classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SmallTable:
    """Columns of float64, NaN where missing; `categorical` lists the columns whose numbers are only names."""

    X: Floats
    y: NDArray[Any]
    sample_weight: Floats | None
    categorical: tuple[int, ...]
    n_classes: int  # 0: the target is a number

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)


def small_table(
    seed: int,
    *,
    n_rows: int = 20,
    n_columns: int = 3,
    n_classes: int = 2,
    n_values: int = 5,
    weighted: bool = False,
    missing: bool = False,
    categories: bool = False,
) -> SmallTable:
    """A table of few distinct values, so that ties and equal rows abound. Every class occurs.

    Weights are multiples of 1/8 and numeric targets of 1/4: sums of them are exact in float64.
    """
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, size=(n_rows, n_columns)).astype(np.float64)
    categorical = tuple(np.flatnonzero(random.random(n_columns) < 0.5).tolist()) if categories else ()
    ordered = [j for j in range(n_columns) if j not in categorical]
    X[:, ordered] = X[:, ordered] * 0.75 - 1.0
    if missing:
        X[random.random(X.shape) < 0.2] = np.nan
    if n_classes:
        y: NDArray[Any] = random.integers(0, n_classes, size=n_rows)
        y[:n_classes] = np.arange(n_classes)[:n_rows]
    else:
        y = random.integers(-8, 9, size=n_rows) / 4.0
    weight = random.integers(1, 25, size=n_rows) / 8.0 if weighted else None
    return SmallTable(X, y, weight, categorical, n_classes)


def small_tables(*, max_rows: int = 24, max_columns: int = 4, numbers: bool = False) -> Any:
    """A hypothesis strategy of small tables; `numbers` asks for numeric targets."""
    from hypothesis import strategies as st

    classes = st.just(0) if numbers else st.integers(2, 6)
    return st.builds(
        small_table,
        seed=st.integers(0, 2**32 - 1),
        n_rows=st.integers(6, max_rows),
        n_columns=st.integers(1, max_columns),
        n_classes=classes,
        n_values=st.sampled_from([2, 3, 5, 12]),
        weighted=st.booleans(),
        missing=st.booleans(),
        categories=st.booleans(),
    )


def spread_table(seed: int, *, n_rows: int = 200, n_columns: int = 6, n_classes: int = 3) -> SmallTable:
    """Numbers without ties, float32-representable and far apart, with a target that depends on some of
    them.
    """
    random = np.random.default_rng(seed)
    ranks = np.argsort(random.random((n_rows, n_columns)), axis=0)
    X = ranks.astype(np.float64) / 16.0 - n_rows / 32.0
    signal = X[:, 0] - 0.7 * X[:, 1] * (X[:, -1] > 0) + random.normal(scale=n_rows / 40.0, size=n_rows)
    if n_classes == 0:
        return SmallTable(X, np.round(signal * 16.0) / 16.0, None, (), 0)
    edges = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    return SmallTable(X, np.searchsorted(edges, signal), None, (), n_classes)
