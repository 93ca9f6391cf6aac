"""Random problems for the loop: ties, weights, categories, missing values, many classes, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from grow_oracle import KINDS, GrowProblem


def random_column(rng: np.random.Generator, n: int, *, category: bool, n_values: int, missing: float) -> Any:
    """A column of few values (so of many ties), or of n distinct ones where n_values is at least n."""
    if category:
        values = rng.integers(0, n_values, n).astype(np.int32)
        values[rng.random(n) < missing] = -1
        return values
    values = rng.permutation(n) + rng.random(n) if n_values >= n else rng.integers(0, n_values, n) / 4
    values = values.astype(np.float64)
    values[rng.random(n) < missing] = np.nan
    return values


def random_weights(rng: np.random.Generator, n: int) -> Any:
    return [None, rng.integers(1, 4, n).astype(float), rng.random(n) + 1e-3, 10.0 ** rng.uniform(-3, 3, n)][
        rng.integers(4)
    ]


def random_problem(
    rng: np.random.Generator,
    criterion: str,
    kind: str,
    *,
    n: int | None = None,
    n_values: int | None = None,
    n_columns: int | None = None,
    **parameters: Any,
) -> GrowProblem:
    """A table whose columns all offer one kind of candidate."""
    n = int(rng.integers(2, 30)) if n is None else n
    n_columns = int(rng.integers(1, 4)) if n_columns is None else n_columns
    columns, n_categories = [], []
    for _ in range(n_columns):
        category = kind != "threshold" and bool(rng.random() < 0.7)
        count = int(rng.integers(1, 12)) if n_values is None else n_values
        missing = float(rng.choice([0, 0, 0.1, 0.4]))
        columns.append(random_column(rng, n, category=category, n_values=count, missing=missing))
        n_categories.append(count if category else None)
    if criterion == "squared_error":
        n_classes = 0
        target = rng.integers(0, 5, n).astype(float) if rng.random() < 0.5 else rng.normal(3, 10, n)
    else:
        n_classes = int(rng.choice([2, 2, 3, 7]))
        target = rng.integers(0, n_classes, n).astype(np.int32)
    return GrowProblem(
        columns,
        n_categories,
        target,
        n_classes,
        [KINDS[kind]] * n_columns,
        weight=random_weights(rng, n),
        criterion=criterion,
        parameters=parameters,
    )
