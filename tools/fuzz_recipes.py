"""Hand-written arguments for bindings whose arguments must agree with each other to get past the first check.

A recipe gives values for parameters by name; parameters it does not name are drawn from the signature. To
cover a new binding well, add a function here and a line to RECIPES; without one its signature alone is used.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from fuzz_arguments import Array, Draw, array, with_layout

Recipe = Callable[[Draw], dict[str, Any]]

THREADS = [1, 1, 2, 4, 0, -1, 2**31 - 1]


def encode_matrix(draw: Draw) -> dict[str, Any]:
    """Give a matrix of floats, with weights that fit it."""
    return {
        "x": array(draw, draw.one_of(["f4", "f8"]), 2),
        "max_bins": draw.one_of([None, 2, 255, 256, 1000, 0, -1]),
        "n_threads": draw.one_of(THREADS),
    }


def encode_columns(draw: Draw) -> dict[str, Any]:
    """Give columns of the three kinds; codes may be missing (-1), unseen (-2) or out of range."""
    columns: list[Array] = []
    for _ in range(draw.columns):
        if draw.chance(0.5):
            columns.append(array(draw, draw.one_of(["f4", "f8"]), 1))
        else:
            columns.append(with_layout(draw, draw.rng.integers(-3, 9, draw.rows).astype("i4")))
    return {"columns": columns, "n_threads": draw.one_of(THREADS)}


def tree_from_arrays(draw: Draw) -> dict[str, Any]:
    """Give the arrays of a valid stump, half the time with a wrong value in two of them."""
    stump: dict[str, Any] = {
        "n_columns": 2,
        "n_classes": 2,
        "parent": np.array([-1, 0, 0], "i4"),
        "kind": np.array([1, 0, 0], "u1"),
        "column": np.array([0, -1, -1], "i4"),
        "missing": np.zeros(3, "i4"),
        "other": np.zeros(3, "i4"),
        "child_begin": np.array([0, 2, 2, 2], "i4"),
        "children": np.array([1, 2], "i4"),
        "key_begin": np.array([0, 1, 1, 1], "i4"),
        "keys": np.array([0.5]),
        "to_begin": np.array([0, 2, 2, 2], "i4"),
        "to": np.array([0, 1], "i4"),
        "rows": np.array([4, 2, 2], "i8"),
        "objects": np.array([4, 2, 2], "i8"),
        "weight": np.array([4.0, 2.0, 2.0]),
        "value": np.array([2.0, 2.0, 2.0, 0.0, 0.0, 2.0]),
        "impurity": np.array([0.5, 0.0, 0.0]),
        "score": np.array([0.5, np.nan, np.nan]),
        "label": np.array([0, 0, 1], "i4"),
    }
    if draw.chance(0.5):
        for name in draw.rng.choice([n for n, v in stump.items() if isinstance(v, np.ndarray)], 2):
            changed = stump[name].copy()
            change = draw.one_of([-(2**31), -2, -1, 0, 1, 2, 3, 100, 2**31 - 1])
            changed[int(draw.rng.integers(changed.size))] = (
                change & 0xFF if changed.dtype == np.uint8 else change
            )
            stump[name] = changed
    return stump


def grow(draw: Draw) -> dict[str, Any]:
    """Give a table that an earlier call made, with a target of its length where that can be known."""
    tables = draw.pool.get("Table")
    if not tables:
        return {}
    table = draw.one_of(tables)
    draw.rows = int(getattr(table, "n_rows", draw.rows))
    target = draw.rng.integers(0, max(draw.classes, 1), draw.rows).astype("i4")
    return {"table": table, "target": with_layout(draw, target), "n_threads": draw.one_of(THREADS)}


RECIPES: dict[str, Recipe] = {
    "encode_matrix": encode_matrix,
    "encode_columns": encode_columns,
    "Tree.from_arrays": tree_from_arrays,
    "grow": grow,
}
