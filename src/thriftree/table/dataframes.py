"""From dataframes (pandas, polars, pyarrow) to plain numpy columns, through narwhals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree.columns import ColumnSchema, Scalar
from thriftree.table.arrays import (
    LARGEST_EXACT_INTEGER,
    beyond_exact,
    check_shape,
    nothing_known,
    plain_numbers,
    read_objects,
    read_vector,
    unsupported_type,
)
from thriftree.table.frame import Frame, Levels, Numbers
from thriftree.table.temporal_columns import read_temporal

if TYPE_CHECKING:
    import narwhals as nw


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


def read_dataframe(X: Any) -> Frame:
    """A frame of any library that narwhals knows, read a column at a time."""
    frame = OpenFrame(X)
    columns = [frame.column(j) for j in range(len(frame.names))]
    return Frame(frame.n_rows, frame.names, frame.has_names, columns)


class OpenFrame:
    """A frame of any library that narwhals knows, of which no column has been read yet."""

    def __init__(self, X: Any) -> None:
        names = column_names(X)
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        check_shape(frame.shape)
        self.n_rows: int = frame.shape[0]
        self.has_names = names is not None
        self.names = names if names is not None else [f"x{j}" for j in range(frame.shape[1])]
        self._series = list(frame.iter_columns())

    def column(self, index: int) -> Numbers | Levels:
        """One column, which is read now."""
        return _read_series(self._series[index], self.names[index])

    def is_sure_to_read(self, index: int, schema: ColumnSchema) -> bool:
        """Whether the column's type says that it can be read by this schema, whatever its rows hold. Raises
        what reading would where its categories cannot be kept.
        """
        import narwhals as nw

        series = self._series[index]
        if isinstance(series.dtype, (nw.Float32, nw.Float64, nw.Boolean)):
            return schema.temporal is None
        if schema.kind == "number":
            return False
        native = series.to_native()
        if isinstance(series.dtype, nw.Categorical) and nw.dependencies.is_pandas_series(native):
            categories = getattr(native.dtype, "categories", None)
            if categories is None:  # in Arrow's memory
                return False
            _plain_levels(categories.tolist(), self.names[index])
            return True
        return isinstance(series.dtype, (nw.String, nw.Enum))


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
    if (dates := read_temporal(series, name)) is not None:
        return dates
    if series.null_count() == len(series):
        return nothing_known(len(series))
    if isinstance(dtype, nw.String):
        return _factorize(series, name)
    native = series.to_native()
    if nw.dependencies.is_pandas_series(native):
        # Objects, and types unknown to narwhals such as complex.
        return read_vector(np.asarray(native), name)
    if isinstance(dtype, nw.Object):
        return read_objects(np.fromiter(series, object, len(series)), name)
    raise unsupported_type(name, str(dtype))


def _read_numeric(series: nw.Series[Any], name: str) -> Numbers:
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_decimal():
        return Numbers(series.cast(nw.Float64).to_numpy())
    wide = isinstance(dtype, (nw.Int128, nw.UInt128))
    if dtype.is_integer() and (wide or series.null_count() > 0):
        known = series.drop_nulls()
        if len(known) > 0 and max(abs(int(known.min())), abs(int(known.max()))) > LARGEST_EXACT_INTEGER:
            raise beyond_exact(name)
        missing = series.is_null().to_numpy()
        numbers = series.fill_null(0).cast(nw.Float64).to_numpy().copy()
        numbers[missing] = np.nan
        return Numbers(numbers)
    values = series.to_numpy()
    if values.dtype.kind == "O":  # pandas: a nullable float column with missing values
        values = series.to_numpy().astype(np.float64)
    return Numbers(plain_numbers(values))


def _read_categorical(series: nw.Series[Any], name: str) -> Numbers | Levels:
    import narwhals as nw

    native = series.to_native()
    if nw.dependencies.is_pandas_series(native):
        if not hasattr(native.dtype, "categories"):  # in Arrow's memory
            return _from_dictionary(native.array.__arrow_array__().unify_dictionaries(), name)
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
    return read_objects(np.fromiter(series, object, len(series)), name)


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
