"""Values of Python, numpy and pandas, and texts, as the numbers that trees compare."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Temporal
from thriftree.temporal import DAY
from thriftree.temporal.iso_texts import NotIsoError, parsed, zone_name
from thriftree.temporal.words import example_words, kind_words

_EPOCH: Final = dt.datetime(1970, 1, 1)
_UTC_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_TICK: Final = dt.timedelta(microseconds=1)
_DATES: Final = ("Y", "M", "W", "D")  # units of datetime64 that are whole days
_FINER: Final = "finer than a microsecond, which trees do not compare"


def number_of(temporal: Temporal, value: Any, name: str) -> float:
    """A value that is not missing as the number that the tests of its column compare.

    It is a date, datetime, time or timedelta of Python, numpy or pandas, or a text in ISO 8601. A date is its
    midnight where datetimes without a time zone are compared, and a midnight is its date. Raises TypeError or
    ValueError, naming the column, for anything else.
    """
    if isinstance(value, str):
        return float(text_tick(temporal, value, name))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        array = np.asarray(value).reshape(1)
        given, numbers = of_array(array, name)
    else:
        read = of_object(value)
        if read is None:
            raise TypeError(
                f"column {name!r} holds {kind_words(temporal)}, but a value is {value!r}: give a "
                f"{temporal.what}, or a text such as {example_words(temporal)!r}"
            )
        given, numbers = read[0], np.array([float(read[1])])
    return float(converted(numbers, given, temporal, name)[0])


def text_tick(temporal: Temporal, text: str, name: str) -> int:
    """The tick of a text in ISO 8601, or as `tick_words` writes it."""
    try:
        return parsed(temporal, text)
    except NotIsoError as error:
        raise ValueError(
            f"column {name!r} holds {kind_words(temporal)}, but a value is {text!r}: {error}; write it like "
            f"{example_words(temporal)!r}"
        ) from None


def of_object(value: Any) -> tuple[Temporal, int] | None:
    """What a Python object is, and its tick; None for one that is no date, datetime, time or duration.

    Raises ValueError for one that is finer than a microsecond, or a time of day with a time zone.
    """
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):  # of pandas
        raise ValueError(f"{value} is {_FINER}")
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            return Temporal("datetime"), (_plain(value) - _EPOCH) // _TICK
        zone = getattr(value.tzinfo, "key", None) or value.strftime("%z")
        zone = zone if len(zone) != 5 else f"{zone[:3]}:{zone[3:]}"
        return Temporal("datetime", zone_name(zone)), (_plain(value) - _UTC_EPOCH) // _TICK
    if isinstance(value, dt.date):
        return Temporal("date"), (value - _EPOCH.date()).days
    if isinstance(value, dt.time):
        if value.tzinfo is not None:
            raise ValueError(f"{value} is a time of day with a time zone, whose offset depends on the day")
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return Temporal("time"), seconds * 1_000_000 + value.microsecond
    if isinstance(value, dt.timedelta):
        return Temporal("duration"), (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    return None


def _plain(value: dt.datetime) -> dt.datetime:
    """pandas' own as Python's: a difference of its own may not reach over many years."""
    to_python = getattr(value, "to_pydatetime", None)
    return value if to_python is None else to_python()


def of_array(values: NDArray[Any], name: str) -> tuple[Temporal, NDArray[np.float64]]:
    """What numpy's datetime64 or timedelta64 are, by their unit, and their numbers; NaT is NaN.

    Raises ValueError, naming the column, where a value is finer than a microsecond or too far away for
    microseconds in 64 bits.
    """
    unit, _ = np.datetime_data(values.dtype)
    is_span = values.dtype.kind == "m"
    if (unit == "generic" and not np.isnat(values).all()) or (is_span and unit in ("Y", "M")):
        raise TypeError(
            f"column {name!r} has type {values.dtype}, whose unit is no fixed time: give it a unit, for "
            f"example with .astype('{'timedelta64[s]' if is_span else 'datetime64[s]'}')"
        )
    temporal = Temporal("duration" if is_span else "date" if unit in _DATES else "datetime")
    missing = np.isnat(values)
    try:
        ticks = values.astype(f"{values.dtype.kind}8[{'D' if temporal.what == 'date' else 'us'}]")
        wrong = ~missing & (ticks.astype(values.dtype) != values)
    except OverflowError:  # what newer releases of numpy say of a value that is too far away
        raise inexact(
            name, str(values[~missing][np.argmax(np.abs(values[~missing].view(np.int64)))])
        ) from None
    if wrong.any():
        raise inexact(name, str(values[np.argmax(wrong)]))
    return temporal, np.where(missing, np.nan, ticks.astype(np.int64))


def inexact(name: str, value: str) -> ValueError:
    """The error for a value that is finer than microseconds, or too far away for them."""
    return ValueError(
        f"column {name!r} holds {value}, which is {_FINER}, or too far away: round it before, for example "
        f"X[{name!r}].dt.floor('us') in pandas; or make the column numbers"
    )


def converted(
    numbers: NDArray[np.float64], given: Temporal | None, wanted: Temporal | None, name: str
) -> NDArray[np.float64]:
    """Numbers that were read as `given` as those that are compared as `wanted`.

    A date is its midnight and a midnight its date, where there is no time zone. Time zones may differ: they
    are for showing. Raises ValueError, naming the column and the remedy, where one is not the other.
    """
    if given == wanted or np.isnan(numbers).all():
        return numbers
    if given is not None and wanted is not None:
        aware = given.time_zone is not None, wanted.time_zone is not None
        if given.what == wanted.what and aware[0] == aware[1]:
            return numbers
        if (given.what, wanted.what) == ("date", "datetime") and not any(aware):
            return numbers * DAY
        if (given.what, wanted.what) == ("datetime", "date") and not any(aware):
            days = np.floor(numbers / DAY)
            if ((days * DAY == numbers) | np.isnan(numbers)).all():
                return days
    raise ValueError(
        f"column {name!r} held {kind_words(wanted)} in training; now it holds {kind_words(given)}: "
        f"{_remedy(given, wanted, name)}"
    )


def _remedy(given: Temporal | None, wanted: Temporal | None, name: str) -> str:
    """What pandas calls the change."""
    column = f"X[{name!r}]"
    if wanted is None or given is None:
        return "give it as it was in training, or fit anew"
    if (given.what, wanted.what) == ("datetime", "date") and given.time_zone is None:
        return f"give days, for example {column}.dt.floor('D')"
    if wanted.time_zone is not None and given.what in ("date", "datetime"):
        return f"say in which time zone it is, for example {column}.dt.tz_localize({wanted.time_zone!r})"
    if given.time_zone is not None and wanted.what in ("date", "datetime"):
        return f"leave the time zone out, for example {column}.dt.tz_localize(None)"
    return "give it as it was in training, or fit anew"
