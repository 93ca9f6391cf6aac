"""Rows as the native predictor takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thriftree.columns import ColumnSchema, is_plain_number
from thriftree.table.codes import Codes
from thriftree.table.column_values import floats, values_as
from thriftree.table.frame import Values
from thriftree.table.frames import is_dataframe, read_frame
from thriftree.table.inputs import Inputs, inputs_of
from thriftree.table.same_columns import check_columns
from thriftree.table.tested_columns import TestedColumns


def prediction_inputs(
    X: Any, columns: Sequence[ColumnSchema], *, expected_by: str = "the tree"
) -> Inputs | TestedColumns:
    """Rows as the native predictor takes them.

    One 2-D float array (X itself, not copied, if it is a float32 or float64 array) where every column is a
    number and X is an array; sparse columns where X is sparse. Otherwise one array a column, of a frame those
    that are asked for: floats for numbers; for other kinds int32 positions in the schema's categories,
    MISSING or UNSEEN. Categories are matched by value: 1, 1.0 and True are the same.
    """
    if isinstance(X, Codes):
        return X.inputs(columns)
    if is_dataframe(X):
        return TestedColumns(X, columns, expected_by=expected_by)
    values = read_values(X, columns, expected_by=expected_by)
    if not isinstance(values, tuple):
        return inputs_of(values)
    return [
        floats(array) if schema.kind == "number" else array
        for schema, array in zip(columns, values, strict=True)
    ]


def read_values(X: Any, columns: Sequence[ColumnSchema], *, expected_by: str) -> Values:
    """The exact values of a frame or array that must have these columns; numbers keep their type."""
    frame = read_frame(X)
    check_columns(frame.names, frame.has_names, columns, expected_by)
    if frame.matrix is not None and all(map(is_plain_number, columns)):
        return frame.matrix
    return tuple(values_as(frame.column(j), schema) for j, schema in enumerate(columns))
