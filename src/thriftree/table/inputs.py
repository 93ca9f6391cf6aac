"""What the native predictor takes: rows by their exact values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thriftree.table.column_values import floats
from thriftree.table.frame import Array, Matrix
from thriftree.table.sparse_matrix import SparseInputs, SparseMatrix

# One 2-D float array; an array a column: floats, or int32 positions of categories; or sparse columns.
Inputs = Array | list[Array] | SparseInputs


def inputs_of(matrix: Matrix, rows: NDArray[np.intp] | None = None) -> Inputs:
    """A matrix of numbers, or some of its rows."""
    if isinstance(matrix, SparseMatrix):
        return SparseInputs(matrix, rows)
    return floats(matrix if rows is None else matrix[rows])


def rows_of_inputs(inputs: Inputs, positions: NDArray[np.integer]) -> Inputs:
    """The rows at these positions."""
    if isinstance(inputs, SparseInputs):
        return inputs.take(positions)
    return [column[positions] for column in inputs] if isinstance(inputs, list) else inputs[positions]
