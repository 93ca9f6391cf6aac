"""Codes of rows that lie in parts: a code book here, rows elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.distributed.part_rows import PartReading, naming_the_part, rows_of
from thriftree.distributed.parts import Parts, TablePart
from thriftree.table.code_book import CodeBook
from thriftree.table.codes import Codes
from thriftree.table.column_values import floats, values_as
from thriftree.table.encoded_table import EncodedTable
from thriftree.table.frame import Array
from thriftree.table.frames import read_frame
from thriftree.table.inputs import Inputs, LazyColumns


@dataclass(frozen=True)
class RowlessTable:
    """What growing asks of a table whose rows are elsewhere: its code book."""

    n_rows: int
    book: tuple[_core.Column, ...]

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.book)

    @property
    def kinds(self) -> list[str]:
        """Of each column: 'ordered' or 'category'."""
        return [column.kind for column in self.book]

    def column(self, column: int) -> _core.Column:
        """The codes of a column."""
        return self.book[column]

    def __getattr__(self, name: str) -> Any:
        raise TypeError(
            f"this learner looks at single rows ({name} of the table), which lie in parts: fit it on a "
            "sample of the rows in memory"
        )


class ValuesOfParts:
    """The exact values of rows in parts, fetched a column at a time when a tree asks for them."""

    def __init__(self, raw: Parts, reading: PartReading) -> None:
        self._raw, self._reading = raw, reading
        self._kept: dict[ColumnKey, Array] = {}

    def column(self, place: int, schema: ColumnSchema) -> Array:
        """A column of all rows, as the predictor takes it."""
        key = (place, schema)
        if key not in self._kept:
            pieces = self._raw.map(column_values, self._reading, place, schema)
            self._kept[key] = np.concatenate(pieces)
        return self._kept[key]

    def leaves(self, tree: _core.Tree, columns: Sequence[ColumnSchema]) -> NDArray[np.int32]:
        """The leaf that each row reaches."""
        pieces = self._raw.map(leaves_of, self._reading, tree, tuple(columns))
        return np.concatenate(pieces).astype(np.int32, copy=False)


ColumnKey = tuple[int, ColumnSchema]


def column_values(part: TablePart, reading: PartReading, place: int, schema: ColumnSchema) -> Array:
    """One column of a part's rows, as the predictor takes it."""
    with naming_the_part(part):
        rows = rows_of(part, reading)
        if not len(rows):
            return np.empty(0, np.float64 if schema.kind == "number" else np.int32)
        values = values_as(read_frame(rows.X).column(place), schema)
        return floats(values) if schema.kind == "number" else values


def leaves_of(
    part: TablePart, reading: PartReading, tree: _core.Tree, columns: tuple[ColumnSchema, ...]
) -> NDArray[np.int32]:
    """The leaf of each of a part's rows."""
    with naming_the_part(part):
        rows = rows_of(part, reading)
        if not len(rows):
            return np.empty(0, np.int32)
        frame = read_frame(rows.X)

        def column(place: int) -> Array:
            values = values_as(frame.column(place), columns[place])
            return floats(values) if columns[place].kind == "number" else values

        return tree.apply(LazyColumns(len(columns), len(rows), column), 1)


@dataclass(frozen=True, eq=False)
class PartsCodes(Codes):
    """A code book, and a set of the rows of all parts, in order of parts."""

    n_rows: int = 0  # of all parts
    exact_values: ValuesOfParts | None = field(default=None, repr=False)

    @classmethod
    def of(cls, book: CodeBook, n_rows: int, values: ValuesOfParts) -> PartsCodes:
        """The codes of all rows."""
        return cls(book, (), None, None, n_rows, values)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self.n_rows if self.rows is None else len(self.rows)

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return self.rows is None

    def take(self, index: NDArray[np.intp]) -> PartsCodes:
        """The rows at these positions."""
        return replace(self, rows=np.asarray(index) if self.rows is None else self.rows[index])

    def table(self, *, proportion_encode: Any = None, **_: Any) -> EncodedTable:
        """The code book, for whoever has rows counted."""
        if proportion_encode:
            raise TypeError(
                "proportion_encode puts categories in the order of the target, which parts of a table cannot "
                "do yet: leave it out, or fit a sample of the rows in memory"
            )
        return EncodedTable(RowlessTable(len(self), self.book.codes), self.columns)  # type: ignore[arg-type]

    def inputs(self, columns: Sequence[ColumnSchema]) -> Inputs:
        """The exact values of these rows, fetched where a tree tests them."""
        if self.exact_values is None:
            raise AssertionError("codes of parts know where the values are")
        fetch: Callable[[int], Array] = partial(self._fetch, tuple(columns))
        everything = LazyColumns(len(columns), self.n_rows, fetch)
        return everything if self.rows is None else everything.take(self.rows)

    def _fetch(self, columns: tuple[ColumnSchema, ...], place: int) -> Array:
        if self.exact_values is None:
            raise AssertionError("codes of parts know where the values are")
        return self.exact_values.column(place, columns[place])

    def column_values(self, column: int) -> Array:
        """The exact values of these rows in a column."""
        values = self._fetch(self.columns, column)
        return values if self.rows is None else values[self.rows]
