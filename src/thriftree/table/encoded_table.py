"""The codes of some rows as the core takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.table.column_values import MISSING


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """The codes of some rows and, column by column, what they stand for.

    What a code is, is known to the table and to the row store alone. Others ask for `distinct`, numbers that
    tell the values of a column apart, and for `numbers`, what the codes that a store counts by stand for.
    """

    core: _core.Table
    columns: tuple[ColumnSchema, ...]

    def distinct(self, column: int) -> NDArray[np.uint32]:
        """A number for each row's value in a column: the same for equal values, or for values of one bin.
        Known values of ordered columns are numbered in their order; `missing` comes after all of them.
        """
        return self.core.codes(column)

    def n_distinct(self, column: int) -> int:
        """One more than the largest number that `distinct` may give."""
        return self.core.column(column).n_codes

    @property
    def n_bytes(self) -> int:
        """About what the codes and what they stand for take."""
        counts = [self.n_distinct(j) for j in range(len(self.columns))]
        return sum(8 * n + self.core.n_rows * (1 if n <= 256 else 4) for n in counts)

    def missing(self, column: int) -> int | None:
        """The number that `distinct` gives to missing values; None if the column has none."""
        known = self.core.column(column)
        return known.n_codes - 1 if known.has_missing else None

    def n_known(self, column: int) -> int:
        """How many numbers `distinct` gives to values that are not missing."""
        known = self.core.column(column)
        return int(known.n_codes - known.has_missing)

    def numbers(self, column: int) -> NDArray[np.float64]:
        """What each known number of `distinct` counts as: the value itself; the number of the bin; the
        position of a category.
        """
        known = self.core.column(column)
        if len(known.values):
            return known.values
        return np.arange(known.n_codes - known.has_missing, dtype=np.float64)

    def edges(self, column: int) -> NDArray[np.float64]:
        """Of a column in bins, the number up to which each bin but the last goes; none of other columns."""
        return self.core.column(column).edges

    def all_distinct(self) -> NDArray[np.int64]:
        """`distinct` of every column, side by side."""
        return np.stack([self.distinct(j) for j in range(len(self.columns))], axis=1).astype(np.int64)

    def of_columns(self, columns: Sequence[int]) -> EncodedTable:
        """The same rows with these columns alone, in this order: what goes through all columns of a table
        takes no time for the others.
        """
        book, codes = self.core.book, [self.core.codes(j) for j in columns]
        core = _core.Table.__new__(_core.Table)
        core.__setstate__((self.core.n_rows, [book[j] for j in columns], [], codes))
        return EncodedTable(core, tuple(self.columns[j] for j in columns))

    def objects(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By row, the number of its object (rows of equal codes are one, numbered as they appear); and by
        object its first row.
        """
        number, first = self.core.objects()
        return number.astype(np.int64), first.astype(np.int64)


def one_code(n_rows: int, columns: tuple[ColumnSchema, ...]) -> _core.Table:
    """A table in which all numbers are in one bin, and all categories are missing."""
    number, missing = np.broadcast_to(np.float32(0), n_rows), np.broadcast_to(np.int32(MISSING), n_rows)
    n_categories = [len(s.categories) if s.kind == "category" else None for s in columns]
    arrays = [number if n is None else missing for n in n_categories]
    book = [
        _core.Column("ordered", 1, False) if n is None else _core.Column("category", n + 1, True)
        for n in n_categories
    ]
    return _core.encode_columns(arrays, n_categories, book=book)
