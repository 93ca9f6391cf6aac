"""From numpy arrays and lists to plain numpy columns; what a column may hold, and what is said of others."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thriftree.table.frame import Array, Frame, Levels, Numbers
from thriftree.table.temporal_columns import read_dates, read_temporal_objects

LARGEST_EXACT_INTEGER: Final = 2**53


def as_array(X: Any) -> Array:
    """X, no dataframe, as a numpy array of any shape; of objects where it mixes strings and numbers."""
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError("X is a masked array: fill it with missing values first, X.filled(np.nan)")
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    try:
        array = np.asarray(X)
        # Lists that mix strings and numbers would all become strings; objects keep each column's own type.
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    except ValueError as error:
        raise ValueError(f"X must be a table whose rows have equal lengths: {error}") from error


def check_shape(shape: tuple[int, ...]) -> None:
    """Raises ValueError unless there are two dimensions, and at least one row and column."""
    if len(shape) < 2:
        raise ValueError(
            f"Expected 2D array, got {'scalar' if not shape else '1D'} array instead. Reshape your "
            "data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1)"
            " if it contains a single sample."
        )
    if len(shape) > 2:
        raise ValueError(
            f"Found array with dim {len(shape)}, but X must have two dimensions: rows and columns"
        )
    for count, what in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )


def read_array(array: Array) -> Frame:
    """A 2-D array: one matrix where it holds numbers, else a column at a time."""
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {array.dtype}")
    check_shape(array.shape)
    n_rows, n_columns = array.shape
    names = [f"x{j}" for j in range(n_columns)]
    if array.dtype.kind in "fiu":
        return Frame(n_rows, names, False, [], matrix=plain_numbers(array))
    columns = [read_vector(array[:, j], name) for j, name in enumerate(names)]
    return Frame(n_rows, names, False, columns)


def plain_numbers(array: Array) -> Array:
    """The same numbers in a type that the core reads; copied only if it has to be."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    if not array.dtype.isnative or any(stride % array.dtype.itemsize for stride in array.strides):
        return array.astype(array.dtype.newbyteorder("="))  # foreign byte order, or a field of packed records
    return array


def read_vector(values: Array, name: str) -> Numbers | Levels:
    """A 1-D array as a column; ``name`` is what errors call it."""
    kind = values.dtype.kind
    if kind in "fiu":
        return Numbers(plain_numbers(values))
    if kind == "b":
        return Levels(values.astype(np.int32), [False, True])
    if kind == "U":
        levels, codes = np.unique(values, return_inverse=True)
        return Levels(codes.astype(np.int32), levels.tolist())
    if kind in "mM":
        return read_dates(values, name)
    if kind in "OT":  # T: numpy's StringDType
        return read_objects(values.astype(object, copy=False), name)
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {values.dtype}")
    raise unsupported_type(name, str(values.dtype))


def read_objects(values: Array, name: str) -> Numbers | Levels:
    """Objects that are all numbers, or all dates and the like, become float64, all strings or all booleans
    become labels.
    """
    items = values.tolist()
    types = set(map(type, items))
    if any(_is_missing_type(t) for t in types) or any(issubclass(t, float) for t in types):
        known = np.fromiter((not _is_missing(item) for item in items), bool, len(items))
        items = [item for item in items if not _is_missing(item)]
        types = set(map(type, items))
    else:
        known = np.ones(len(items), bool)
    if any(issubclass(t, complex) and not issubclass(t, (int, float)) for t in types):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers")
    if not types:
        return nothing_known(len(known))
    if all(issubclass(t, str) for t in types) or types <= {bool, np.bool_}:
        levels = list(dict.fromkeys(items))
        place = {level: i for i, level in enumerate(levels)}
        codes = np.full(len(known), -1, np.int32)
        codes[known] = np.fromiter(map(place.__getitem__, items), np.int32, len(items))
        plain = [str(level) if isinstance(level, str) else bool(level) for level in levels]
        return Levels(codes, list(plain))
    if (dates := read_temporal_objects(items, known, name)) is not None:
        return dates
    if any(issubclass(t, str) for t in types) or not all(_is_number_type(t) for t in types):
        found = ", ".join(sorted(t.__name__ for t in types))
        raise TypeError(
            f"column {name!r} holds objects of type {found}: every argument must be a string or every one a "
            "number; convert the column, for example with astype(str) to use it as a category"
        )
    if any(abs(int(item)) > LARGEST_EXACT_INTEGER for item in items if isinstance(item, (int, np.integer))):
        raise beyond_exact(name)
    numbers = np.full(len(known), np.nan)
    numbers[known] = np.asarray(items, dtype=np.float64)
    return Numbers(numbers)


def nothing_known(n_rows: int) -> Levels:
    """A column of missing values that are no numbers: labels, since those may turn out to be anything."""
    return Levels(np.full(n_rows, -1, np.int32), [])


def _is_missing_type(kind: type) -> bool:
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType", "datetime64", "timedelta64")


def _is_missing(item: Any) -> bool:
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(item))
    return _is_missing_type(type(item)) or (isinstance(item, (float, np.floating)) and bool(item != item))


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, (int, float, np.number, np.bool_)) or kind.__name__ in ("Decimal", "Fraction")


def unsupported_type(name: str, dtype: str) -> TypeError:
    """The error for a column of a type that no tree can test."""
    lower = dtype.lower()
    if any(word in lower for word in ("list", "struct", "array", "map")):
        remedy = "give each of its parts a column of its own"
    else:
        remedy = "convert it to numbers or strings"
    return TypeError(f"column {name!r} has type {dtype}, which a tree cannot use: {remedy}")


def beyond_exact(name: str) -> ValueError:
    """The error for an integer that float64 cannot hold."""
    return ValueError(
        f"column {name!r} holds an integer beyond 2^53, which a float64 threshold cannot tell from its "
        "neighbours: make the column a category (strings) or rescale it"
    )
