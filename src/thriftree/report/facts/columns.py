"""The table of the report: what columns hold, how much is missing, whether the tree asks for it."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np

from thriftree.columns import Temporal
from thriftree.explain.words import Wording
from thriftree.report.facts.measured import MeasuredRows
from thriftree.report.facts.prices import prices_of_tests
from thriftree.report.facts.words import value_words
from thriftree.table.column_values import as_trained
from thriftree.table.frame import Levels, Numbers
from thriftree.table.frames import read_frame
from thriftree.temporal.words import tick_words

BINS: Final = 24
MOST_LEVELS: Final = 4


def column_facts(measured: MeasuredRows, X: Any, most: int) -> list[dict[str, Any]]:
    """One dict a column, in the order of the table: rows count alike, whatever they weigh. Of more than
    `most` columns, those that the tree asks for come before others.
    """
    document = measured.document
    names = Wording(document).names
    prices = prices_of_tests(document)
    tests = Counter(node["test"]["column"] for node in document["nodes"] if "test" in node)
    frame = read_frame(X)
    shown = sorted(sorted(range(len(names)), key=lambda j: tests[j] == 0)[:most])
    return [
        {
            "name": names[j],
            "kind": document["columns"][j].get("temporal", document["columns"][j]["kind"]),
            "tests": tests[j],
            "price": prices[j],
            **_values(as_trained(frame.column(j), measured.tree.columns[j]), measured.kept),
        }
        for j in shown
    ]


def _values(column: Numbers | Levels, kept: Any) -> dict[str, Any]:
    if isinstance(column, Numbers) and column.temporal is not None:
        return _moments(column.values[kept], column.temporal)
    if isinstance(column, Numbers):
        return _numbers(column.values[kept].astype(np.float64))
    return _levels(column.codes[kept], column.levels)


def _numbers(values: Any) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    finite = known[np.isfinite(known)]
    return {
        "missing": 1 - len(known) / len(values),
        "distinct": len(np.unique(known)),
        "infinite": len(known) - len(finite),
        "quantiles": np.quantile(finite, [0, 0.25, 0.5, 0.75, 1]).tolist() if len(finite) else None,
        "histogram": _histogram(finite),
        "commonest": None,
    }


def _moments(values: Any, temporal: Temporal) -> dict[str, Any]:
    """Dates and the like: quantiles are values of rows, in words."""
    known = np.sort(values[~np.isnan(values)])
    places = [round(share * (len(known) - 1)) for share in (0, 0.25, 0.5, 0.75, 1)]
    words = [tick_words(temporal, int(known[place])) for place in places] if len(known) else None
    return {**_numbers(values), "quantiles": words}


def _histogram(values: Any) -> list[int]:
    """Rows in equally wide ranges; in one where all are equal, or too far apart for widths."""
    with np.errstate(over="ignore"):
        width = values.max() - values.min() if len(values) else 0.0
    if not 0 < width < np.inf:
        return [len(values)]
    counts: list[int] = np.histogram(values, bins=BINS)[0].tolist()
    return counts


def _levels(codes: Any, levels: list[Any]) -> dict[str, Any]:
    rows = np.bincount(codes[codes >= 0], minlength=len(levels))
    n_known = int(rows.sum())
    order = np.argsort(-rows, kind="stable")[:MOST_LEVELS].tolist()
    return {
        "missing": 1 - n_known / len(codes),
        "distinct": int((rows > 0).sum()),
        "quantiles": None,
        "commonest": [[value_words(levels[i]), int(rows[i]) / len(codes)] for i in order if rows[i] > 0],
    }
