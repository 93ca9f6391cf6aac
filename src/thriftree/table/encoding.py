"""The table: a frame's columns as small integer codes for the core, and new rows for the predictor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, Scalar, sorted_categories
from thriftree.table.frames import Array, Frame, Levels, Numbers, read_frame

Binning = Literal["quantile", "uniform", "kmeans"]
CategoricalFeatures = Literal["auto"] | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None

MISSING = -1  # in prediction inputs: the value is missing
UNSEEN = -2  # in prediction inputs: the value is not among the column's categories


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """The codes and, column by column, what they stand for."""

    core: _core.Table
    columns: tuple[ColumnSchema, ...]

    def codes(self) -> NDArray[np.int64]:
        """The code of every row in every column."""
        return np.stack([self.core.codes(j) for j in range(len(self.columns))], axis=1).astype(np.int64)

    def objects(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By row, the number of its object (rows of equal codes are one, numbered as they appear); and by
        object its first row.
        """
        number, first = self.core.objects()
        return number.astype(np.int64), first.astype(np.int64)


def encode(
    X: Any,
    *,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
    sample_weight: NDArray[np.float64] | None = None,
    n_threads: int = 1,
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
    proportion_encode: int | Sequence[str] | Sequence[int] | None = None,
    proportion_of: ArrayLike | None = None,
) -> EncodedTable:
    """Codes every column of X: numbers by value, categories by (type, value), missing last.

    ``categorical_features`` (names, positions or a mask) adds columns to those that are categories by their
    type (strings, booleans, unordered categoricals). ``max_bins`` bins columns of more distinct numbers; None
    keeps every value.

    ``proportion_encode`` (columns, or a number: the category columns of more categories than that) puts a
    column's categories in the order of the weighted mean of ``proportion_of`` (one number a row, see
    `class_indicator`), so that a tree may cut that order. The order is all that is kept of the target: the
    tests stored are sets of categories.

    A table that is not coded within ``time_limit_s`` has one code in every column, so that no test can be
    made on it.

    >>> encode([[1.5, "red"], [2.0, "blue"]]).columns[1].categories
    ('blue', 'red')
    """
    if max_bins is not None and not 2 <= max_bins <= 65535:
        raise ValueError(f"max_bins must be None or from 2 to 65535, not {max_bins}")
    frame = read_frame(X)
    chosen = _chosen_columns(categorical_features, frame, "categorical_features")
    weight = None if sample_weight is None else np.ascontiguousarray(sample_weight, np.float64)
    options: dict[str, Any] = {
        "max_bins": max_bins,
        "binning": binning,
        "sample_weight": weight,
        "n_threads": n_threads,
        "time_limit_s": time_limit_s,
        "memory_limit_mb": memory_limit_mb,
    }
    try:
        if frame.matrix is not None and not chosen and not isinstance(proportion_encode, Iterable):
            columns = tuple(ColumnSchema(name, "number") for name in frame.names)
            return EncodedTable(_core.encode_matrix(frame.matrix, **options), columns)
        coded = [_code_column(frame.column(j), name, j in chosen) for j, name in enumerate(frame.names)]
        ranked = _columns_to_rank(proportion_encode, frame, [schema for schema, _ in coded])
        if ranked and proportion_of is None:
            raise ValueError("proportion_encode needs proportion_of, one number for each row")
        for j in ranked:
            coded[j] = _rank_categories(*coded[j], np.asarray(proportion_of, np.float64), weight)
        n_categories = [len(schema.categories) if schema.kind == "category" else None for schema, _ in coded]
        arrays = [_core_column(schema, values) for schema, values in coded]
        columns = tuple(schema for schema, _ in coded)
        return EncodedTable(_core.encode_columns(arrays, n_categories, ranked=ranked, **options), columns)
    except TimeoutError:
        nothing = np.broadcast_to(np.float32(0), frame.n_rows)
        core = _core.encode_columns([nothing] * len(columns), [None] * len(columns))
        return EncodedTable(core, columns)
    except ValueError as error:
        raise ValueError(_with_names(str(error), frame.names)) from None


def class_indicator(
    class_codes: NDArray[Any], n_classes: int, sample_weight: ArrayLike | None = None
) -> Array:
    """1.0 in rows of the class whose proportion ranks categories: the second of two, the heaviest of more."""
    heaviest = np.argmax(np.bincount(class_codes, sample_weight, minlength=n_classes))
    return np.asarray(class_codes == (1 if n_classes == 2 else heaviest), np.float64)


def prediction_inputs(
    X: Any, columns: Sequence[ColumnSchema], *, expected_by: str = "the tree"
) -> Array | list[Array]:
    """Rows as the native predictor takes them.

    One 2-D float array (X itself, not copied, if it is a float32 or float64 array) where every column is a
    number and X is an array. Otherwise one array a column: floats for numbers; for other kinds int32
    positions in the schema's categories, MISSING or UNSEEN. Categories are matched by value: 1, 1.0 and True
    are the same.
    """
    frame = read_frame(X)
    n_given, n_expected = len(frame.names), len(columns)
    if n_given != n_expected:
        raise ValueError(
            f"X has {n_given} features, but {expected_by} is expecting {n_expected} features as input"
        )
    _check_names(frame, columns, expected_by)
    if frame.matrix is not None and all(schema.kind == "number" for schema in columns):
        return _as_floats(frame.matrix)
    return [_prediction_column(frame.column(j), schema) for j, schema in enumerate(columns)]


def _check_names(frame: Frame, columns: Sequence[ColumnSchema], expected_by: str) -> None:
    expected = [schema.name for schema in columns]
    if not frame.has_names or frame.names == expected:
        return
    lacking = [name for name in expected if name not in frame.names]
    if not lacking:
        raise ValueError(f"the columns of X must be in the order of the training data: {expected}")
    if expected == [f"x{j}" for j in range(len(expected))]:  # the training data had no names
        return
    extra = [name for name in frame.names if name not in expected]
    raise ValueError(f"X has columns that {expected_by} does not know: {extra}; and lacks: {lacking}")


