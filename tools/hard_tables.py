"""Five tables that are hard on limits, each in its own way; all are the same in every run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

from thriftree import ParquetTable

_ROWS_OF_A_GROUP = 20_000


class HardTable(NamedTuple):
    """Columns, and a target of either kind."""

    X: Any
    classes: Any
    numbers: Any


def in_parts(table: HardTable, folder: Path) -> HardTable:
    """The same in a Parquet file of several row groups: X is its path, the targets are names of columns."""
    X = table.X if isinstance(table.X, pd.DataFrame) else pd.DataFrame(table.X).add_prefix("x")
    file = folder / "table.parquet"
    X.assign(classes=table.classes, numbers=table.numbers).to_parquet(file, row_group_size=_ROWS_OF_A_GROUP)
    return HardTable(file, "classes", "numbers")


def features_in_parts(file: Path, target: str) -> ParquetTable:
    """Such a file without its other target."""
    names = ParquetTable(file).column_names
    return ParquetTable(
        file, columns=[name for name in names if name not in {"classes", "numbers"} - {target}]
    )


def many_rows(scale: float = 1.0) -> HardTable:
    """200,000 × 50 floats, no two alike."""
    rng, n = np.random.default_rng(1), int(200_000 * scale)
    X = rng.normal(size=(n, 50))
    return _of(X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n), 2)


def many_columns(scale: float = 1.0) -> HardTable:
    """5,000 × 500 floats."""
    rng, n = np.random.default_rng(2), int(5_000 * scale)
    X = rng.normal(size=(n, 500))
    return _of(X, X[:, 0] + X[:, 1] + rng.normal(size=n), 2)


def many_classes(scale: float = 1.0) -> HardTable:
    """50,000 × 20 floats of 20 classes."""
    rng, n = np.random.default_rng(3), int(50_000 * scale)
    X = rng.normal(size=(n, 20))
    return _of(X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n), 20)


def many_categories(scale: float = 1.0) -> HardTable:
    """100,000 rows, with one column of 50,000 categories and three others."""
    rng, n = np.random.default_rng(4), int(100_000 * scale)
    code = rng.permutation(np.arange(n) // 2)
    X = pd.DataFrame({"category": [f"c{value}" for value in code]})
    X["a"], X["b"], X["c"] = rng.normal(size=n), rng.integers(0, 9, n), rng.normal(size=n)
    return _of(X, np.sin(code) + X["a"].to_numpy() + rng.normal(size=n), 2)


def many_objects(scale: float = 1.0) -> HardTable:
    """100,000 distinct rows of six columns of categories."""
    rng, n = np.random.default_rng(5), int(100_000 * scale)
    sizes = (12, 10, 8, 8, 6, 5)
    cells = np.unravel_index(rng.permutation(int(np.prod(sizes)))[:n], sizes)
    X = pd.DataFrame({f"x{j}": [f"v{value}" for value in cell] for j, cell in enumerate(cells)})
    score = sum(rng.normal(size=size)[cell] for size, cell in zip(sizes, cells, strict=True))
    return _of(X, score + rng.normal(size=n), 3)


def _of(X: Any, score: NDArray[np.float64], n_classes: int) -> HardTable:
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return HardTable(X, np.searchsorted(edges, score), score)


HARD_TABLES: dict[str, Callable[[float], HardTable]] = {
    "rows": many_rows,
    "columns": many_columns,
    "classes": many_classes,
    "categories": many_categories,
    "objects": many_objects,
}
