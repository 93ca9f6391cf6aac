"""How well the leaves' shares rank the rows: ROC curves, the area under them with intervals, and whether the
shares are true of the rows of the report.

Rows of one leaf have the same share, so everything is counted by leaf.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.document.answers import node_shares
from thriftree.explain.intervals import Interval, wilson
from thriftree.explain.words import label_words
from thriftree.plot.palette import CLASS_COLOURS
from thriftree.report.facts.intervals import Floats, Z
from thriftree.report.facts.measured import MeasuredRows

MOST_CURVES: Final = len(CLASS_COLOURS)  # the heaviest classes, which have a colour of their own
MOST_POINTS: Final = 200
#: In a class and beside it, for an interval: DeLong's variance is itself an estimate from these rows, and of
#: a few that happen to be ranked alike it is near 0 whatever the truth.
LEAST_ROWS: Final = 10


def ranking_facts(measured: MeasuredRows, smoothing: float) -> dict[str, Any] | None:
    """One curve a class against the rest, of two classes one for the second; None if no class has rows both
    in it and not in it. `auc` is the mean over those classes.
    """
    labels = [label_words(label) for label in measured.document["classes"]]
    share = node_shares(measured.document, smoothing)[measured.leaf]
    rows_of = np.bincount(measured.truth, minlength=len(labels))[: len(labels)]
    both = [k for k in range(len(labels)) if 0 < rows_of[k] < len(measured.truth)]
    if not both:
        return None
    if len(labels) == 2:
        both = [1]
    areas, parts = [], []
    for k in both:
        area, part = area_and_parts(share[:, k], measured.truth == k, measured.weight)
        areas.append(area)
        parts.append(part)
    training = measured.document["nodes"][0]["value"]
    shown = sorted(sorted(range(len(both)), key=lambda i: -training[both[i]])[:MOST_CURVES])
    mean = float(np.mean(areas))
    enough = [min(rows_of[k], len(measured.truth) - rows_of[k]) >= LEAST_ROWS for k in both]
    return {
        "auc": mean,
        "interval": _listed(area_interval(mean, np.mean(parts, axis=0))) if all(enough) else None,
        "n_classes": len(both),
        "curves": [
            {
                "class": both[i],
                "label": labels[both[i]],
                "rows": int(rows_of[both[i]]),
                "auc": areas[i],
                "interval": _listed(area_interval(areas[i], parts[i])) if enough[i] else None,
                "points": roc_points(
                    share[:, both[i]], measured.truth == both[i], measured.weight, MOST_POINTS
                ),
            }
            for i in shown
        ],
    }


def area_and_parts(score: Floats, positive: NDArray[np.bool_], weight: Floats) -> tuple[float, Floats]:
    """The area under the ROC curve, and each row's part in its error: their squares add up to DeLong's
    variance (DeLong, DeLong and Clarke-Pearson 1988).

    A positive row's component is the share of the negatives that it outranks, a negative row's the share of
    the positives that outrank it, equal scores counting half; the area is the mean of either.
    """
    _, level = np.unique(score, return_inverse=True)
    by_level = [
        np.bincount(level, weight * side, minlength=level.max() + 1) for side in (positive, ~positive)
    ]
    totals = [side.sum() for side in by_level]
    above, below = (np.cumsum(side) - side / 2 for side in by_level)
    component = np.where(positive, (below / totals[1])[level], 1 - (above / totals[0])[level])
    area = float(np.average(component[positive], weights=weight[positive]))
    parts = np.zeros(len(score))
    for side in (positive, ~positive):
        own = weight[side] / weight[side].sum()
        n = 1 / (own**2).sum()  # effective rows of this side
        if n > 1:
            parts[side] = own * (component[side] - area) * math.sqrt(n / (n - 1))
    return area, parts


def area_interval(area: float, parts: Floats) -> Interval | None:
    """The interval on the scale of log odds, where it stays between 0 and 1. None where every pair is ranked
    alike, which leaves the spread unknown.
    """
    deviation = math.sqrt(float((parts**2).sum()))
    if deviation == 0 or not 0 < area < 1:
        return None
    odds, half = math.log(area / (1 - area)), Z * deviation / (area * (1 - area))
    low, high = (1 / (1 + math.exp(-min(max(side, -700.0), 700.0))) for side in (odds - half, odds + half))
    return low, high


def roc_points(
    score: Floats, positive: NDArray[np.bool_], weight: Floats, most: int
) -> list[tuple[float, float]]:
    """The corners of the ROC curve, (false alarms, hits), at most so many, evenly along the curve."""
    _, level = np.unique(-score, return_inverse=True)
    hits, alarms = (
        np.append(0.0, np.cumsum(np.bincount(level, weight * side))) for side in (positive, ~positive)
    )
    hits, alarms = hits / hits[-1], alarms / alarms[-1]
    if len(hits) > most:
        along = np.searchsorted((hits + alarms) / 2, np.linspace(0, 1, most))
        along = np.unique(np.minimum(along, len(hits) - 1))
        hits, alarms = hits[along], alarms[along]
    return [(round(x, 5), round(y, 5)) for x, y in zip(alarms.tolist(), hits.tolist(), strict=True)]


def promise_facts(measured: MeasuredRows, smoothing: float, most: int) -> list[dict[str, Any]]:
    """For each leaf that rows reach, heaviest first: the probability that the tree gives its class, and the
    share in these rows with its interval.
    """
    nodes = measured.document["nodes"]
    label = np.array([node["label"] for node in nodes])
    said = node_shares(measured.document, smoothing)[np.arange(len(nodes)), label]
    n = len(nodes)
    weight = np.bincount(measured.leaf, measured.weight, minlength=n)
    squares = np.bincount(measured.leaf, measured.weight**2, minlength=n)
    right = np.bincount(
        measured.leaf, measured.weight * (measured.truth == label[measured.leaf]), minlength=n
    )
    reached = np.flatnonzero(weight)
    order = reached[np.argsort(-weight[reached], kind="stable")][:most].tolist()
    return [
        {
            "leaf": leaf,
            "said": float(said[leaf]),
            "seen": float(right[leaf] / weight[leaf]),
            "interval": list(wilson(right[leaf] / weight[leaf], weight[leaf] ** 2 / squares[leaf])),
            "share": float(weight[leaf] / weight.sum()),
        }
        for leaf in order
    ]


def _listed(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)
