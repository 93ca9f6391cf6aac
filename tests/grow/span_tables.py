"""Random tables for trees that are grown through codes of ranges: ties, long tails, neighbouring floats,
missing values, weights, many classes, numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree import _core

SHAPES = ("normal", "tails", "rounded", "neighbours", "atoms", "repeated", "exponential", "far_out", "steps")
CRITERIA = ("gini", "entropy", "squared_error", "misclassification", "gain_ratio")


def column(rng: np.random.Generator, n: int, shape: str) -> Any:
    """Numbers of one kind of distribution."""
    x = rng.normal(size=n)
    match shape:
        case "tails":
            x = np.abs(x) ** 9 * np.sign(x)
        case "rounded":
            x = np.round(x * 40) / 4
        case "neighbours":  # a few floats that differ in the last bits
            x = (np.float32(1) + rng.integers(0, 40, n) * np.float32(2.0**-23)).astype(np.float64)
        case "atoms":
            x = np.where(rng.random(n) < 0.6, 0.0, x)
        case "repeated":
            x = rng.choice(x[: max(1, n // 3)], n)
        case "exponential":
            x = np.exp(8 * x)
        case "far_out":
            x[rng.integers(n)] = 1e30
            x[rng.integers(n)] = -1e300
        case "steps":
            x = np.floor(rng.random(n) * 30) + (rng.random(n) < 0.02) * 1e-9
    return x


def dtyped(rng: np.random.Generator, x: Any) -> Any:
    """The numbers in one of the types that tables have, in one of the layouts."""
    with np.errstate(over="ignore"):
        x = np.asarray(x.astype(rng.choice(["f4", "f8"])))
    return np.where(np.isinf(x), np.float32(3e38), x).astype(x.dtype)


def random_table(rng: np.random.Generator, n: int, n_columns: int) -> list[Any]:
    """Columns of numbers; some equal to each other or to a monotone function of another, so that they tie."""
    columns: list[Any] = []
    for _ in range(n_columns):
        if columns and rng.random() < 0.3:
            x = np.array(columns[rng.integers(len(columns))], dtype=np.float64)
            x = x if rng.random() < 0.5 else np.arctan(x) if rng.random() < 0.5 else -x
        else:
            x = column(rng, n, str(rng.choice(SHAPES)))
        x = dtyped(rng, x)
        if rng.random() < 0.3:
            x[rng.random(n) < rng.choice([0.02, 0.3, 0.9])] = np.nan
        columns.append(x)
    return columns


def random_target(
    rng: np.random.Generator, columns: list[Any], criterion: str, *, whole_weights: bool = False
) -> _core.Target:
    """A target that has to do with the columns, or is noise; with or without weights."""
    n = len(columns[0])
    signal = np.nan_to_num(
        np.argsort(np.argsort(columns[0])) / n + rng.normal(size=n) * rng.choice([0, 0.1, 1])
    )
    weight = [
        None,
        None,
        rng.integers(1, 4, n).astype(float),
        rng.random(n) + 1e-3,
        10.0 ** rng.uniform(-3, 3, n),
    ][rng.integers(3 if whole_weights else 5)]
    if criterion == "squared_error":
        y = np.round(signal * 4) if rng.random() < 0.4 else signal * 10 + 1000 * (rng.random() < 0.3)
        return _core.Target.numbers(y, weight)
    n_classes = int(rng.choice([2, 2, 3, 7, 20]))
    y = np.clip(np.floor(signal * n_classes), 0, n_classes - 1).astype(np.int32)
    return _core.Target.classes(y, n_classes, weight)


def random_rules(rng: np.random.Generator) -> dict[str, Any]:
    """How far a tree is grown."""
    rules: dict[str, Any] = {"min_leaf_rows": int(rng.choice([1, 1, 2, 10]))}
    if rng.random() < 0.3:
        rules["min_leaf_share"] = float(rng.choice([0.01, 0.05]))
    if rng.random() < 0.3:
        rules["max_leaves"] = int(rng.integers(2, 20))
    if rng.random() < 0.3:
        rules["max_depth"] = int(rng.integers(1, 6))
    return rules
