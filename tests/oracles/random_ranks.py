"""Random small tables of ranks: ties, constant and equal columns, one row, one class, any objective."""

from __future__ import annotations

import numpy as np

from oracles.all_threshold_trees import RankedTable


def random_ranks(rng: np.random.Generator, n_rows: int, n_columns: int) -> list[np.ndarray]:
    """Columns of dense ranks: constant, equal to the last, two-valued, with ties, or without any."""
    columns: list[np.ndarray] = []
    for _ in range(n_columns):
        values = {
            "constant": np.zeros(n_rows, int),
            "equal": columns[-1] if columns else np.zeros(n_rows, int),
            "two": rng.integers(0, 2, n_rows),
            "ties": rng.integers(0, 4, n_rows),
            "none": rng.permutation(n_rows),
        }
        kind = rng.choice(list(values), p=[0.1, 0.1, 0.2, 0.3, 0.3])
        columns.append(np.unique(values[kind], return_inverse=True)[1])
    return columns


def random_table(rng: np.random.Generator, max_depth: int, most_rows: int) -> RankedTable:
    """Any number of classes to 6, weights (0 and huge ones too), error costs, penalties and limits."""
    n = int(rng.integers(1, most_rows + 1))
    n_classes = int(rng.choice([1, 2, 2, 2, 3, 4, 5, 6]))
    columns = random_ranks(rng, n, int(rng.integers(1, 5)))
    labels = rng.integers(0, n_classes, n)
    if rng.random() < 0.3:  # something to learn
        labels = (columns[0] + columns[-1] + (rng.random(n) < 0.2)) % n_classes
    huge = rng.random() < 0.15
    weights = np.ones(n, int) if rng.random() < 0.5 else rng.integers(0, 6, n) * (2**33 if huge else 1)
    costs = 1 - np.eye(n_classes, dtype=int)
    if rng.random() < 0.4:
        costs = rng.integers(0, 5, (n_classes, n_classes)) * int(rng.choice([1, 1, 1, 2**12]))
    unit = 2.0**32 if weights.max() > 5 else 1.0
    return RankedTable(
        ranks=tuple(tuple(c.tolist()) for c in columns),
        labels=tuple(labels.tolist()),
        n_classes=n_classes,
        weights=tuple(weights.tolist()),
        error_costs=tuple(tuple(row) for row in costs.tolist()),
        leaf_penalty=unit * float(rng.choice([0, 0, 0.3, 0.5, 1, 2, 7.1])),
        max_depth=max_depth,
        max_leaves=None if rng.random() < 0.6 else int(rng.integers(1, 9)),
        min_leaf=int(rng.choice([1, 1, 1, 2, 3])),
        min_leaf_weight=int(rng.choice([0, 0, 0, 2, 5])),
    )
