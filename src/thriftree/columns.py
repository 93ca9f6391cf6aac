"""What a tree knows about each of its columns, apart from the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Scalar = str | int | float | bool
Kind = Literal["number", "ordered", "category"]
TemporalKind = Literal["date", "datetime", "time", "duration"]


@dataclass(frozen=True, slots=True)
class Temporal:
    """How the numbers of a column are to be read: what they count is in `thriftree.temporal`.

    Datetimes with a time zone are compared in UTC, and shown in ``time_zone``; None: they have none.
    """

    what: TemporalKind
    time_zone: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column's name, its kind, and the values that its codes stand for.

    - ``number``: values are numbers; ``categories`` is empty. With ``temporal`` they stand for dates,
      datetimes, times of day or durations.
    - ``ordered``: an ordered categorical; a value counts as its position in ``categories``.
    - ``category``: a value's code is its position in ``categories``. They are the values seen in
      training, sorted by (type name, value), or by class proportion where the table was encoded so.
    """

    name: str
    kind: Kind
    categories: tuple[Scalar, ...] = ()
    temporal: Temporal | None = None


@lru_cache(maxsize=16)
def number_columns(names: tuple[str, ...]) -> tuple[ColumnSchema, ...]:
    """Plain numbers of these names. Arrays are fitted again and again, and wide ones have many columns."""
    return tuple(ColumnSchema(name, "number") for name in names)


def is_plain_number(schema: ColumnSchema) -> bool:
    """Whether the column's numbers stand for themselves."""
    return schema.kind == "number" and schema.temporal is None


def sorted_categories(values: Iterable[Scalar]) -> list[Scalar]:
    """The values in the order of category codes: by type name, then by value (strings by code points)."""
    by_type: dict[str, list[Scalar]] = {}
    for value in values:
        by_type.setdefault(type(value).__name__, []).append(value)
    return [value for name in sorted(by_type) for value in sorted(by_type[name])]
