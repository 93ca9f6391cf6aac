"""Codes: a frame's columns as small integers, made once a fit; samples of them; rows for the predictor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    """The codes of some rows as the core takes them and, column by column, what they stand for."""

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


@dataclass(frozen=True, eq=False)
class Codes:
    """A frame that was read and coded once, and a set of its rows.

    `take` copies nothing. Growing asks for the `table` of the rows, measuring for their `inputs`, which are
    the exact values as the predictor takes them. The codes never depend on a target.
    """

    whole: EncodedTable  # of all rows
    values: (
        Array | tuple[Array, ...]
    )  # the exact values: a matrix, or numbers and positions of categories by column
    coding: Mapping[str, Any]  # how `whole` was coded, to code the values once more in another way
    has_names: bool  # whether the frame had names of its own
    weight: NDArray[np.float64] | None = None  # of all rows, where bins depend on it
    rows: NDArray[np.intp] | None = None  # ascending positions in `whole`; None: all rows

    def __len__(self) -> int:
        return self.whole.core.n_rows if self.rows is None else len(self.rows)

    @property
    def columns(self) -> tuple[ColumnSchema, ...]:
        """What is known of each column."""
        return self.whole.columns

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, as of a frame."""
        return len(self), len(self.columns)

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
        """
        ranked = self._columns_to_rank(proportion_encode)
        if self.rows is None and not ranked:
            return self.whole
        if ranked and proportion_of is None:
            raise ValueError("proportion_encode needs proportion_of, one number for each row")
        orders = {
            j: _order_by_mean(
                self._column_values(j), self.columns[j], np.asarray(proportion_of), sample_weight
            )
            for j in ranked
        }
        rows = None if self.rows is None else self.rows.astype(np.uint32)
        new_codes = [(j, _new_codes(order, len(self.columns[j].categories))) for j, order in orders.items()]
        core = self.whole.core.sample(rows, orders=new_codes, memory_limit_mb=memory_limit_mb)
        columns = list(self.columns)
        for j, order in orders.items():
            columns[j] = replace(columns[j], categories=tuple(columns[j].categories[i] for i in order))
        return EncodedTable(core, tuple(columns))

    def inputs(self, columns: Sequence[ColumnSchema]) -> Array | list[Array]:
        """The exact values of these rows as the native predictor takes them, for a tree of these columns."""
        if isinstance(self.values, np.ndarray):
            return _as_floats(self.values if self.rows is None else self.values[self.rows])
        return [
            _reordered(self._column_values(j), mine.categories, wanted.categories)
            if mine.categories != wanted.categories
            else _as_floats(self._column_values(j))
            if mine.kind == "number"
            else self._column_values(j)
            for j, (mine, wanted) in enumerate(zip(self.columns, columns, strict=True))
        ]

    def exact(self) -> Codes:
        """The same rows with every distinct number a code of its own."""
        return self.coded_as("auto", {**self.coding, "max_bins": None})

    def coded_as(
        self,
        categorical_features: CategoricalFeatures,
        coding: Mapping[str, Any],
        weight: NDArray[np.float64] | None = None,
        **limits: Any,
    ) -> Codes:
        """These rows, if they are coded so; else their values, coded anew. No frame is read again."""
        names = [schema.name for schema in self.columns]
        chosen = _chosen_columns(categorical_features, names, "categorical_features")
        numbers = {j for j in chosen if self.columns[j].kind != "category"}
        if not numbers and dict(coding) == dict(self.coding):
            return self
        kept = [self._column_values(j) for j in range(len(names))]
        columns = list(self.columns)
        for j in numbers:
            values = (
                Numbers(kept[j])
                if columns[j].kind == "number"
                else Levels(kept[j], list(columns[j].categories))
            )
            columns[j], kept[j] = _code_column(values, names[j], True)
        return _codes(tuple(kept), tuple(columns), coding, self.has_names, weight, **limits)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes the same codes of the values."""
        state = (self.values, self.columns, self.coding, self.has_names, self.weight)
        return (_codes, state) if self.rows is None else (_taken, (replace(self, rows=None), self.rows))

    def _column_values(self, column: int) -> Array:
        values = self.values[:, column] if isinstance(self.values, np.ndarray) else self.values[column]
        return values if self.rows is None else values[self.rows]

    def _columns_to_rank(self, choice: Any) -> list[int]:
        if isinstance(choice, (int, np.integer)) and not isinstance(choice, bool):
            return [
                j for j, s in enumerate(self.columns) if s.kind == "category" and len(s.categories) > choice
            ]
        chosen = sorted(_chosen_columns(choice, [s.name for s in self.columns], "proportion_encode"))
        for j in chosen:
            if self.columns[j].kind != "category":
                raise ValueError(
                    f"proportion_encode names column {self.columns[j].name!r}, which holds no categories"
                )
        return chosen


