"""Columns of dates, datetimes, times of day and durations, of any library, as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thriftree.columns import Temporal
from thriftree.table.frame import Array, Levels, Numbers
from thriftree.temporal.iso_texts import zone_name
from thriftree.temporal.numbers import of_array, of_object, text_tick
from thriftree.temporal.words import tick_words

if TYPE_CHECKING:
    import narwhals as nw

_NO_TICK: Final = np.iinfo(np.int64).min  # NaT, seen as an integer
_PERIODS_OF_DAYS: Final = re.compile(r"\d*(A|Y|Q|M|W|B|D)[ES]?(-\w+)?")


def read_dates(values: Array, name: str, time_zone: str | None = None) -> Numbers:
    """numpy's datetime64, in UTC if there is a time zone, or timedelta64."""
    temporal, numbers = of_array(values, name)
    if time_zone is not None:
        temporal = Temporal("datetime", zone_name(time_zone))
    return Numbers(numbers, temporal)


def read_temporal(series: nw.Series[Any], name: str) -> Numbers | None:
    """A series of dates, datetimes, times of day or durations; None for another, or another library's."""
    import narwhals as nw

    native = series.to_native()
    if nw.dependencies.is_pandas_series(native):
        return _read_pandas(native, name)
    if not series.dtype.is_temporal():
        return None
    if nw.dependencies.is_polars_series(native):
        unit = {"Date": "D", "Time": "ns"}.get(type(series.dtype).__name__)
        unit = unit or series.dtype.time_unit  # type: ignore[attr-defined]
        ticks = native.to_physical().cast(int).fill_null(_NO_TICK).to_numpy()
        return _read_ticks(ticks, series.dtype, unit, name)
    if nw.dependencies.is_pyarrow_chunked_array(native):
        return _read_arrow(native, name)
    return None


def _read_pandas(native: Any, name: str) -> Numbers | None:
    kind = type(native.dtype).__name__
    if kind == "DatetimeTZDtype":
        return read_dates(
            native.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), name, str(native.dt.tz)
        )
    if kind == "PeriodDtype":
        starts = native.dt.start_time.to_numpy()
        days = _PERIODS_OF_DAYS.fullmatch(native.dtype.freq.freqstr) is not None
        return read_dates(starts.astype("M8[D]") if days else starts, name)
    if kind == "ArrowDtype":
        return _read_arrow(native.array.__arrow_array__(), name)
    return read_dates(native.to_numpy(), name) if native.dtype.kind in "mM" else None


def _read_arrow(cells: Any, name: str) -> Numbers | None:
    import narwhals as nw
    import pyarrow as pa

    kind = cells.type
    if not pa.types.is_temporal(kind) or pa.types.is_interval(kind):
        return None
    unit = {pa.date32(): "D", pa.date64(): "ms"}.get(kind) or kind.unit
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    ticks = whole.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
    series = nw.from_native(pa.chunked_array([whole]), series_only=True)
    return _read_ticks(ticks.fill_null(_NO_TICK).to_numpy(zero_copy_only=False), series.dtype, unit, name)


def _read_ticks(ticks: Array, dtype: Any, unit: str, name: str) -> Numbers:
    """Integers that count a unit of time since 1970, since midnight, or of a span."""
    import narwhals as nw

    if isinstance(dtype, nw.Date):
        return read_dates(ticks.astype("i8").view(f"M8[{unit}]").astype("M8[D]"), name)
    if isinstance(dtype, nw.Datetime):
        return read_dates(ticks.astype("i8").view(f"M8[{unit}]"), name, dtype.time_zone)
    spans = read_dates(ticks.astype("i8").view(f"m8[{unit}]"), name)
    return spans if isinstance(dtype, nw.Duration) else Numbers(spans.values, Temporal("time"))


def read_temporal_objects(items: Sequence[Any], known: Array, name: str) -> Numbers | None:
    """Python's dates, datetimes, times or timedeltas, all of one kind; None where the first is none of them.

    ``items`` are those of the rows that are ``known``.
    """
    if isinstance(items[0], (np.datetime64, np.timedelta64)):
        values = np.full(len(known), "NaT", np.result_type(*{item.dtype for item in items}))
        values[known] = items
        return read_dates(values, name)
    try:
        read = [of_object(item) for item in items]
    except ValueError as error:
        raise ValueError(
            f"column {name!r} holds what a tree cannot use: {error}; change it before, or leave it out"
        ) from None
    if read[0] is None:
        return None
    kinds = {None if one is None else (one[0].what, one[0].time_zone is None) for one in read}
    if len(kinds) > 1:
        found = ", ".join(sorted({type(item).__name__ for item in items}))
        zones = " with and without a time zone" if len({kind and kind[0] for kind in kinds}) == 1 else ""
        raise TypeError(
            f"column {name!r} holds objects of type {found}{zones}: make them all dates, or all datetimes, "
            "for example with pandas.to_datetime"
        )
    zones_seen = {one[0].time_zone for one in read if one is not None}
    zone = zones_seen.pop() if len(zones_seen) == 1 else "UTC"
    numbers = np.full(len(known), np.nan)
    numbers[known] = [float(one[1]) for one in read if one is not None]
    return Numbers(numbers, Temporal(read[0][0].what, zone))


def texts_as_numbers(column: Levels, temporal: Temporal, name: str) -> Array:
    """The numbers of texts in ISO 8601; only the distinct ones are looked at."""
    used = np.zeros(len(column.levels), bool)
    used[column.codes[column.codes >= 0]] = True
    numbers = [
        float(text_tick(temporal, str(level), name)) if in_use else np.nan
        for level, in_use in zip(column.levels, used, strict=True)
    ]
    return np.array([*numbers, np.nan])[column.codes]


def numbers_as_texts(column: Numbers) -> Levels:
    """Dates and the like as labels."""
    assert column.temporal is not None
    numbers, codes = np.unique(column.values, return_inverse=True)
    known = numbers[~np.isnan(numbers)]
    levels = [tick_words(column.temporal, int(number)) for number in known.tolist()]
    return Levels(np.where(codes < len(known), codes, -1).astype(np.int32), list(levels))
