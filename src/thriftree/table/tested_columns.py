"""A frame's columns for a tree, which reads those that it tests: the others are not converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thriftree.columns import ColumnSchema
from thriftree.table.column_values import floats, values_as
from thriftree.table.dataframes import OpenFrame
from thriftree.table.frame import Array
from thriftree.table.same_columns import check_columns


class TestedColumns:
    """The columns of a frame as the native predictor takes them: it asks for those that a tree tests, and
    each is read when it is asked for, once.

    A column is also read where its type alone does not say that it can be: so one that cannot is refused,
    tested or not.
    """

    __test__ = False  # no class of tests, whatever its name begins with

    def __init__(self, X: Any, columns: Sequence[ColumnSchema], *, expected_by: str) -> None:
        self._frame = OpenFrame(X)
        check_columns(self._frame.names, self._frame.has_names, columns, expected_by)
        self._columns = columns
        self._read: dict[int, Array] = {}
        for j, schema in enumerate(columns):
            if not self._frame.is_sure_to_read(j, schema):
                self[j]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self._frame.n_rows

    def __len__(self) -> int:
        return len(self._columns)

    def all(self) -> list[Array]:
        """Every column."""
        return [self[j] for j in range(len(self))]

    def __getitem__(self, column: int) -> Array:
        if not 0 <= column < len(self):
            raise IndexError(f"there is no column {column}")
        if column not in self._read:
            schema = self._columns[column]
            values = values_as(self._frame.column(column), schema)
            self._read[column] = floats(values) if schema.kind == "number" else values
        return self._read[column]
