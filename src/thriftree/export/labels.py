"""The texts and labels of a tree, as an engine that knows types and encodings must see them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Scalar
from thriftree.document.follow import scalar

#: Half of a surrogate pair, which no encoding can write.
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

#: Integers up to here are exact as 64-bit floats.
LARGEST_EXACT_INTEGER = 2**53


def fresh_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or `wanted_2`, `wanted_3`, ...: the first that is not taken."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def refuse_texts(
    document: dict[str, Any], columns: Sequence[dict[str, Any]], pattern: re.Pattern[str], why: str
) -> None:
    """Raises a ValueError that names the first text of these columns, or of the classes, that has
    `pattern`.
    """
    for place, text in _texts(document, columns):
        if pattern.search(text):
            raise ValueError(f"{place} {why}: rename it before fitting, or edit the tree's JSON form")


def _texts(document: dict[str, Any], columns: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for column in columns:
        yield f"the column name {column['name']!r}", column["name"]
        for label in column.get("categories", ()):
            if isinstance(label, str):
                yield f"the category {label!r} of column {column['name']!r}", label
    for label in document["classes"] or ():
        if isinstance(label, str):
            yield f"the class {label!r}", label


def common_type(labels: Sequence[Any], what: str) -> type[Scalar]:
    """str, bool, int or float: the type that holds all labels of the JSON form without loss.

    Integers among floats are floats; no labels at all are texts. Raises a ValueError, naming `what`, where
    no one type holds them all.
    """
    values = [scalar(label) for label in labels]
    types = {type(value) for value in values}
    if len(types) <= 1:
        return types.pop() if types else str
    if types == {int, float} and all(abs(v) <= LARGEST_EXACT_INTEGER for v in values if type(v) is int):
        return float
    names = ", ".join(sorted(kind.__name__ for kind in types))
    raise ValueError(f"{what} has labels of several types ({names}): make them all texts, or all numbers")


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Labels of the JSON form as an array of their natural type, or of objects where numpy would change
    one.
    """
    values = [scalar(label) for label in labels]
    if len({type(value) for value in values}) == 1:
        natural = np.array(values)
        if natural.tolist() == values:
            return natural
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
