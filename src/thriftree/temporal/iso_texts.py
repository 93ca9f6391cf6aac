"""Dates, datetimes, times of day and durations in texts of ISO 8601, and the names of time zones."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from thriftree.columns import Temporal

_DATE = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,6})0*)?)?"
_OFFSET = r"(?P<offset>Z|[+-]\d\d(?::?\d\d(?::\d\d)?)?)"
_DATETIME_TEXT: Final = re.compile(f"{_DATE}(?:[T ]{_CLOCK} ?{_OFFSET}?)?", re.ASCII)
_TIME_TEXT: Final = re.compile(_CLOCK, re.ASCII)
_SPAN_TEXT: Final = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<days>\d{1,9}) days?(?: (?P<plus>[+]?)(?=\d)|$))?"
    r"(?:(?P<hours>\d{1,9}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,6})0*)?)?)?",
    re.ASCII,
)
_ISO_SPAN: Final = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<weeks>\d{1,9})W)?(?:(?P<days>\d{1,9})D)?(?:T(?=\d)(?:(?P<hours>\d{1,9})H)?"
    r"(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,9})(?:\.(?P<fraction>\d{1,6})0*)?S)?)?",
    re.ASCII,
)
#: What a time zone may be called: an area and place of the tz database, or an offset.
TIME_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-/]{0,63}|(UTC|GMT)?[+-]\d\d:\d\d", re.ASCII)


class NotIsoError(ValueError):
    """A text is none of what was expected; the message says why."""


def parsed(temporal: Temporal, text: str) -> int:
    """The tick that a text stands for (`thriftree.temporal`)."""
    text = text.strip()
    if temporal.what == "time":
        return _time(text)
    if temporal.what == "duration":
        return _span(text)
    match = _DATETIME_TEXT.fullmatch(text)
    if match is None:
        raise NotIsoError(f"it is no {temporal.what} in ISO 8601")
    days = (_checked(dt.date, match, "year", "month", "day") - dt.date(1970, 1, 1)).days
    clock = _clock(match) if match["hour"] is not None else 0
    if temporal.what == "date":
        if clock or match["offset"] is not None:
            raise NotIsoError("it has a time, where days are compared")
        return days
    tick = days * 86_400_000_000 + clock
    if (match["offset"] is not None) != (temporal.time_zone is not None):
        raise NotIsoError("it has a time zone" if match["offset"] is not None else "it has no time zone")
    return tick - (_offset(match["offset"]) if match["offset"] is not None else 0)


def _checked(make: type, match: re.Match[str], *parts: str) -> dt.date:
    try:
        made: dt.date = make(*(int(match[part]) for part in parts))
    except ValueError as error:  # the 30th of February
        raise NotIsoError(str(error)) from None
    return made


def _clock(match: re.Match[str]) -> int:
    """Microseconds since midnight."""
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        raise NotIsoError("there is no such time of day")
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + _fraction(match)


def _fraction(match: re.Match[str]) -> int:
    return int((match["fraction"] or "").ljust(6, "0"))


def _offset(text: str) -> int:
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "").ljust(6, "0")
    seconds = (int(digits[:2]) * 60 + int(digits[2:4])) * 60 + int(digits[4:])
    return (-seconds if text[0] == "-" else seconds) * 1_000_000


def _time(text: str) -> int:
    match = _TIME_TEXT.fullmatch(text)
    if match is None:
        raise NotIsoError("it is no time of day in ISO 8601")
    return _clock(match)


def _span(text: str) -> int:
    match = _SPAN_TEXT.fullmatch(text)
    if match is not None and (match["days"] or match["hours"]):
        days, hours = int(match["days"] or 0), int(match["hours"] or 0)
        minute, second = int(match["minute"] or 0), int(match["second"] or 0)
        if minute > 59 or second > 59 or (match["days"] and hours > 23):
            raise NotIsoError("there is no such time of day")
        clock = ((hours * 60 + minute) * 60 + second) * 1_000_000 + _fraction(match)
        sign = -1 if match["sign"] == "-" else 1
        # pandas writes -1 days +20:00:00 for what is four hours less than nothing.
        return sign * days * 86_400_000_000 + (clock if match["plus"] else sign * clock)
    match = _ISO_SPAN.fullmatch(text)
    if match is None or not any(match[part] for part in ("weeks", "days", "hours", "minutes", "seconds")):
        raise NotIsoError("it is no duration")
    weeks, days, hours, minutes, seconds = (
        int(match[part] or 0) for part in ("weeks", "days", "hours", "minutes", "seconds")
    )
    whole = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
    tick = whole * 1_000_000 + _fraction(match)
    return -tick if match["sign"] == "-" else tick


def zone_name(name: str) -> str:
    """The name, if a file may hold it; UTC for others, such as a zone that only one machine knows."""
    return name if TIME_ZONE.fullmatch(name) else "UTC"


@lru_cache(maxsize=64)
def zone_of(name: str) -> dt.tzinfo | None:
    """The time zone of a name, or of an offset such as +01:00; None if this machine does not know it."""
    offset = name.removeprefix("UTC").removeprefix("GMT")
    if re.fullmatch(r"[+-]\d\d:\d\d", offset, re.ASCII):
        try:
            return dt.timezone(dt.timedelta(microseconds=_offset(offset)))
        except ValueError:  # beyond a day
            return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such name, one that is no name, a folder of names
        return None
