"""Training rows counted into a tree that was told and not grown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.document.follow import scalar


def with_rows(
    document: dict[str, Any], leaf: NDArray[Any], y: list[Any], weight: NDArray[np.float64]
) -> dict[str, Any]:
    """The document with the rows that reach each node: `leaf` is where each row ends, `y` its target.

    Rows of weight 0 are left out. Leaves keep what the sentences decide; for a numeric target they keep the
    estimate, and the squared deviations are from that. Impurities are gini's, or those deviations.
    """
    nodes = [dict(node) for node in document["nodes"]]
    n = len(nodes)
    used = weight > 0
    numeric = document["classes"] is None
    rows = np.bincount(leaf[used], minlength=n)
    sums: NDArray[np.float64]
    weights = np.bincount(leaf, weight, minlength=n)
    if numeric:
        target = np.asarray(y, dtype=np.float64)
        sums = np.stack([np.bincount(leaf, weight * target**k, minlength=n) for k in (1, 2)], axis=1)
    else:
        sums = np.zeros((n, len(document["classes"])))
        np.add.at(sums, (leaf, _codes(document, y)), weight)
    for number in range(n - 1, -1, -1):  # children follow their parents
        node = nodes[number]
        for child in node.get("children", []):
            rows[number] += rows[child]
            weights[number] += weights[child]
            sums[number] += sums[child]
        node["rows"] = node["objects"] = int(rows[number])
        node["weight"] = float(weights[number])
        if numeric:
            _fill_mean(node, sums[number].tolist())
        else:
            _fill_classes(node, sums[number].tolist())
    return {**document, "nodes": nodes}


def _codes(document: dict[str, Any], y: list[Any]) -> NDArray[np.intp]:
    place = {scalar(label): i for i, label in enumerate(document["classes"])}
    for value in y:
        if value not in place:
            raise ValueError(f"y has the class {value!r}, but the classes are {list(place)}")
    return np.array([place[value] for value in y], dtype=np.intp)


def _fill_mean(node: dict[str, Any], sums: list[float]) -> None:
    if node["weight"] == 0:
        return
    mean = sums[0] / node["weight"]
    said = node["value"][0] if "test" not in node else mean
    deviation = max(0.0, sums[1] / node["weight"] - mean**2) + (mean - said) ** 2
    node["value"], node["impurity"] = [said, deviation], deviation


def _fill_classes(node: dict[str, Any], sums: list[float]) -> None:
    node["value"] = sums
    total = sum(sums)
    node["impurity"] = 1.0 - sum((own / total) ** 2 for own in sums) if total > 0 else 0.0
    if "test" in node and total > 0:
        node["label"] = sums.index(max(sums))
