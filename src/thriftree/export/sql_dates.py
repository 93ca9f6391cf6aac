"""Dates, datetimes and times of day as the engines of `sql_dialects` write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thriftree.columns import Temporal
from thriftree.temporal.words import kind_words, last_tick, tick_words

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ISO_TIME = re.compile(r"\d\d:\d\d")


@dataclass(frozen=True)
class Dates:
    """The literals of an engine, `{t}` being the ISO text; None where it has no such type, or one whose
    meaning depends on settings. `zoned` is a datetime with a time zone, written in UTC.
    """

    date: str | None = "DATE '{t}'"
    naive: str | None = "TIMESTAMP '{t}'"
    zoned: str | None = "TIMESTAMP WITH TIME ZONE '{t}+00:00'"
    time: str | None = "TIME '{t}'"
    date_column: str = "{x}"  # a column of dates in comparisons
    years: tuple[int, int] = (1, 9999)  # that the engine's dates have
    days_since_1970: str | None = None  # of a column of dates

    def column(self, temporal: Temporal, x: str) -> str:
        """A column as it is compared."""
        return self.date_column.format(x=x) if temporal.what == "date" else x

    def days(self, temporal: Temporal, x: str) -> str | None:
        """A column of dates as the number that it counts as; None where the engine has no way that we know,
        and for datetimes, times and durations.
        """
        if temporal.what != "date" or self.days_since_1970 is None:
            return None
        return self.days_since_1970.format(x=x)

    def literal(self, temporal: Temporal, cut: float, column: str, engine: str) -> str:
        """The last moment that is not above the cut. Raises ValueError where the engine cannot hold it."""
        form = {
            "date": self.date,
            "datetime": self.naive if temporal.time_zone is None else self.zoned,
            "time": self.time,
            "duration": None,
        }[temporal.what]
        if form is None:
            raise ValueError(
                f"column {column!r} holds {kind_words(temporal)}, for which there is no literal that "
                f"{engine} compares for certain: make the column numbers before training, or choose another "
                "dialect"
            )
        tick = last_tick(cut)
        written = tick_words(Temporal(temporal.what), tick)  # in UTC
        if not self._has(written):
            raise ValueError(
                f"column {column!r} has the cut {tick_words(temporal, tick)}, and {engine} has the years "
                f"{self.years[0]} to {self.years[1]} and the times of a day only: leave such values out "
                "before training"
            )
        seconds = ":00" if written.count(":") == 1 else ""  # not every engine reads a time without them
        return form.format(t=written + seconds)

    def _has(self, written: str) -> bool:
        if _ISO_DATE.match(written):
            return self.years[0] <= int(written[:4]) <= self.years[1]
        return _ISO_TIME.match(written) is not None
