"""Codes: rows of a table as small integers under a code book, made once; sets of these rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, is_plain_number
from thriftree.table.column_values import as_column, floats, values_as
from thriftree.table.encoded_table import EncodedTable, one_code
from thriftree.table.frame import Array, Values, column_of, n_rows_of
from thriftree.table.inputs import Inputs, LazyColumns, inputs_of
from thriftree.table.target_order import columns_to_rank, new_codes, order_by_mean

if TYPE_CHECKING:
    from thriftree.table.code_book import CodeBook


class Coded:
    """The codes of all rows that were read together, shared by all sets of these rows. They are given, or
    made when they are first asked for. `in_time`: no limit of time cut the coding short.
    """

    def __init__(self, codes: _core.Table | Callable[[], _core.Table], *, in_time: bool = True) -> None:
        self._codes = codes
        self.in_time = in_time  # else every column has one code
        self.made_the_book = isinstance(codes, _core.Table)  # else they are made by a book of other rows

    @property
    def core(self) -> _core.Table:
        """The codes as the core holds them."""
        if not isinstance(self._codes, _core.Table):
            self._codes = self._codes()
        return self._codes


@dataclass(frozen=True, eq=False)
class Codes:
    """Rows that were read once and are coded by a code book, and a set of these rows.

    `take` copies nothing. Growing asks for the `table` of the rows, measuring for their `inputs`, which are
    the exact values as the predictor takes them. The codes never depend on a target.
    """

    book: CodeBook
    values: Values  # exact, of all rows
    coded: Coded  # all rows
    rows: NDArray[np.intp] | None = None  # ascending positions among all rows; None: all of them

    def __len__(self) -> int:
        return n_rows_of(self.values) if self.rows is None else len(self.rows)

    @property
    def columns(self) -> tuple[ColumnSchema, ...]:
        """What is known of each column."""
        return self.book.columns

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, as of a frame."""
        return len(self), len(self.columns)

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows that the code book was made of."""
        return self.rows is None and self.coded.made_the_book

    def take(self, index: NDArray[np.intp]) -> Codes:
        """The rows at these positions, in ascending order of the frame's rows."""
        return replace(self, rows=np.asarray(index) if self.rows is None else self.rows[index])

    def table(
        self,
        *,
        proportion_encode: Any = None,
        proportion_of: ArrayLike | None = None,
        sample_weight: NDArray[np.float64] | None = None,
        memory_limit_mb: float | None = None,
    ) -> EncodedTable:
        """The codes of these rows.

        ``proportion_encode`` (columns, or a number: the category columns of more categories than that) puts
        a column's categories in the order of the weighted mean of ``proportion_of`` (one number a row, see
        `class_indicator`), so that a tree may cut that order. The order is all that is kept of the target:
        the tests stored are sets of categories.

        Rows of a code book that was made of other rows may hold what it does not know: that is an error here,
        where a tree is to be grown from them, and none in `inputs`.
        """
        ranked = columns_to_rank(proportion_encode, self.columns)
        if self.rows is None and not ranked:
            return EncodedTable(self.coded.core, self.columns)
        if ranked and proportion_of is None:
            raise ValueError("proportion_encode needs proportion_of, one number for each row")
        columns, orders = list(self.columns), []
        for j in ranked:
            categories = columns[j].categories
            order = order_by_mean(
                self.column_values(j), len(categories), np.asarray(proportion_of), sample_weight
            )
            orders.append((j, new_codes(order, len(categories))))
            columns[j] = replace(columns[j], categories=tuple(categories[i] for i in order))
        rows = None if self.rows is None else self.rows.astype(np.uint32)
        core = self.coded.core.sample(rows, orders=orders, memory_limit_mb=memory_limit_mb)
        return EncodedTable(core, tuple(columns))

    def untested(self) -> EncodedTable:
        """As many rows, without a code that a test could be made on."""
        return EncodedTable(one_code(len(self), self.columns), self.columns)

    def inputs(self, columns: Sequence[ColumnSchema]) -> Inputs:
        """The exact values of these rows as the native predictor takes them, for a tree of these columns."""
        if not isinstance(self.values, tuple) and all(map(is_plain_number, columns)):
            return inputs_of(self.values, self.rows)
        return [
            self._input(j, mine, wanted)
            for j, (mine, wanted) in enumerate(zip(self.columns, columns, strict=True))
        ]

    def tested_inputs(self, columns: Sequence[ColumnSchema]) -> Inputs:
        """The same for one tree alone: of a matrix of integers those columns are converted that it tests."""
        matrix = self.values
        if (
            not isinstance(matrix, np.ndarray)
            or matrix.dtype.kind == "f"
            or not all(map(is_plain_number, columns))
        ):
            return self.inputs(columns)
        return LazyColumns(len(columns), len(matrix), lambda j: floats(matrix[:, j]), self.rows)

    def column_values(self, column: int) -> Array:
        """The exact values of these rows in a column: numbers, or positions in the list of its categories."""
        values = column_of(self.values, column)
        return values if self.rows is None else values[self.rows]

    def _input(self, column: int, mine: ColumnSchema, wanted: ColumnSchema) -> Array:
        values = self.column_values(column)
        if (mine.kind, mine.categories, mine.temporal) != (wanted.kind, wanted.categories, wanted.temporal):
            values = values_as(as_column(values, mine), wanted)
        return floats(values) if wanted.kind == "number" else values

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes the same codes of the values, by the same code book."""
        return _taken, (self.book, self.values, self.rows)


def _taken(book: CodeBook, values: Values, rows: NDArray[np.intp] | None) -> Codes:
    codes = book.of_values(values)
    return codes if rows is None else codes.take(rows)
