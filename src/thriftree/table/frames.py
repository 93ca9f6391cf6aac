"""From whatever holds a table (numpy, pandas, polars, pyarrow, lists) to plain numpy columns.

The only module that knows dataframe libraries, through narwhals, which is imported when a frame is met.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Scalar
from thriftree.messages import did_you_mean

if TYPE_CHECKING:
    import narwhals as nw

Array = NDArray[Any]
Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]

_LARGEST_EXACT_INTEGER = 2**53


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers: float32, float64, or integers; NaN is missing."""

    values: Array


@dataclass(frozen=True, slots=True)
class Levels:
    """A column of labels: ``codes[i]`` is the place of row i's label in ``levels``, -1 if it is missing."""

    codes: NDArray[np.int32]
    levels: list[Scalar]
    ordered: bool = False  # the order of the levels means something


@dataclass(frozen=True, slots=True)
class Frame:
    """A table as numpy columns, or as one numeric matrix where it came as one (``columns`` is empty then)."""

    n_rows: int
    names: list[str]
    has_names: bool  # False: the names are x0, x1, ...
    columns: list[Numbers | Levels]
    matrix: Array | None = None  # 2-D, float32, float64 or integers, not copied if it was such an array

    def column(self, index: int) -> Numbers | Levels:
        """One column, wherever it is held."""
        return self.columns[index] if self.matrix is None else Numbers(self.matrix[:, index])


def read_frame(X: Any) -> Frame:
    """Reads X; raises the error scikit-learn would where X is no table of at least one row and column.

    A Frame is returned as it is.

    >>> read_frame([[1.5, "red"], [2.0, "blue"]]).column(1).levels
    ['red', 'blue']
    """
    if isinstance(X, Frame):
        return X
    if _is_sparse(X):
        raise TypeError("Sparse data is not supported: convert X to a dense array with X.toarray()")
    if isinstance(X, Mapping):
        raise TypeError("X is a dict: make it a frame first, for example pandas.DataFrame(X)")
    if not isinstance(X, (np.ndarray, list, tuple)):
        import narwhals as nw

        if nw.dependencies.is_into_dataframe(X):
            return _read_dataframe(X)
        if nw.dependencies.is_polars_lazyframe(X):
            raise TypeError("X is a polars LazyFrame: call X.collect() first")
    return _read_array(as_array(X))


def _is_sparse(X: Any) -> bool:
    """Whoever made a sparse matrix has imported scipy.sparse; that takes long, so it is not done here."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def make_frame(columns: Mapping[str, Sequence[Any] | Array], backend: Backend | None = None) -> Any:
    """A frame of the library `backend`, or of the first that is installed of pandas, polars and pyarrow.

    None in a column is a missing value.
    """
    import narwhals as nw

    return nw.from_dict(columns, backend=backend or _installed_backend()).to_native()


def read_parquet(path: str | PathLike[str]) -> Any:
    """A Parquet file as a frame of the first library installed of pandas, polars and pyarrow."""
    import narwhals as nw

    return nw.read_parquet(fspath(path), backend=_installed_backend()).to_native()


def concat_rows(frames: Sequence[Any]) -> Any:
    """The rows of all frames, one after the other; they must have the same columns."""
    import narwhals as nw

    return nw.concat([nw.from_native(frame, eager_only=True) for frame in frames]).to_native()


def read_row(row: Any, names: Sequence[str]) -> dict[str, Any]:
    """One row by column name, as plain Python values.

    `row` is a mapping by name or a pandas Series with such an index (either may lack columns), a sequence in
    the order of `names`, or a frame or 2-D array with one row.
    """
    if isinstance(row, Mapping):
        return _named(dict(row), names)
    if isinstance(row, (str, bytes)):
        raise TypeError(f"a row is a mapping, a sequence, a frame with one row or a row of one, not {row!r}")
    if not isinstance(row, (np.ndarray, list, tuple)):
        import narwhals as nw

        if nw.dependencies.is_into_dataframe(row):
            frame = nw.from_native(row, eager_only=True)
            if len(frame) != 1:
                raise ValueError(
                    f"a frame of one row is expected, not of {len(frame)}: pass frame[i : i + 1]"
                )
            return _named(dict(zip(column_names(row) or names, frame.row(0), strict=True)), names)
        if nw.dependencies.is_pandas_series(row) and all(isinstance(name, str) for name in row.index):
            return _named(dict(zip(row.index, row, strict=True)), names)
    values = list(row[0] if getattr(row, "ndim", 1) == 2 and len(row) == 1 else row)
    if len(values) != len(names):
        raise ValueError(f"the row has {len(values)} values, but the tree has {len(names)} columns")
    return _named(dict(zip(names, values, strict=True)), names)


def _named(row: dict[Any, Any], names: Sequence[str]) -> dict[str, Any]:
    known = set(names)
    for name in row:
        if name not in known:
            raise ValueError(
                f"the row has {name!r}, but the tree has no such column{did_you_mean(name, names)}"
            )
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in row.items()}


def without_columns(X: Any, names: Sequence[str]) -> Any:
    """The frame X without these columns, each of which it must have."""
    import narwhals as nw

    return nw.from_native(X, eager_only=True).drop(names).to_native()


def _installed_backend() -> Backend:
    backends: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")
    for backend in backends:
        if importlib.util.find_spec(backend) is not None:
            return backend
    raise ModuleNotFoundError(
        "a frame needs pandas, polars or pyarrow, and none is installed: "
        "install one, or ask for plain columns (as_frame=False)"
    )


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


def _check_shape(shape: tuple[int, ...]) -> None:
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


def _read_array(array: Array) -> Frame:
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {array.dtype}")
    _check_shape(array.shape)
    n_rows, n_columns = array.shape
    names = [f"x{j}" for j in range(n_columns)]
    if array.dtype.kind in "fiu":
        return Frame(n_rows, names, False, [], matrix=_plain_numbers(array))
    columns = [_read_vector(array[:, j], name) for j, name in enumerate(names)]
    return Frame(n_rows, names, False, columns)


def _plain_numbers(array: Array) -> Array:
    """The same numbers in a type that the core reads; copied only if it has to be."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    if not array.dtype.isnative or any(stride % array.dtype.itemsize for stride in array.strides):
        return array.astype(array.dtype.newbyteorder("="))  # foreign byte order, or a field of packed records
    return array


