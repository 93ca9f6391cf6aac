"""The table of the report: what each column holds, how much of it is missing, whether the tree asks for it."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np

from thriftree.explain.words import Wording
from thriftree.frames import Levels, Numbers, read_frame
from thriftree.report.facts.measured import Measured
from thriftree.report.facts.prices import prices_of_tests
from thriftree.report.facts.words import value_words

BINS: Final = 24
MOST_LEVELS: Final = 4


def column_facts(measured: Measured, X: Any) -> list[dict[str, Any]]:
    """One dict a column, in the order of the table: rows count alike, whatever they weigh."""
    document = measured.document
    names = Wording(document).names
    prices = prices_of_tests(document)
    tests = Counter(node["test"]["column"] for node in document["nodes"] if "test" in node)
    frame = read_frame(X)
    return [
        {
            "name": names[j],
            "kind": column["kind"],
            "tests": tests[j],
            "price": prices[j],
            **_values(frame.column(j), measured.kept),
        }
        for j, column in enumerate(document["columns"])
    ]


def _values(column: Numbers | Levels, kept: Any) -> dict[str, Any]:
    if isinstance(column, Numbers):
        return _numbers(column.values[kept].astype(np.float64))
    return _levels(column.codes[kept], column.levels)


def _numbers(values: Any) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    facts = {"missing": 1 - len(known) / len(values), "distinct": len(np.unique(known))}
    finite = known[np.isfinite(known)]
    if not len(finite):
        return facts
    quantiles = np.quantile(finite, [0, 0.25, 0.5, 0.75, 1]).tolist()
    counts = [len(finite)]
    if quantiles[0] < quantiles[4] < np.inf and np.isfinite(quantiles[4] - quantiles[0]):
        counts = np.histogram(finite, bins=BINS)[0].tolist()
    infinite = len(known) - len(finite)
    return {**facts, "quantiles": quantiles, "histogram": counts, "infinite": infinite}


def _levels(codes: Any, levels: list[Any]) -> dict[str, Any]:
    rows = np.bincount(codes[codes >= 0], minlength=len(levels))
    n_known = int(rows.sum())
    order = np.argsort(-rows, kind="stable")[:MOST_LEVELS].tolist()
    return {
        "missing": 1 - n_known / len(codes),
        "distinct": int((rows > 0).sum()),
        "commonest": [
            [value_words(levels[i]), int(rows[i]) / len(codes)] for i in order if rows[i] > 0
        ],
    }
