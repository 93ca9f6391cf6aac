"""Dates, datetimes, times of day and durations as the numbers that a tree compares, and as words.

A date counts in days since 1970-01-01. A datetime counts in microseconds since then, in UTC if it has a time
zone; a time of day in microseconds since midnight; a duration in microseconds. These whole numbers, *ticks*,
are compared as 64-bit floats: exactly up to 2^53, which are the years 1685 to 2255 of datetimes, and beyond
to the nearest float, which in the year 9999 is 32 microseconds.
"""

from __future__ import annotations

import datetime as dt
from math import floor, inf, nextafter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Temporal
from thriftree.iso_texts import NotIso, parsed, zone_name, zone_of

DAY: Final = 86_400_000_000  # microseconds
_EXACT: Final = 2**53
_EPOCH: Final = dt.datetime(1970, 1, 1)
_UTC_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_TICK: Final = dt.timedelta(microseconds=1)
_WORDS: Final = {"date": "dates", "datetime": "datetimes", "time": "times of day", "duration": "durations"}
_EXAMPLES: Final = {
    "date": "2021-03-04",
    "datetime": "2021-03-04 12:30",
    "time": "12:30",
    "duration": "3 days 12:30",
}


def temporal_of(column: dict[str, Any]) -> Temporal | None:
    """How a column of the JSON form reads its numbers; None: as numbers."""
    what = column.get("temporal")
    return None if what is None else Temporal(what, column.get("time_zone"))


def kind_words(temporal: Temporal | None) -> str:
    """ "dates", "datetimes with a time zone", "numbers"."""
    if temporal is None:
        return "numbers"
    return _WORDS[temporal.what] + (" with a time zone" if temporal.time_zone is not None else "")


def example_words(temporal: Temporal) -> str:
    """How a value may be written."""
    zone = "+01:00" if temporal.time_zone is not None else ""
    return _EXAMPLES[temporal.what] + zone


def count_words(temporal: Temporal) -> str:
    """What the number counts, for programs that take the number."""
    if temporal.what == "date":
        return "days since 1970-01-01"
    zone = " UTC" if temporal.time_zone is not None else ""
    since = {"datetime": f" since 1970-01-01 00:00{zone}", "time": " since midnight", "duration": ""}
    return f"microseconds{since[temporal.what]}"


def last_tick(cut: float) -> int:
    """The largest whole number that, as a 64-bit float, is not above the cut."""
    if abs(cut) < _EXACT:
        return floor(cut)
    below, above = int(cut), nextafter(cut, inf)
    middle = below if above == inf else (below + int(above)) // 2
    return middle if float(middle) <= cut else middle - 1


def cut_words(temporal: Temporal, cut: float) -> str:
    """A cut as the last date, datetime, time or duration that is not above it: "x <= words" and "x > words"
    hold of exactly those values of which they hold with the cut itself.
    """
    return tick_words(temporal, last_tick(cut))


def tick_words(temporal: Temporal, tick: int) -> str:
    """ISO 8601 with a blank before the time, as briefly as is exact: 2021-03-04, 2021-03-04 12:30+01:00,
    12:30:05.25; durations as 3 days 12:30. Of years that ISO does not have the number of days or microseconds.
    """
    try:
        if temporal.what == "date":
            return (_EPOCH + dt.timedelta(days=tick)).date().isoformat()
        if temporal.what == "duration":
            return _duration_words(tick)
        moment = _EPOCH + dt.timedelta(microseconds=tick)
    except OverflowError:
        moment = None
    if temporal.what == "time" and 0 <= tick < DAY:
        assert moment is not None
        return _clock_words(moment)
    if temporal.what == "datetime" and moment is not None:
        return _moment_words(moment, temporal.time_zone)
    unit = "days" if temporal.what == "date" else "microseconds"
    origin = "midnight" if temporal.what == "time" else "1970-01-01"
    return f"{abs(tick)} {unit} {'before' if tick < 0 else 'after'} {origin}"


def _moment_words(moment: dt.datetime, time_zone: str | None) -> str:
    """In the time zone, with its offset; in UTC where this machine does not know the time zone."""
    offset = ""
    if time_zone is not None:
        moment = moment.replace(tzinfo=dt.UTC)
        try:
            moment = moment.astimezone(zone_of(time_zone) or dt.UTC)
        except OverflowError:  # the first or the last day of all
            pass
        offset = moment.isoformat()[len(moment.replace(tzinfo=None).isoformat()) :]
    return f"{moment.date().isoformat()} {_clock_words(moment)}{offset}"


def _clock_words(moment: dt.datetime) -> str:
    words = f"{moment.hour:02}:{moment.minute:02}"
    if moment.second or moment.microsecond:
        words += f":{moment.second:02}"
    if moment.microsecond:
        words += f".{moment.microsecond:06}".rstrip("0")
    return words


def _duration_words(tick: int) -> str:
    days, rest = divmod(abs(tick), DAY)
    clock = _clock_words(_EPOCH + dt.timedelta(microseconds=rest))
    words = clock if not days else f"{days} day{'' if days == 1 else 's'}" + (f" {clock}" if rest else "")
    return f"-{words}" if tick < 0 else words


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
    except NotIso as error:
        raise ValueError(
            f"column {name!r} holds {kind_words(temporal)}, but a value is {text!r}: {error}; write it like "
            f"{example_words(temporal)!r}"
        ) from None


def of_object(value: Any) -> tuple[Temporal, int] | None:
    """What a Python object is, and its tick; None for one that is no date, datetime, time or duration.

    Raises ValueError for one that is finer than a microsecond, or a time of day with a time zone.
    """
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):  # of pandas
        raise ValueError(f"{value} is {FINER}")
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


FINER: Final = "finer than a microsecond, which trees do not compare"
_DATES: Final = ("Y", "M", "W", "D")


def of_array(values: NDArray[Any], name: str) -> tuple[Temporal, NDArray[np.float64]]:
    """What numpy's datetime64 or timedelta64 are, by their unit, and their numbers; NaT is NaN.

    Raises ValueError, naming the column, where a value is finer than a microsecond or too far away for
    microseconds in 64 bits.
    """
    unit, _ = np.datetime_data(values.dtype)
    is_span = values.dtype.kind == "m"
    if unit == "generic" and not np.isnat(values).all() or (is_span and unit in ("Y", "M")):
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
        f"column {name!r} holds {value}, which is {FINER}, or too far away: round it before, for example "
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
