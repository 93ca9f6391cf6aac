"""The rows that MSI compresses, as bytes, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from thriftree.methods.msi.stopping import Look
from thriftree.table.inputs import Inputs, rows_of_inputs
from thriftree.table.sparse_matrix import SparseInputs

Floats = NDArray[np.float64]

_PIECE_BYTES = 1 << 17


class FeatureRows:
    """The features as rows of little-endian float64: equal tables have equal bytes, whatever they came as.

    `inputs` is what `prediction_inputs` gives: one array of numbers, or an array a column, where integers are
    codes of categories. Codes count as numbers, missing values are one NaN, and -0 is 0. No more than a piece
    is ever copied.
    """

    def __init__(self, inputs: Inputs, n_rows: int, n_columns: int) -> None:
        self._inputs = inputs
        self._by_row = inputs.by_row() if isinstance(inputs, SparseInputs) else None
        self.n_rows, self.n_columns = n_rows, n_columns
        self._piece_rows = max(1, _PIECE_BYTES // (8 * self.n_columns))

    def pieces(self, chosen: NDArray[np.bool_] | None = None) -> Iterator[Floats]:
        """All rows, or the chosen ones, in their order, some at a time."""
        numbers = np.arange(self.n_rows) if chosen is None else np.flatnonzero(chosen)
        for begin in range(0, len(numbers), self._piece_rows):
            yield self._matrix(numbers[begin : begin + self._piece_rows])

    def has_missing(self, look: Look) -> list[bool]:
        """By column, whether a row lacks its value."""
        found = np.zeros(self.n_columns, dtype=bool)
        for piece in self.pieces():
            look(0.0)
            found |= np.isnan(piece).any(axis=0)
        return [bool(missing) for missing in found]

    def _matrix(self, positions: NDArray[np.intp]) -> Floats:
        if self._by_row is not None:
            inputs: Inputs = self._by_row[positions].toarray()
        else:
            inputs = rows_of_inputs(self._inputs, positions)
        assert not isinstance(inputs, SparseInputs)
        if isinstance(inputs, np.ndarray):
            matrix = inputs.astype("<f8", order="C")
        else:
            matrix = np.empty((len(positions), self.n_columns), dtype="<f8")
            for j, column in enumerate(inputs):
                matrix[:, j] = np.where(column < 0, np.nan, column) if column.dtype.kind == "i" else column
        matrix += 0.0
        matrix[np.isnan(matrix)] = np.nan
        return matrix
