"""What the rows of a report do at the nodes of the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree.report.facts.measured import MeasuredRows


def rows_at_nodes(measured: MeasuredRows, numbers: list[int]) -> list[dict[str, Any]]:
    """For each of these nodes the report's rows there, their weight, and the share that has the node's class,
    or their mean. Where no row comes, neither.
    """
    rows = measured.total(np.ones(len(measured.leaf)))
    weight = measured.total(measured.weight)
    name = "mean" if measured.document["classes"] is None else "share"
    sums = _good(measured, numbers)
    return [
        {
            "rows": int(rows[number]),
            "weight": float(weight[number]),
            **({name: float(sums[number] / weight[number])} if weight[number] > 0 else {}),
        }
        for number in numbers
    ]


def _good(measured: MeasuredRows, numbers: list[int]) -> Any:
    """For each node the sum of its rows' numbers, or the weight of those that have its class."""
    if measured.document["classes"] is None:
        return measured.total(measured.weight * measured.truth)
    label = np.array([node["label"] for node in measured.document["nodes"]])
    good = np.zeros(len(label))
    for k in np.unique(label[numbers]).tolist():
        of_class = measured.total(measured.weight * (measured.truth == k))
        good[label == k] = of_class[label == k]
    return good


def rows_are_the_trees_own(measured: MeasuredRows) -> bool:
    """Whether every leaf has as many of these rows as it had in training, of the same weight and classes (or
    mean): then these are almost surely the rows that the tree was grown from.
    """
    nodes = measured.document["nodes"]
    n = len(nodes)
    leaves = np.array(["test" not in node for node in nodes])
    rows = np.array([node["rows"] for node in nodes])
    if n == 1 or (np.bincount(measured.leaf, minlength=n) != rows)[leaves].any():
        return False
    if measured.document["classes"] is None:
        sums = np.bincount(measured.leaf, measured.weight * measured.truth, minlength=n)
        weight = np.bincount(measured.leaf, measured.weight, minlength=n)
        mean = np.array([node["value"][0] for node in nodes])
        return bool(np.allclose(sums[leaves], (weight * mean)[leaves], rtol=1e-9, atol=1e-9))
    # Class weights scale whole classes, so classes are compared by where their weight is.
    value = np.array([node["value"] for node in nodes])[leaves]
    own = np.zeros((n, max(value.shape[1], int(measured.truth.max()) + 1)))
    np.add.at(own, (measured.leaf, measured.truth), measured.weight)
    own = own[leaves]
    if own[:, value.shape[1] :].any():
        return False
    return bool(np.allclose(_by_column(own), _by_column(value), rtol=1e-9, atol=1e-12))


def _by_column(weights: Any) -> Any:
    totals = weights.sum(axis=0)
    return np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
