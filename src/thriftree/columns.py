"""What a tree knows about each of its columns, apart from the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Scalar = str | int | float | bool
Kind = Literal["number", "ordered", "category"]


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column's name, its kind, and the values that its codes stand for.

    - ``number``: values are numbers; ``categories`` is empty.
    - ``ordered``: an ordered categorical; a value counts as its position in ``categories``.
    - ``category``: a value's code is its position in ``categories``. They are the values seen in
      training, sorted by (type name, value), or by class proportion where the table was encoded so.
    """

    name: str
    kind: Kind
    categories: tuple[Scalar, ...] = ()


def sorted_categories(values: Iterable[Scalar]) -> list[Scalar]:
    """The values in the order of category codes: by type name, then by value (strings by code points)."""
    by_type: dict[str, list[Scalar]] = {}
    for value in values:
        by_type.setdefault(type(value).__name__, []).append(value)
    return [value for name in sorted(by_type) for value in sorted(by_type[name])]