def _chosen_columns(choice: Any, frame: Frame, parameter: str) -> set[int]:
    """Column positions from "auto" or None (none), names, positions or a boolean mask."""
    if choice is None or (isinstance(choice, str) and choice == "auto"):
        return set()
    if isinstance(choice, str):
        raise ValueError(
            f"{parameter} must be 'auto' or a list of names, positions or booleans, not {choice!r}"
        )
    items = np.asarray(choice).tolist() if isinstance(choice, np.ndarray) else list(choice)
    n_columns = len(frame.names)
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != n_columns:
            raise ValueError(f"{parameter} is a mask of {len(items)} values, but X has {n_columns} columns")
        return {j for j, marked in enumerate(items) if marked}
    chosen = set()
    for item in items:
        if isinstance(item, str):
            if item not in frame.names:
                raise ValueError(f"{parameter} names a column {item!r}, but X has the columns {frame.names}")
            chosen.add(frame.names.index(item))
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not -n_columns <= item < n_columns:
                raise ValueError(f"{parameter} has position {item}, but X has {n_columns} columns")
            chosen.add(int(item) % n_columns)
        else:
            raise ValueError(f"{parameter} must hold names, positions or booleans, not {item!r}")
    return chosen


def _code_column(column: Numbers | Levels, name: str, chosen: bool) -> tuple[ColumnSchema, Array]:
    """The schema of a training column, and its numbers, or int32 positions in the schema's categories."""
    if isinstance(column, Numbers):
        if not chosen:
            return ColumnSchema(name, "number"), column.values
        if column.values.dtype.kind == "f" and np.isinf(column.values).any():
            raise ValueError(f"column {name!r} holds infinity: replace infinite values by NaN (missing)")
        column = _levels_of_numbers(column.values)
    elif column.ordered and not chosen:
        return ColumnSchema(name, "ordered", tuple(column.levels)), column.codes
    used = np.zeros(len(column.levels), bool)
    used[column.codes[column.codes >= 0]] = True
    categories = sorted_categories(level for level, in_use in zip(column.levels, used, strict=True) if in_use)
    return ColumnSchema(name, "category", tuple(categories)), _positions(column, categories)


def _levels_of_numbers(values: Array) -> Levels:
    """Numbers as labels; integers stay integers, so that large ones stay apart."""
    levels, codes = np.unique(values, return_inverse=True)
    n_known = len(levels) - (1 if values.dtype.kind == "f" and len(levels) and np.isnan(levels[-1]) else 0)
    return Levels(np.where(codes < n_known, codes, MISSING).astype(np.int32), (levels[:n_known] + 0).tolist())


def _positions(column: Levels, categories: Sequence[Scalar]) -> NDArray[np.int32]:
    """Codes as positions in `categories`; a label that is not there is UNSEEN."""
    # Of categories equal by value (1 and True, in a tree written by hand) the last.
    place = {category: i for i, category in enumerate(categories)}
    # One more entry, at the end, for the code -1 of missing labels.
    new_codes = np.asarray([place.get(level, UNSEEN) for level in column.levels] + [MISSING], np.int32)
    return new_codes[column.codes]


def _columns_to_rank(choice: Any, frame: Frame, schemas: Sequence[ColumnSchema]) -> list[int]:
    if isinstance(choice, (int, np.integer)) and not isinstance(choice, bool):
        return [j for j, s in enumerate(schemas) if s.kind == "category" and len(s.categories) > choice]
    chosen = sorted(_chosen_columns(choice, frame, "proportion_encode"))
    for j in chosen:
        if schemas[j].kind != "category":
            raise ValueError(f"proportion_encode names column {schemas[j].name!r}, which holds no categories")
    return chosen


def _rank_categories(
    schema: ColumnSchema, codes: Array, target: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> tuple[ColumnSchema, Array]:
    """Categories in the order of their mean target; equal means keep the order of (type, value)."""
    known = codes >= 0
    weights = np.ones(len(codes)) if weight is None else weight
    mass = np.bincount(codes[known], weights[known], minlength=len(schema.categories))
    means = np.bincount(codes[known], (weights * target)[known], minlength=len(schema.categories)) / mass
    order = np.argsort(means, kind="stable")
    new_codes = np.append(np.argsort(order), MISSING).astype(np.int32)
    return ColumnSchema(schema.name, "category", tuple(schema.categories[i] for i in order)), new_codes[codes]


def _core_column(schema: ColumnSchema, values: Array) -> Array:
    """Positions of an ordered column as numbers, since only they can be missing there."""
    if schema.kind != "ordered":
        return values
    return np.where(values >= 0, values, np.nan)


def _with_names(message: str, names: Sequence[str]) -> str:
    """The core knows columns by position; the caller knows them by name."""
    return re.sub(r"^column (\d+)\b", lambda match: f"column {names[int(match[1])]!r}", message)


def _as_floats(values: Array) -> Array:
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _prediction_column(column: Numbers | Levels, schema: ColumnSchema) -> Array:
    if schema.kind == "number":
        if isinstance(column, Numbers):
            return _as_floats(column.values)
        if set(column.levels) <= {False, True}:
            return np.append(np.asarray(column.levels, np.float64), np.nan)[column.codes]
        raise ValueError(
            f"column {schema.name!r} was a number in training; now it holds {column.levels[0]!r}"
        )
    if isinstance(column, Levels):
        return _positions(column, schema.categories)
    return _positions(_levels_of_numbers(column.values), schema.categories)
