"""Dates, datetimes, times of day and durations as the numbers that a tree compares, and as words.

A date counts in days since 1970-01-01. A datetime counts in microseconds since then, in UTC if it has a time
zone; a time of day in microseconds since midnight; a duration in microseconds. These whole numbers, *ticks*,
are compared as 64-bit floats: exactly up to 2^53, which are the years 1685 to 2255 of datetimes, and beyond
to the nearest float, which in the year 9999 is 32 microseconds.
"""

from __future__ import annotations

from typing import Final

DAY: Final = 86_400_000_000  # microseconds
