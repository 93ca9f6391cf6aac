"""Tables and figures as markdown, the same on every page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A markdown table; numbers to the right."""
    yield f"| {' | '.join(header)} |"
    yield f"|---|{'---:|' * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def rows_of(facts: Mapping[str, int]) -> str:
    """How many rows are used, and of how many.

    >>> rows_of({"rows": 10, "all_rows": 2000}), rows_of({"rows": 10, "all_rows": 10})
    ('10 of 2,000', '10')
    """
    used = f"{facts['rows']:,}"
    return used if facts["rows"] == facts["all_rows"] else f"{used} of {facts['all_rows']:,}"


def interval(low: float, high: float, digits: int) -> str:
    """A 95 % interval; nothing where there is none.

    >>> interval(1.0, 1.25, 1), interval(float("nan"), float("nan"), 1)
    ('[1.0, 1.2]', '')
    """
    return "" if math.isnan(low) else f"[{low:.{digits}f}, {high:.{digits}f}]"
