"""The code book: which value of which column is which code. It holds no rows and never looks at a target."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from thriftree import _core
from thriftree.columns import ColumnSchema, Temporal
from thriftree.table.codes import Coded, Codes
from thriftree.table.column_values import UNSEEN
from thriftree.table.frame import Array, Values
from thriftree.table.prediction_inputs import read_values
from thriftree.table.sparse_matrix import SparseMatrix

Binning = Literal["quantile", "uniform", "kmeans"]


@dataclass(frozen=True, slots=True)
class Coding:
    """How numbers become codes: each value its own, or bins in columns of more than ``max_bins`` values."""

    max_bins: int | None = None
    binning: Binning = "quantile"

    def __post_init__(self) -> None:
        if self.max_bins is not None and not 2 <= self.max_bins <= 65535:
            raise ValueError(f"max_bins must be None or from 2 to 65535, not {self.max_bins}")


@dataclass(frozen=True, eq=False)
class CodeBook:
    """The columns of a table and the codes of their values, agreed on before rows are coded.

    Tables that are coded by the same book have the same codes for the same values, wherever they are.

    >>> from thriftree.table.coding import read_codes
    >>> book = read_codes([[1.5, "red"], [2.0, "blue"]]).book
    >>> CodeBook.from_dict(book.to_dict()) == book
    True
    >>> book.code([[2.0, "red"], [None, "blue"]]).table().all_distinct().tolist()
    [[1, 1], [2, 0]]
    """

    columns: tuple[ColumnSchema, ...]
    # The codes in use, or a table that has them: to list every value of a column takes longer than to grow a
    # tree, which does not ask for them.
    known: tuple[_core.Column, ...] | _core.Table = field(repr=False)
    coding: Coding
    has_names: bool  # whether the columns had names of their own

    @cached_property
    def codes(self) -> tuple[_core.Column, ...]:
        """By column the codes in use: of its values, of bins between edges, of categories; missing last."""
        return tuple(self.known.book) if isinstance(self.known, _core.Table) else self.known

    def _content(self) -> tuple[Any, ...]:
        return self.columns, self.codes, self.coding, self.has_names

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, CodeBook) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.columns, self.coding, self.has_names))

    def __reduce__(self) -> tuple[Any, ...]:
        return CodeBook, self._content()

    def code(self, X: Any, *, n_threads: int = 1, memory_limit_mb: float | None = None) -> Codes:
        """Other rows of the same columns, a frame or an array, under this code book.

        Codes are made when a tree is first grown from the rows; a value that this book lacks is an error
        then. Rows that are only measured may hold any value.
        """
        values = read_values(X, self.columns, expected_by="the code book")
        return self.of_values(values, n_threads=n_threads, memory_limit_mb=memory_limit_mb)

    def of_values(self, values: Values, **limits: Any) -> Codes:
        """Rows whose exact values were read for these columns."""
        return Codes(self, values, Coded(lambda: self._encode(values, limits)))

    def _encode(self, values: Values, limits: Mapping[str, Any]) -> _core.Table:
        try:
            return encode_values(values, self.columns, book=list(self.codes), **limits)
        except ValueError as error:
            raise ValueError(with_names(str(error), [schema.name for schema in self.columns])) from None

    def to_dict(self) -> dict[str, Any]:
        """The code book as plain values that JSON can hold."""
        return {
            "columns": [
                _column_to_dict(schema, codes) for schema, codes in zip(self.columns, self.codes, strict=True)
            ],
            "max_bins": self.coding.max_bins,
            "binning": self.coding.binning,
            "has_names": self.has_names,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> CodeBook:
        """The code book that `to_dict` wrote."""
        columns = [_column_from_dict(column) for column in document["columns"]]
        return cls(
            tuple(schema for schema, _ in columns),
            tuple(codes for _, codes in columns),
            Coding(document["max_bins"], document["binning"]),
            bool(document["has_names"]),
        )


def encode_values(values: Values, columns: Sequence[ColumnSchema], **options: Any) -> _core.Table:
    """The codes of exact values, as the core makes them."""
    if isinstance(values, SparseMatrix):
        return _core.encode_sparse(values.data, values.indices, values.indptr, values.n_rows, **options)
    if isinstance(values, np.ndarray):
        return _core.encode_matrix(values, **options)
    arrays = [_core_column(schema, array) for schema, array in zip(columns, values, strict=True)]
    n_categories = [len(s.categories) if s.kind == "category" else None for s in columns]
    return _core.encode_columns(arrays, n_categories, **options)


def _core_column(schema: ColumnSchema, values: Array) -> Array:
    if schema.kind == "number":
        return values
    unseen = np.flatnonzero(values == UNSEEN)
    if len(unseen):
        raise ValueError(
            f"column {schema.name!r}, row {unseen[0]} holds a category that the code book does not know: "
            "make the code book of all rows"
        )
    # Positions of an ordered column as numbers, since only they can be missing there.
    return np.where(values >= 0, values, np.nan) if schema.kind == "ordered" else values


def with_names(message: str, names: Sequence[str]) -> str:
    """The core knows columns by position; the caller knows them by name."""
    return re.sub(r"^column (\d+)\b", lambda match: f"column {names[int(match[1])]!r}", message)


def _column_to_dict(schema: ColumnSchema, codes: _core.Column) -> dict[str, Any]:
    column: dict[str, Any] = {"name": schema.name, "kind": schema.kind, "missing": codes.has_missing}
    if schema.kind != "number":
        column["categories"] = list(schema.categories)
    if schema.temporal is not None:
        column["temporal"], column["time_zone"] = schema.temporal.what, schema.temporal.time_zone
    if schema.kind != "category":
        column["values" if len(codes.values) else "edges"] = (
            codes.values if len(codes.values) else codes.edges
        ).tolist()
    return column


def _column_from_dict(column: Mapping[str, Any]) -> tuple[ColumnSchema, _core.Column]:
    temporal = Temporal(column["temporal"], column["time_zone"]) if "temporal" in column else None
    schema = ColumnSchema(column["name"], column["kind"], tuple(column.get("categories", ())), temporal)
    values, edges = column.get("values", []), column.get("edges", [])
    n_known = len(schema.categories) if schema.kind == "category" else len(values) or len(edges) + 1
    missing = bool(column["missing"])
    kind = "category" if schema.kind == "category" else "ordered"
    return schema, _core.Column(kind, n_known + missing, missing, values, edges)
