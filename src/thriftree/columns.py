"""What a column is: its name, its kind, and its code book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scalar = str | int | float | bool
Kind = Literal["number", "ordered", "category"]


@dataclass(frozen=True)
class ColumnSchema:
    """One column of a table.

    A "number" has values; an "ordered" column's value is the position in `categories`, which stand in their
    order; a "category" column's code is the position in `categories`, sorted by (type name, value).
    """

    name: str
    kind: Kind
    categories: tuple[Scalar, ...] = ()
