"""The numbers behind an answer: rows, weights, the label's share and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.explain.intervals import Interval, of_mean, wilson


@dataclass(frozen=True)
class Counts:
    """Training rows behind an answer.

    `rows` is their number and `weight` the sum of their sample weights. `classes` has for each class the sum
    of sample weight × class weight; for a numeric target it is empty, and `mean` and `deviation` (the root of
    the mean squared deviation) are set. `weighted` tells whether anything but rows was counted: without it
    the weights of classes are numbers of rows.
    """

    rows: int
    weight: float
    classes: tuple[tuple[Scalar, float], ...]
    weighted: bool
    mean: float | None = None
    deviation: float | None = None


def counts_of(document: dict[str, Any], nodes: Iterable[int]) -> Counts:
    """The numbers of these nodes together; no node may be below another."""
    chosen = [document["nodes"][number] for number in nodes]
    rows = sum(node["rows"] for node in chosen)
    weight = float(sum(node["weight"] for node in chosen))
    if document["classes"] is None:
        mean, deviation = _pooled(chosen)
        return Counts(rows, weight, (), weight != rows, mean, deviation)
    sums = [sum(own) for own in zip(*(node["value"] for node in chosen), strict=True)]
    weighted = weight != rows or any(float(s) != int(s) for s in sums) or sum(sums) != rows
    labels = [scalar(label) for label in document["classes"]]
    return Counts(rows, weight, tuple(zip(labels, sums, strict=True)), weighted)


def share_and_interval(counts: Counts, label: Scalar) -> tuple[float | None, Interval | None]:
    """The label's share of the weight and its 95 % interval; None where nothing was counted.

    For a numeric target the share is None and the interval is that of the mean.
    """
    if counts.mean is not None and counts.deviation is not None:
        return None, of_mean(counts.mean, counts.deviation**2, counts.rows)
    total = sum(weight for _, weight in counts.classes)
    if total <= 0:
        return None, None
    own = next(w for c, w in counts.classes if c == label and type(c) is type(label))
    return own / total, wilson(own / total, counts.rows) if counts.rows > 0 else None


def counts_words(counts: Counts, label: Scalar) -> str:
    """ "81 of 91 rows"; where rows have weights "weight 71.6 of 80.5 in 91 rows"; "91 rows" for a mean."""
    rows = f"{counts.rows} row{'' if counts.rows == 1 else 's'}"
    if not counts.classes:
        return f"{rows}, weight {counts.weight:.6g}" if counts.weighted else rows
    own = next(w for c, w in counts.classes if c == label and type(c) is type(label))
    if not counts.weighted:
        return f"{int(own)} of {rows}"
    return f"weight {own:.6g} of {sum(w for _, w in counts.classes):.6g} in {rows}"


def _pooled(nodes: list[dict[str, Any]]) -> tuple[float, float]:
    """Mean and root mean squared deviation of several nodes' rows together."""
    if len(nodes) == 1:
        mean, squared = nodes[0]["value"]
        return mean, squared**0.5
    weights = [node["weight"] for node in nodes]
    total = sum(weights) or 1.0
    mean = sum(w * node["value"][0] for w, node in zip(weights, nodes, strict=True)) / total
    squared = sum(
        w * (node["value"][1] + (node["value"][0] - mean) ** 2)
        for w, node in zip(weights, nodes, strict=True)
    )
    return mean, (squared / total) ** 0.5
