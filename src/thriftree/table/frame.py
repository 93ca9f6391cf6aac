"""A table as plain numpy columns: what every reader of frames, arrays and files makes of what it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Scalar, Temporal
from thriftree.table.sparse_matrix import SparseMatrix

Array = NDArray[Any]
Matrix = Array | SparseMatrix
Values = Matrix | tuple[Array, ...]  # of a table: one matrix of numbers, or an array a column


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers: float32, float64, or integers; NaN is missing. With ``temporal`` they are float64
    and stand for dates and the like.
    """

    values: Array
    temporal: Temporal | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """A column of labels: ``codes[i]`` is the place of row i's label in ``levels``, -1 if it is missing."""

    codes: NDArray[np.int32]
    levels: list[Scalar]
    ordered: bool = False  # the order of the levels means something


@dataclass(frozen=True, slots=True)
class Frame:
    """A table as numpy columns, or as one numeric matrix, dense or sparse, where it came as one (``columns``
    is empty then).
    """

    n_rows: int
    names: list[str]
    has_names: bool  # False: the names are x0, x1, ...
    columns: list[Numbers | Levels]
    matrix: Matrix | None = None  # 2-D, float32, float64 or integers, not copied if it was such an array

    def column(self, index: int) -> Numbers | Levels:
        """One column, wherever it is held."""
        return self.columns[index] if self.matrix is None else Numbers(column_of(self.matrix, index))


def column_of(values: Values, column: int) -> Array:
    """One column of a table's values."""
    if isinstance(values, SparseMatrix):
        return values.column(column)
    return values[:, column] if isinstance(values, np.ndarray) else values[column]


def rows_of(values: Values, rows: NDArray[np.intp]) -> Values:
    """A table's values in the rows at these ascending positions."""
    if isinstance(values, SparseMatrix):
        return values.take(rows)
    return values[rows] if isinstance(values, np.ndarray) else tuple(column[rows] for column in values)


def n_rows_of(values: Values) -> int:
    """How many rows a table's values have."""
    return len(values[0]) if isinstance(values, tuple) else len(values)
