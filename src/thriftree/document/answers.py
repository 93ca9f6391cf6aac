"""What the nodes of a JSON form answer: the one source of probabilities and numbers for all that shows or
exports them, the same as `Tree.predict_proba` and `Tree.predict` to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.document.shrinkage import Floats, Shrinkage, shown_numbers, shown_shares


def node_shares(document: dict[str, Any], smoothing: float = 0.0) -> Floats:
    """By node the probability of each class."""
    nodes = document["nodes"]
    weights = np.array([node["value"] for node in nodes], np.float64)
    label = np.array([node["label"] for node in nodes])
    return shown_shares(weights, smoothing, shrinkage_of(document), *_places(nodes), label)


def node_numbers(document: dict[str, Any]) -> Floats:
    """By node the number that it predicts, of a numeric target; of a leaf with a model the number that the
    model adds to.
    """
    nodes = document["nodes"]
    means = np.array([node["value"][0] for node in nodes], np.float64)
    modelled = [number for number, node in enumerate(nodes) if "linear" in node]
    return shown_numbers(means, shrinkage_of(document), *_places(nodes), modelled)


def shrinkage_of(document: dict[str, Any]) -> Shrinkage | None:
    """How the answers of a checked document are shrunk."""
    given = document.get("shrinkage")
    if given is None:
        return None
    stated = tuple(number for number, node in enumerate(document["nodes"]) if node.get("stated"))
    return Shrinkage(float(given["strength"]), given.get("keeps_labels", True), stated)


def _places(nodes: list[dict[str, Any]]) -> tuple[Floats, NDArray[np.int64]]:
    """By node its weight and its parent; -1 for the root."""
    parent = np.full(len(nodes), -1)
    for number, node in enumerate(nodes):
        parent[node.get("children", [])] = number
    return np.array([node["weight"] for node in nodes], np.float64), parent
