"""The rows that MSI compresses, as bytes, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.methods.msi.stopping import Look
from thriftree.table.sparse_matrix import SparseInputs

Floats = NDArray[np.float64]

_PIECE_BYTES = 1 << 17


class FeatureRows:
    """The features as rows of little-endian float64: equal tables have equal bytes, whatever they came as.

    `inputs` is what `prediction_inputs` gives: one array of numbers, or an array a column, where integers are
    codes of categories. Codes count as numbers, missing values are one NaN, and -0 is 0. No more than a piece
    is ever copied, but sparse columns are made dense.
    """

    def __init__(self, inputs: NDArray[Any] | Sequence[NDArray[Any]] | SparseInputs) -> None:
        inputs = list(inputs) if isinstance(inputs, SparseInputs) else inputs
        self._inputs = inputs
        matrix = isinstance(inputs, np.ndarray)
        self.n_columns = inputs.shape[1] if isinstance(inputs, np.ndarray) else len(inputs)
        self.n_rows = len(inputs) if matrix else len(inputs[0])
        self._piece_rows = max(1, _PIECE_BYTES // (8 * self.n_columns))

    def pieces(self, chosen: NDArray[np.bool_] | None = None) -> Iterator[Floats]:
        """All rows, or the chosen ones, in their order, some at a time."""
        if chosen is None:
            for begin in range(0, self.n_rows, self._piece_rows):
                yield self._matrix(slice(begin, begin + self._piece_rows))
            return
        numbers = np.flatnonzero(chosen)
        for begin in range(0, len(numbers), self._piece_rows):
            yield self._matrix(numbers[begin : begin + self._piece_rows])

    def has_missing(self, look: Look) -> list[bool]:
        """By column, whether a row lacks its value."""
        found = np.zeros(self.n_columns, dtype=bool)
        for piece in self.pieces():
            look(0.0)
            found |= np.isnan(piece).any(axis=0)
        return [bool(missing) for missing in found]

    def _matrix(self, rows: slice | NDArray[np.intp]) -> Floats:
        if isinstance(self._inputs, np.ndarray):
            matrix = self._inputs[rows].astype("<f8", order="C")
        else:
            parts = [column[rows] for column in self._inputs]
            matrix = np.empty((len(parts[0]), self.n_columns), dtype="<f8")
            for j, part in enumerate(parts):
                matrix[:, j] = np.where(part < 0, np.nan, part) if part.dtype.kind == "i" else part
        matrix += 0.0
        matrix[np.isnan(matrix)] = np.nan
        return matrix
