"""From a frame, or from codes made in another way, to a code book and the rows' codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, number_columns
from thriftree.table.code_book import Binning, CodeBook, Coding, encode_values, with_names
from thriftree.table.codes import Coded, Codes
from thriftree.table.column_choice import CategoricalFeatures, chosen_columns
from thriftree.table.column_values import as_column, described
from thriftree.table.encoded_table import EncodedTable, one_code
from thriftree.table.frame import Values, n_rows_of, rows_of
from thriftree.table.frames import read_frame
from thriftree.table.sparse_matrix import SparseMatrix

_SECONDS_A_ROW: Final = 1e-7  # that a leaf of rows without codes takes, and of each cell of them
_SECONDS_A_CELL: Final = 6e-9
# Numbers have codes of ranges where a table has enough rows, or (no table has so many) never.
_SPANS: Final = _core.SpanOptions()
_NEVER_SPANS: Final = _core.SpanOptions(from_rows=2**62)


def read_codes(
    X: Any,
    *,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
    by_value: bool = False,
    sample_weight: NDArray[np.float64] | None = None,
    n_threads: int = 1,
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
) -> Codes:
    """Reads a frame, makes the code book of its columns and codes its rows: numbers by value, categories by
    (type, value), missing last.

    ``categorical_features`` (names, positions or a mask) adds columns to those that are categories by their
    type (strings, booleans, unordered categoricals). ``max_bins`` bins columns of more distinct numbers; None
    keeps every value. ``by_value``: the learner looks at values one by one, so that numbers get their codes
    now, within the limits, and not when a code is first asked for.

    A table that is not coded within ``time_limit_s`` has one code in every column, so that no test can be
    made on it. Codes may be given for X: they stay as they are, if they were made in this way.

    >>> read_codes([[1.5, "red"], [2.0, "blue"]]).columns[1].categories
    ('blue', 'red')
    """
    coding = Coding(max_bins, binning)
    limits = {"n_threads": n_threads, "time_limit_s": time_limit_s, "memory_limit_mb": memory_limit_mb}
    weight = None if sample_weight is None else np.ascontiguousarray(sample_weight, np.float64)
    if isinstance(X, Codes):
        codes = _recoded(X, categorical_features, coding, sample_weight=weight, **limits)
        return _ranked(codes, **limits) if by_value else codes
    frame = read_frame(X)
    chosen = chosen_columns(categorical_features, frame.names, "categorical_features")
    values: Values
    if frame.matrix is not None and not chosen:
        columns = number_columns(tuple(frame.names))
        values = frame.matrix
    else:
        _refuse_sparse_categories(frame.matrix)
        read = [described(frame.column(j), name, j in chosen) for j, name in enumerate(frame.names)]
        columns = tuple(schema for schema, _ in read)
        values = tuple(array for _, array in read)
    spans = _NEVER_SPANS if by_value else _SPANS
    return _coded(values, columns, coding, frame.has_names, sample_weight=weight, spans=spans, **limits)


def encode(
    X: Any, *, proportion_encode: Any = None, proportion_of: ArrayLike | None = None, **coding: Any
) -> EncodedTable:
    """The codes of all rows of a frame: `read_codes`, and of that the `table`.

    >>> encode([[1.5, "red"], [2.0, "blue"]]).distinct(1).tolist()
    [1, 0]
    """
    return read_codes(X, **coding).table(
        proportion_encode=proportion_encode,
        proportion_of=proportion_of,
        sample_weight=coding.get("sample_weight"),
        memory_limit_mb=coding.get("memory_limit_mb"),
    )


def exact(codes: Codes) -> Codes:
    """The same rows with every distinct number a code of its own."""
    return _recoded(codes, "auto", Coding(None, codes.book.coding.binning))


def _recoded(
    codes: Codes, categorical_features: CategoricalFeatures, coding: Coding, **options: Any
) -> Codes:
    """The codes, if they are made so; else the values of their rows, coded anew. No frame is read again."""
    names = [schema.name for schema in codes.columns]
    chosen = chosen_columns(categorical_features, names, "categorical_features")
    numbers = {j for j in chosen if codes.columns[j].kind != "category"}
    if not numbers and coding == codes.book.coding:
        return codes
    if not numbers:
        values = codes.values if codes.rows is None else rows_of(codes.values, codes.rows)
        return _coded(values, codes.columns, coding, codes.book.has_names, **options)
    _refuse_sparse_categories(codes.values)
    columns, arrays = list(codes.columns), [codes.column_values(j) for j in range(len(names))]
    for j in numbers:
        columns[j], arrays[j] = described(as_column(arrays[j], columns[j]), names[j], True)
    return _coded(tuple(arrays), tuple(columns), coding, codes.book.has_names, **options)


def _ranked(codes: Codes, **limits: Any) -> Codes:
    """The codes, with those of single values made; where there is no time for that, one code a column."""
    if not codes.coded.made_the_book:
        return codes
    try:
        codes.coded.core.rank_values(**limits)
    except TimeoutError:
        core = one_code(n_rows_of(codes.values), codes.columns)
        return replace(codes, book=replace(codes.book, known=core), coded=Coded(core, in_time=False))
    return codes


def _refuse_sparse_categories(values: Values | None) -> None:
    if isinstance(values, SparseMatrix):
        raise ValueError(
            "categorical_features names columns of a sparse X, whose columns are numbers: give a frame, or "
            "X.toarray()"
        )


def _coded(
    values: Values, columns: tuple[ColumnSchema, ...], coding: Coding, has_names: bool, **options: Any
) -> Codes:
    """Rows coded by a code book that is made of them. What is not coded in time has one code a column, and to
    make a leaf of that takes time, too.
    """
    if options.get("time_limit_s") is not None:
        of_one_leaf = n_rows_of(values) * (_SECONDS_A_ROW + _SECONDS_A_CELL * len(columns))
        options["time_limit_s"] = max(0.0, options["time_limit_s"] - of_one_leaf)
    in_time = True
    try:
        core = encode_values(values, columns, max_bins=coding.max_bins, binning=coding.binning, **options)
    except TimeoutError:
        core, in_time = one_code(n_rows_of(values), columns), False
    except ValueError as error:
        raise ValueError(with_names(str(error), [schema.name for schema in columns])) from None
    book = CodeBook(columns, core, coding, has_names)
    return Codes(book, values, Coded(core, in_time=in_time))