def _read_vector(values: Array, name: str) -> Numbers | Levels:
    kind = values.dtype.kind
    if kind in "fiu":
        return Numbers(_plain_numbers(values))
    if kind == "b":
        return Levels(values.astype(np.int32), [False, True])
    if kind == "U":
        levels, codes = np.unique(values, return_inverse=True)
        return Levels(codes.astype(np.int32), levels.tolist())
    if kind in "OT":  # T: numpy's StringDType
        return _read_objects(values.astype(object, copy=False), name)
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {values.dtype}")
    raise _unsupported(name, str(values.dtype))


def _read_objects(values: Array, name: str) -> Numbers | Levels:
    """Objects that are all numbers become float64, all strings or all booleans become labels."""
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
        return _nothing_known(len(known))
    if all(issubclass(t, str) for t in types) or types <= {bool, np.bool_}:
        levels = list(dict.fromkeys(items))
        place = {level: i for i, level in enumerate(levels)}
        codes = np.full(len(known), -1, np.int32)
        codes[known] = np.fromiter(map(place.__getitem__, items), np.int32, len(items))
        plain = [str(level) if isinstance(level, str) else bool(level) for level in levels]
        return Levels(codes, list(plain))
    if any(issubclass(t, str) for t in types) or not all(_is_number_type(t) for t in types):
        found = ", ".join(sorted(t.__name__ for t in types))
        raise TypeError(
            f"column {name!r} holds objects of type {found}: every argument must be a string or every one a "
            "number; convert the column, for example with astype(str) to use it as a category"
        )
    if any(abs(int(item)) > _LARGEST_EXACT_INTEGER for item in items if isinstance(item, (int, np.integer))):
        raise _beyond_exact(name)
    numbers = np.full(len(known), np.nan)
    numbers[known] = np.asarray(items, dtype=np.float64)
    return Numbers(numbers)


def _nothing_known(n_rows: int) -> Levels:
    """A column of missing values that are no numbers: labels, since those may turn out to be anything."""
    return Levels(np.full(n_rows, -1, np.int32), [])


def _is_missing_type(kind: type) -> bool:
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")


def _is_missing(item: Any) -> bool:
    return _is_missing_type(type(item)) or (isinstance(item, (float, np.floating)) and bool(item != item))


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, (int, float, np.number, np.bool_)) or kind.__name__ in ("Decimal", "Fraction")


def _unsupported(name: str, dtype: str) -> TypeError:
    lower = dtype.lower()
    if any(word in lower for word in ("date", "time", "duration", "period")):
        remedy = "turn it into numbers that mean something, such as days since a date, the month or the hour"
    elif any(word in lower for word in ("list", "struct", "array", "map")):
        remedy = "give each of its parts a column of its own"
    else:
        remedy = "convert it to numbers or strings"
    return TypeError(f"column {name!r} has type {dtype}, which a tree cannot use: {remedy}")


def _beyond_exact(name: str) -> ValueError:
    return ValueError(
        f"column {name!r} holds an integer beyond 2^53, which a float64 threshold cannot tell from its "
        "neighbours: make the column a category (strings) or rescale it"
    )


def column_names(X: Any) -> list[str] | None:
    """The names of a frame's columns if all are strings, as scikit-learn sees them; None for anything else.

    Raises ValueError where two columns share a name.
    """
    arrow_names = getattr(X, "column_names", None)  # but pandas shows a column of that name there
    names = arrow_names if isinstance(arrow_names, list) else getattr(X, "columns", None)
    if names is None:
        return None
    names = list(names)
    if not all(isinstance(name, str) for name in names):
        return None
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(
            f"duplicate column names: {', '.join(map(repr, twice))}; give every column its own name"
        )
    return names


