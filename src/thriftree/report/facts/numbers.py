"""How far a tree that predicts numbers is off."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from thriftree.report.facts.intervals import Floats, mean_interval
from thriftree.report.facts.measured import MeasuredRows

MOST_DOTS: Final = 600
MOST_LEAVES: Final = 200


def error_facts(measured: MeasuredRows) -> dict[str, Any]:
    """Root of the mean squared error, mean absolute error and r2, and what the rows of each leaf turned out
    to be beside what it predicts. `r2` is None where all rows are equal.
    """
    assert measured.predicted is not None
    predicted = measured.predicted
    error = measured.truth - predicted
    weight = measured.weight
    squared = float(np.average(error**2, weights=weight))
    variance = float(
        np.average((measured.truth - np.average(measured.truth, weights=weight)) ** 2, weights=weight)
    )
    around = mean_interval(error**2, weight)
    absolute = mean_interval(np.abs(error), weight)
    return {
        "rmse": math.sqrt(squared),
        "rmse_interval": None if around is None else [math.sqrt(max(side, 0.0)) for side in around],
        "mae": float(np.average(np.abs(error), weights=weight)),
        "mae_interval": None if absolute is None else [max(absolute[0], 0.0), absolute[1]],
        "r2": 1 - squared / variance if variance > 0 else None,
        "deviation": math.sqrt(variance),
        "leaves": _by_leaf(measured, predicted),
        "dots": _dots(predicted, measured.truth),
        "range": [float(measured.truth.min()), float(measured.truth.max())],
    }


def _by_leaf(measured: MeasuredRows, predicted: Floats) -> list[dict[str, Any]]:
    """For each leaf that rows reach, fullest first: what it predicts (a linear leaf on average), and
    quantiles of the rows there.
    """
    order = np.argsort(measured.leaf, kind="stable")
    leaves, starts, counts = np.unique(measured.leaf[order], return_index=True, return_counts=True)
    facts = []
    for i in np.argsort(-counts, kind="stable")[:MOST_LEAVES].tolist():
        here = order[starts[i] : starts[i] + counts[i]]
        rows, said = measured.truth[here], predicted[here]
        low, quarter, middle, three_quarters, high = np.quantile(rows, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist()
        facts.append(
            {
                "leaf": int(leaves[i]),
                "predicted": float(said[0] if (said == said[0]).all() else said.mean()),
                "rows": int(counts[i]),
                "quantiles": [low, quarter, middle, three_quarters, high],
            }
        )
    return facts


def _dots(predicted: Any, truth: Any) -> list[tuple[float, float]]:
    """Rows evenly through the table, as (predicted, actual)."""
    places = np.unique(np.linspace(0, len(truth) - 1, MOST_DOTS).astype(int))
    return [
        (float(f"{x:.6g}"), float(f"{y:.6g}"))
        for x, y in zip(predicted[places].tolist(), truth[places].tolist(), strict=True)
    ]
