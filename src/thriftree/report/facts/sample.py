"""Rows that the page can follow through the tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thriftree.document.follow import scalar
from thriftree.report.facts.measured import MeasuredRows
from thriftree.report.facts.words import value_words
from thriftree.table.column_values import as_trained
from thriftree.table.frame import Levels, Numbers
from thriftree.table.frames import read_frame


def sample_facts(measured: MeasuredRows, X: Any, columns: list[int], most: int) -> dict[str, Any] | None:
    """At most so many rows, evenly through the table: what they are called, what they turned out to be, and
    their values in these columns.

    A number is itself, "Infinity" or "-Infinity"; a category its place in the column's categories, or its
    words if it is not there; null is missing. None if no rows are wanted.
    """
    if most == 0:
        return None
    document = measured.document
    places = np.unique(np.linspace(0, len(measured.kept) - 1, most).astype(int))
    rows = measured.kept[places]
    frame = read_frame(X)
    values = [
        _column(as_trained(frame.column(j), measured.tree.columns[j]), document["columns"][j], rows)
        for j in columns
    ]
    return {
        "rows": measured.numbers[rows].tolist(),
        "values": [list(row) for row in zip(*values, strict=True)] if columns else [[] for _ in rows],
        "truth": _truth(measured, places),
        "of": len(measured.kept),
    }


def _column(found: Numbers | Levels, column: dict[str, Any], rows: Any) -> list[Any]:
    if column["kind"] == "number":
        values = found.values[rows] if isinstance(found, Numbers) else _truths(found, rows)
        return [_number(float(value)) for value in values.tolist()]
    levels = (
        [None if math.isnan(v) else v for v in found.values[rows].tolist()]
        if isinstance(found, Numbers)
        else [found.levels[code] if code >= 0 else None for code in found.codes[rows].tolist()]
    )
    # Of categories equal by value (1 and True) the first counts, as in prediction.
    place = {scalar(label): i for i, label in reversed(list(enumerate(column["categories"])))}
    return [None if level is None else place.get(level, value_words(level)) for level in levels]


def _truths(found: Levels, rows: Any) -> Any:
    """Booleans in a column that was of numbers in training."""
    return np.append(np.asarray(found.levels, np.float64), np.nan)[found.codes[rows]]


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _truth(measured: MeasuredRows, places: Any) -> list[Any]:
    if measured.document["classes"] is None:
        return [float(value) for value in measured.truth[places].tolist()]
    assert measured.tree.classes is not None
    labels = [*measured.tree.classes, *measured.strangers]
    return [value_words(labels[k]) for k in measured.truth[places].tolist()]