def _read_dataframe(X: Any) -> Frame:
    names = column_names(X)
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    _check_shape(frame.shape)
    n_rows, n_columns = frame.shape
    shown = names if names is not None else [f"x{j}" for j in range(n_columns)]
    columns = [_read_series(series, name) for series, name in zip(frame.iter_columns(), shown, strict=True)]
    return Frame(n_rows, shown, names is not None, columns)


def _read_series(series: nw.Series[Any], name: str) -> Numbers | Levels:
    import narwhals as nw

    dtype = series.dtype
    if isinstance(dtype, nw.Boolean):
        known = ~series.is_null().to_numpy()
        truth = series.fill_null(False).to_numpy().astype(bool)
        return Levels(np.where(known, truth, -1).astype(np.int32), [False, True])
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        return _read_categorical(series, name)
    if dtype.is_numeric():
        return _read_numeric(series, name)
    if series.null_count() == len(series):
        return _nothing_known(len(series))
    if isinstance(dtype, nw.String):
        return _factorize(series, name)
    native = series.to_native()
    if nw.dependencies.is_pandas_series(native) and not dtype.is_temporal():
        # Objects, and types unknown to narwhals such as complex.
        return _read_vector(np.asarray(native), name)
    if isinstance(dtype, nw.Object):
        return _read_objects(np.fromiter(series, object, len(series)), name)
    raise _unsupported(name, str(dtype))


def _read_numeric(series: nw.Series[Any], name: str) -> Numbers:
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_decimal():
        return Numbers(series.cast(nw.Float64).to_numpy())
    wide = isinstance(dtype, (nw.Int128, nw.UInt128))
    if dtype.is_integer() and (wide or series.null_count() > 0):
        known = series.drop_nulls()
        if len(known) > 0 and max(abs(int(known.min())), abs(int(known.max()))) > _LARGEST_EXACT_INTEGER:
            raise _beyond_exact(name)
        missing = series.is_null().to_numpy()
        numbers = series.fill_null(0).cast(nw.Float64).to_numpy().copy()
        numbers[missing] = np.nan
        return Numbers(numbers)
    values = series.to_numpy()
    if values.dtype.kind == "O":  # pandas: a nullable float column with missing values
        values = series.to_numpy().astype(np.float64)
    return Numbers(_plain_numbers(values))


def _read_categorical(series: nw.Series[Any], name: str) -> Numbers | Levels:
    import narwhals as nw

    native = series.to_native()
    if nw.dependencies.is_pandas_series(native):
        levels = _plain_levels(native.cat.categories.tolist(), name)
        return Levels(native.cat.codes.to_numpy().astype(np.int32), levels, native.cat.ordered)
    if isinstance(series.dtype, nw.Enum):
        positions = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return Levels(positions.astype(np.int32), list(series.dtype.categories), ordered=True)
    if nw.dependencies.is_pyarrow_chunked_array(native):
        return _from_dictionary(native.unify_dictionaries(), name)
    return _factorize(series.cast(nw.String), name)


def _factorize(series: nw.Series[Any], name: str) -> Numbers | Levels:
    """Labels as codes by each library's own hashing: no loop over rows in Python."""
    import narwhals as nw

    native = series.to_native()
    if nw.dependencies.is_pandas_series(native):
        codes, levels = native.factorize()
        return Levels(np.asarray(codes, np.int32), list(levels))
    if nw.dependencies.is_polars_series(native):
        ranks = native.rank("dense").cast(int).fill_null(0).to_numpy()
        return Levels((ranks - 1).astype(np.int32), native.drop_nulls().unique().sort().to_list())
    if nw.dependencies.is_pyarrow_chunked_array(native):
        return _from_dictionary(native.dictionary_encode(), name)
    return _read_objects(np.fromiter(series, object, len(series)), name)


def _from_dictionary(encoded: Any, name: str) -> Levels:
    """From a pyarrow chunked array whose chunks share one dictionary."""
    whole = encoded.combine_chunks()
    codes = whole.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    levels = _plain_levels(whole.dictionary.to_pylist(), name)
    return Levels(codes.astype(np.int32), levels, bool(encoded.type.ordered))


def _plain_levels(levels: list[Any], name: str) -> list[Scalar]:
    """Categories that a saved tree can hold. Intervals, as `pandas.cut` makes them, become texts."""
    plain = [str(level) if type(level).__name__ == "Interval" else level for level in levels]
    for level in plain:
        if not isinstance(level, (str, int, float)):
            raise TypeError(
                f"column {name!r} has a category of type {type(level).__name__}: categories are strings, "
                "numbers or booleans; rename them, for example with .cat.rename_categories(str) in pandas"
            )
        if isinstance(level, float) and not math.isfinite(level):
            raise ValueError(f"column {name!r} has the category {level}: rename it, or make it missing")
    return plain
