"""A test as pieces of the number line, as scikit-learn's trees need it: they ask only `x <= threshold`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from thriftree.document.follow import branch_of, scalar
from thriftree.temporal.words import kind_words, temporal_of


class Piece(NamedTuple):
    """The numbers above the piece before it and up to `upper`; they go to branch `branch`."""

    upper: float
    branch: int


def pieces_of(document: dict[str, Any], number: int) -> list[Piece]:
    """The pieces of a node's test, ascending; neighbours differ in their branch, and the last ends at
    infinity.

    Raises ValueError, naming the node and the column, where the column's values are not numbers of 32 bits.
    Dates are, as days since 1970-01-01; datetimes, times and durations are not.
    """
    test = document["nodes"][number]["test"]
    column = document["columns"][test["column"]]
    temporal = temporal_of(column)
    if temporal is not None and temporal.what != "date":
        raise ValueError(
            f"node {number} tests column {column['name']!r}, which holds {kind_words(temporal)}: their "
            "microseconds are no 32-bit floats, which is what scikit-learn's trees read; make the column "
            "dates, or numbers of few digits, before fitting, or export to ONNX, PMML or code"
        )
    if column["kind"] == "number":
        ends = [
            Piece(upper, branch) for upper, branch in zip([*test["keys"], math.inf], test["to"], strict=True)
        ]
    else:
        ends = []
        for value, position in sorted(_numbers(column, number)):
            ends.append(Piece(float(np.nextafter(value, -math.inf)), test["other"]))
            ends.append(Piece(value, branch_of(test, position)))
        ends.append(Piece(math.inf, test["other"]))
    return [piece for piece, after in zip(ends, [*ends[1:], None], strict=True) if _ends_here(piece, after)]


def _ends_here(piece: Piece, after: Piece | None) -> bool:
    return after is None or after.branch != piece.branch


def _numbers(column: dict[str, Any], node: int) -> list[tuple[float, int]]:
    """The categories of a column as numbers, each with its position."""
    place = f"node {node} tests column {column['name']!r}"
    values = [scalar(label) for label in column["categories"]]
    for value in values:
        if isinstance(value, str):
            raise ValueError(
                f"{place}, whose category {value!r} is a text, but scikit-learn's trees take numbers only: "
                "make the column numbers before fitting, or export to ONNX, PMML or code, which take texts"
            )
        if float(np.float32(value)) != value:
            raise ValueError(
                f"{place}, whose category {value!r} is no 32-bit float, which is what scikit-learn's trees "
                "read: renumber the categories before fitting, or export to ONNX, PMML or code"
            )
    return [(float(value), position) for position, value in enumerate(values)]
