"""What the native predictor takes: rows by their exact values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Union

import numpy as np
from numpy.typing import NDArray

from thriftree.table.column_values import floats
from thriftree.table.frame import Array, Matrix
from thriftree.table.sparse_matrix import SparseInputs, SparseMatrix

# One 2-D float array; an array a column: floats, or int32 positions of categories; or sparse columns.
Inputs = Union[Array, list[Array], SparseInputs, "LazyColumns"]


class LazyColumns:
    """Columns that are fetched when they are asked for, once, as the native predictor takes them."""

    def __init__(
        self,
        n_columns: int,
        n_rows: int,
        fetch: Callable[[int], Array],
        rows: NDArray[np.integer] | None = None,
    ) -> None:
        self._n_columns, self._n_rows, self._fetch, self._rows = n_columns, n_rows, fetch, rows

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self._n_rows if self._rows is None else len(self._rows)

    def __len__(self) -> int:
        return self._n_columns

    def __iter__(self) -> Iterator[Array]:
        return (self[j] for j in range(len(self)))

    def __getitem__(self, column: int) -> Array:
        if not 0 <= column < len(self):
            raise IndexError(f"there is no column {column}")
        values = self._fetch(column)
        return values if self._rows is None else values[self._rows]

    def take(self, positions: NDArray[np.integer]) -> LazyColumns:
        """The rows at these positions."""
        rows = positions if self._rows is None else self._rows[positions]
        return LazyColumns(self._n_columns, self._n_rows, self._fetch, rows)


def inputs_of(matrix: Matrix, rows: NDArray[np.intp] | None = None) -> Inputs:
    """A matrix of numbers, or some of its rows."""
    if isinstance(matrix, SparseMatrix):
        return SparseInputs(matrix, rows)
    return floats(matrix if rows is None else matrix[rows])


def rows_of_inputs(inputs: Inputs, positions: NDArray[np.integer]) -> Inputs:
    """The rows at these positions."""
    if isinstance(inputs, (SparseInputs, LazyColumns)):
        return inputs.take(positions)
    return [column[positions] for column in inputs] if isinstance(inputs, list) else inputs[positions]