def read_codes(
    X: Any,
    *,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
    sample_weight: NDArray[np.float64] | None = None,
    n_threads: int = 1,
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
) -> Codes:
    """Reads a frame and codes its columns: numbers by value, categories by (type, value), missing last.

    ``categorical_features`` (names, positions or a mask) adds columns to those that are categories by their
    type (strings, booleans, unordered categoricals). ``max_bins`` bins columns of more distinct numbers; None
    keeps every value.

    A table that is not coded within ``time_limit_s`` has one code in every column, so that no test can be
    made on it. Codes may be given for X: they stay as they are, if they were made in this way.

    >>> read_codes([[1.5, "red"], [2.0, "blue"]]).columns[1].categories
    ('blue', 'red')
    """
    if max_bins is not None and not 2 <= max_bins <= 65535:
        raise ValueError(f"max_bins must be None or from 2 to 65535, not {max_bins}")
    weight = None if sample_weight is None else np.ascontiguousarray(sample_weight, np.float64)
    coding = {"max_bins": max_bins, "binning": binning}
    limits = {"n_threads": n_threads, "time_limit_s": time_limit_s, "memory_limit_mb": memory_limit_mb}
    if isinstance(X, Codes):
        return X.coded_as(categorical_features, coding, weight, **limits)
    frame = read_frame(X)
    chosen = _chosen_columns(categorical_features, frame.names, "categorical_features")
    values: Array | tuple[Array, ...]
    try:
        if frame.matrix is not None and not chosen:
            columns = tuple(ColumnSchema(name, "number") for name in frame.names)
            values = frame.matrix
        else:
            coded = [_code_column(frame.column(j), name, j in chosen) for j, name in enumerate(frame.names)]
            columns = tuple(schema for schema, _ in coded)
            values = tuple(array for _, array in coded)
        return _codes(values, columns, coding, frame.has_names, weight, **limits)
    except ValueError as error:
        raise ValueError(_with_names(str(error), frame.names)) from None


def _taken(codes: Codes, rows: NDArray[np.intp]) -> Codes:
    return codes.take(rows)


def _codes(
    values: Array | tuple[Array, ...],
    columns: tuple[ColumnSchema, ...],
    coding: Mapping[str, Any],
    has_names: bool,
    weight: NDArray[np.float64] | None,
    **limits: Any,
) -> Codes:
    """The codes of values that were read from a frame. What is not coded in time has one code a column."""
    try:
        if isinstance(values, np.ndarray):
            core = _core.encode_matrix(values, sample_weight=weight, **coding, **limits)
        else:
            n_categories = [
                len(schema.categories) if schema.kind == "category" else None for schema in columns
            ]
            arrays = [_core_column(schema, array) for schema, array in zip(columns, values, strict=True)]
            core = _core.encode_columns(arrays, n_categories, sample_weight=weight, **coding, **limits)
    except TimeoutError:
        n_rows = len(values) if isinstance(values, np.ndarray) else len(values[0])
        nothing = np.broadcast_to(np.float32(0), n_rows)
        core = _core.encode_columns([nothing] * len(columns), [None] * len(columns))
    return Codes(EncodedTable(core, columns), values, coding, has_names, weight)


def encode(
    X: Any, *, proportion_encode: Any = None, proportion_of: ArrayLike | None = None, **coding: Any
) -> EncodedTable:
    """The codes of all rows of a frame: `read_codes`, and of that the `table`.

    >>> encode([[1.5, "red"], [2.0, "blue"]]).core.codes(1).tolist()
    [1, 0]
    """
    return read_codes(X, **coding).table(
        proportion_encode=proportion_encode,
        proportion_of=proportion_of,
        sample_weight=coding.get("sample_weight"),
        memory_limit_mb=coding.get("memory_limit_mb"),
    )


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
    if isinstance(X, Codes):
        return X.inputs(columns)
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


def _chosen_columns(choice: Any, names: Sequence[str], parameter: str) -> set[int]:
    """Column positions from "auto" or None (none), names, positions or a boolean mask."""
    if choice is None or (isinstance(choice, str) and choice == "auto"):
        return set()
    if isinstance(choice, str):
        raise ValueError(
            f"{parameter} must be 'auto' or a list of names, positions or booleans, not {choice!r}"
        )
    items = np.asarray(choice).tolist() if isinstance(choice, np.ndarray) else list(choice)
    n_columns = len(names)
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != n_columns:
            raise ValueError(f"{parameter} is a mask of {len(items)} values, but X has {n_columns} columns")
        return {j for j, marked in enumerate(items) if marked}
    chosen = set()
    for item in items:
        if isinstance(item, str):
            if item not in names:
                raise ValueError(f"{parameter} names a column {item!r}, but X has the columns {list(names)}")
            chosen.add(names.index(item))
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


def _order_by_mean(
    codes: Array, schema: ColumnSchema, figure: Array, weight: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """The categories that these rows have, in the order of their mean figure; equal means keep the order of
    (type, value).
    """
    known = codes >= 0
    weights = np.ones(len(codes)) if weight is None else weight
    mass = np.bincount(codes[known], weights[known], minlength=len(schema.categories))
    sums = np.bincount(codes[known], (weights * figure)[known], minlength=len(schema.categories))
    seen = np.flatnonzero(mass)
    return seen[np.argsort(sums[seen] / mass[seen], kind="stable")]


def _new_codes(order: NDArray[np.intp], n_categories: int) -> NDArray[np.uint32]:
    """By category its place in an order; those that are not in it have no code."""
    codes = np.full(n_categories, np.iinfo(np.uint32).max, dtype=np.uint32)
    codes[order] = np.arange(len(order), dtype=np.uint32)
    return codes


def _reordered(codes: Array, mine: Sequence[Scalar], wanted: Sequence[Scalar]) -> NDArray[np.int32]:
    """Positions in one list of categories as positions in another."""
    return _positions(Levels(codes, list(mine)), wanted)


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
