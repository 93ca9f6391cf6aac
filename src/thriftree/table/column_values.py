"""A column's exact values: numbers, or positions in the list of its categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import ColumnSchema, Scalar, sorted_categories
from thriftree.table.changed_types import warn_if_another_type
from thriftree.table.frame import Array, Levels, Numbers
from thriftree.table.temporal_columns import numbers_as_texts, texts_as_numbers
from thriftree.temporal.numbers import converted
from thriftree.temporal.words import kind_words

MISSING: Final = -1  # the value is missing
UNSEEN: Final = -2  # the value is not among the column's categories


def described(column: Numbers | Levels, name: str, as_category: bool) -> tuple[ColumnSchema, Array]:
    """The schema of a column that is read for the first time, and its values.

    ``as_category``: whatever it holds are categories.
    """
    if isinstance(column, Numbers):
        if not as_category:
            return ColumnSchema(name, "number", temporal=column.temporal), column.values
        if column.values.dtype.kind == "f" and np.isinf(column.values).any():
            raise ValueError(f"column {name!r} holds infinity: replace infinite values by NaN (missing)")
        column = labels_of(column)
    elif column.ordered and not as_category:
        return ColumnSchema(name, "ordered", tuple(column.levels)), column.codes
    used = np.zeros(len(column.levels), bool)
    used[column.codes[column.codes >= 0]] = True
    categories = sorted_categories(level for level, in_use in zip(column.levels, used, strict=True) if in_use)
    return ColumnSchema(name, "category", tuple(categories)), positions(column, categories)


def values_as(column: Numbers | Levels, schema: ColumnSchema) -> Array:
    """The values of a column whose schema is known. Categories are matched by value: 1, 1.0 and True are the
    same. Dates and the like are read from texts in ISO 8601 too.
    """
    if schema.kind != "number":
        column = labels_of(column) if isinstance(column, Numbers) else column
        found = positions(column, schema.categories)
        warn_if_another_type(column.levels, schema, found)
        return found
    if isinstance(column, Numbers):
        if column.temporal == schema.temporal:
            return column.values
        return converted(floats(column.values), column.temporal, schema.temporal, schema.name)
    if schema.temporal is not None and all(isinstance(level, str) for level in column.levels):
        return texts_as_numbers(column, schema.temporal, schema.name)
    if set(column.levels) <= {False, True} and schema.temporal is None:
        return np.append(np.asarray(column.levels, np.float64), np.nan)[column.codes]
    was = "was a number" if schema.temporal is None else f"held {kind_words(schema.temporal)}"
    raise ValueError(f"column {schema.name!r} {was} in training; now it holds {column.levels[0]!r}")


def as_trained(column: Numbers | Levels, schema: ColumnSchema) -> Numbers | Levels:
    """A column of which dates and the like are what they were in training: the numbers that are compared, or
    categories by their words.
    """
    if schema.temporal is not None:
        return Numbers(values_as(column, schema), schema.temporal)
    if schema.kind != "number" and isinstance(column, Numbers) and column.temporal is not None:
        return labels_of(column)
    return column


def as_column(values: Array, schema: ColumnSchema) -> Numbers | Levels:
    """Values that were made for one schema as a column that can be read for another."""
    if schema.kind == "number":
        return Numbers(values, schema.temporal)
    return Levels(values, list(schema.categories), schema.kind == "ordered")


def labels_of(column: Numbers) -> Levels:
    """Numbers as labels; integers stay integers, so that large ones stay apart. Dates and the like are
    texts.
    """
    if column.temporal is not None:
        return numbers_as_texts(column)
    numbers = column.values
    levels, codes = np.unique(numbers, return_inverse=True)
    n_known = len(levels) - (1 if numbers.dtype.kind == "f" and len(levels) and np.isnan(levels[-1]) else 0)
    return Levels(np.where(codes < n_known, codes, MISSING).astype(np.int32), (levels[:n_known] + 0).tolist())


def positions(column: Levels, categories: Sequence[Scalar]) -> NDArray[np.int32]:
    """Codes as positions in `categories`; a label that is not there is UNSEEN."""
    # Of categories equal by value (1 and True, in a tree written by hand) the last.
    place = {category: i for i, category in enumerate(categories)}
    # Two more entries, at the end, for the codes of unseen and of missing labels.
    new_codes = np.asarray(
        [place.get(level, UNSEEN) for level in column.levels] + [UNSEEN, MISSING], np.int32
    )
    return new_codes[column.codes]


def floats(values: Array) -> Array:
    """The same numbers as floats, copied only if they are integers."""
    return values if values.dtype.kind == "f" else values.astype(np.float64)
