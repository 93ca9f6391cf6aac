"""How the Python source that a tree becomes reads dates, datetimes, times of day and durations."""

from __future__ import annotations

from typing import Final

IMPORTS: Final = ("import datetime",)

#: `thriftree.temporal.number_of` for a program without packages: days, or microseconds.
READING_DATES: Final = '''

def _{name}_date(row, column):
    """Days since 1970-01-01; NaN if the value is missing. A midnight counts as its date."""
    value = _{name}_known(row, column, datetime.datetime.fromisoformat)
    if value is None:
        return math.nan
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None or value.time() != datetime.time():
            raise ValueError(f"column {{column!r}} takes dates, not {{value!r}}")
    elif not isinstance(value, datetime.date):
        raise TypeError(f"column {{column!r}} takes dates, not {{value!r}}")
    return float(value.toordinal() - 719163)


def _{name}_datetime(row, column, has_time_zone):
    """Microseconds since 1970-01-01, in UTC if there is a time zone; NaN if the value is missing."""
    value = _{name}_known(row, column, datetime.datetime.fromisoformat)
    if value is None:
        return math.nan
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime.datetime) or (value.tzinfo is not None) != has_time_zone:
        with_zone = "with" if has_time_zone else "without"
        raise TypeError(f"column {{column!r}} takes datetimes {{with_zone}} a time zone, not {{value!r}}")
    if hasattr(value, "to_pydatetime"):  # pandas
        value = value.to_pydatetime()
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc if has_time_zone else None)
    return float((value - epoch) // datetime.timedelta(microseconds=1))


def _{name}_time(row, column):
    """Microseconds since midnight; NaN if the value is missing."""
    value = _{name}_known(row, column, datetime.time.fromisoformat)
    if value is None:
        return math.nan
    if not isinstance(value, datetime.time) or value.tzinfo is not None:
        raise TypeError(f"column {{column!r}} takes times of day without a time zone, not {{value!r}}")
    return float(((value.hour * 60 + value.minute) * 60 + value.second) * 1000000 + value.microsecond)


def _{name}_duration(row, column):
    """Microseconds; NaN if the value is missing."""
    value = _{name}_known(row, column, None)
    if value is None:
        return math.nan
    if not isinstance(value, datetime.timedelta):
        raise TypeError(f"column {{column!r}} takes timedeltas, not {{value!r}}")
    return float((value.days * 86400 + value.seconds) * 1000000 + value.microseconds)


def _{name}_known(row, column, read_text):
    """The value; None if it is missing. A text is read, if it can be."""
    value = row.get(column)
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        raise ValueError(f"column {{column!r}} holds {{value}}, which is finer than a microsecond")
    return read_text(value) if isinstance(value, str) and read_text is not None else value
'''
