"""Columns of numbers of which only those that are not 0 are held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """Entries column by column, as scipy's csc_matrix holds them; rows ascend within a column."""

    data: NDArray[Any]
    indices: NDArray[np.int32]  # the row of each entry
    indptr: NDArray[np.int64]  # where each column's entries begin; one more: where the last ends
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.indptr) - 1

    def column(self, column: int) -> NDArray[Any]:
        """One column, dense."""
        entries = slice(self.indptr[column], self.indptr[column + 1])
        dense = np.zeros(self.n_rows, self.data.dtype)
        dense[self.indices[entries]] = self.data[entries]
        return dense

    def take(self, rows: NDArray[np.intp]) -> SparseMatrix:
        """The rows at these ascending positions."""
        place = np.full(self.n_rows, -1, np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        new_rows = place[self.indices]
        kept = new_rows >= 0
        n_before = np.append(0, np.cumsum(kept, dtype=np.int64))
        return SparseMatrix(self.data[kept], new_rows[kept], n_before[self.indptr], len(rows))


@dataclass(frozen=True, eq=False)
class SparseInputs:
    """The columns of a sparse matrix as the native predictor takes them: it asks for those that a tree tests,
    and each is made dense when it is asked for.
    """

    matrix: SparseMatrix
    rows: NDArray[np.integer] | None = None  # None: all rows of the matrix

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.matrix) if self.rows is None else len(self.rows)

    def __len__(self) -> int:
        return self.matrix.n_columns

    def __getitem__(self, column: int) -> NDArray[Any]:
        if not 0 <= column < len(self):
            raise IndexError(f"there is no column {column}")
        dense = self.matrix.column(column)
        dense = dense if dense.dtype.kind == "f" else dense.astype(np.float64)
        return dense if self.rows is None else dense[self.rows]

    def by_row(self) -> Any:
        """The same numbers as scipy's csr_array, of which rows are taken fast."""
        from scipy.sparse import csc_array

        whole = self.matrix
        parts = (whole.data, whole.indices, whole.indptr)
        by_row = csc_array(parts, shape=(len(whole), whole.n_columns)).tocsr()
        return by_row if self.rows is None else by_row[self.rows]

    def take(self, positions: NDArray[np.integer]) -> SparseInputs:
        """The rows at these positions."""
        return SparseInputs(self.matrix, positions if self.rows is None else self.rows[positions])
