"""Dates and the like in words: what is shown, and what may be typed."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from math import floor, inf, nextafter
from typing import Any, Final

from thriftree.columns import Temporal
from thriftree.temporal import DAY
from thriftree.temporal.iso_texts import zone_of

_EXACT: Final = 2**53
_EPOCH: Final = dt.datetime(1970, 1, 1)
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
    12:30:05.25; durations as 3 days 12:30. Beyond ISO's years the number of days or microseconds.
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
        with suppress(OverflowError):  # the first or the last day of all
            moment = moment.astimezone(zone_of(time_zone) or dt.UTC)
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
