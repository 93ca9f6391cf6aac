"""One row's way through a tree in its JSON form, as docs/spec/tree-v1.md tells it.

For explanations, questionnaires and tests, which take a row at a time; tables are for `Tree.predict`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from enum import Enum
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from thriftree.columns import Scalar
from thriftree.temporal.numbers import number_of, of_object
from thriftree.temporal.words import temporal_of, tick_words


class Unknown(Enum):
    """A value that is not known, or not known to the tree."""

    MISSING = "missing"
    OTHER = "other"  # not among the column's categories


Answer: TypeAlias = float | int | Unknown  # a number; or the position of a category

MISSING, OTHER = Unknown.MISSING, Unknown.OTHER


def scalar(label: Any) -> Scalar:
    """A label of the JSON form as a Python value."""
    value: Scalar = label["float"] if isinstance(label, dict) else label
    return value


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, Real) and math.isnan(value)


def answer_of(column: dict[str, Any], value: Any) -> Answer:
    """A value of a column of the JSON form as the tests see it.

    Categories are matched by value: 1, 1.0 and True are the same, "1" is not. MISSING and OTHER stand for
    themselves. A date, datetime, time or duration is one of Python, numpy or pandas, or a text in ISO 8601.
    """
    if isinstance(value, Unknown):
        return OTHER if value is OTHER and column["kind"] != "number" else MISSING
    if is_missing(value):
        return MISSING
    if (temporal := temporal_of(column)) is not None:
        return number_of(temporal, value, column["name"])
    if column["kind"] == "number":
        if hasattr(value, "__float__"):  # numbers of every library, booleans among them
            return float(value)
        raise TypeError(f"column {column['name']!r} takes numbers, not {value!r}")
    categories = column["categories"]
    if (read := of_object(value)) is not None:  # dates that are categories are so by their words
        value = tick_words(*read)
    for position in range(len(categories) - 1, -1, -1):  # of equals the last, as in tables
        if scalar(categories[position]) == value:
            return position
    return OTHER


def branch_of(test: dict[str, Any], answer: Answer) -> int:
    """The branch that an answer takes at a test."""
    if answer is MISSING:
        return int(test["missing"])
    if answer is OTHER:
        return int(test["other"])
    if test["kind"] == "ordered":
        return int(test["to"][bisect_left(test["keys"], answer)])
    place = bisect_left(test["keys"], answer)
    if place < len(test["keys"]) and test["keys"][place] == answer:
        return int(test["to"][place])
    return int(test["other"])


def path_of(document: dict[str, Any], row: Mapping[str, Any]) -> list[int]:
    """The nodes that a row passes, root and leaf included. A column that the row lacks is missing."""
    nodes, columns = document["nodes"], document["columns"]
    passed = [0]
    while "test" in (node := nodes[passed[-1]]):
        column = columns[node["test"]["column"]]
        answer = answer_of(column, row.get(column["name"]))
        passed.append(node["children"][branch_of(node["test"], answer)])
    return passed
