"""The way of each row through the tree, in ONNX: from the codes of its values to the number of its leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thriftree.export.codes import ColumnCodes
from thriftree.export.onnx_graph import ML, Graph


def add_walk(
    graph: Graph, document: dict[str, Any], tested: Sequence[ColumnCodes], code_names: Sequence[str]
) -> str:
    """The number of the leaf that each row reaches, shape [rows]; returns its name."""
    features, feature_of_node = _branches(graph, document, tested, code_names)
    tree = _BinaryTree()
    tree.follow(document, feature_of_node)
    leaf = graph.add("TreeEnsembleRegressor", [features], domain=ML, **tree.attributes())
    return graph.integers(graph.flat(leaf))


def _branches(
    graph: Graph, document: dict[str, Any], tested: Sequence[ColumnCodes], code_names: Sequence[str]
) -> tuple[str, dict[int, int]]:
    """The branch that each row would take at each test, shape [rows, tests]; and by node the test's place
    there.

    Tests that no code tells apart share a place.
    """
    parts: list[str] = []
    place_of_node: dict[int, int] = {}
    n_places = 0
    for codes, code in zip(tested, code_names, strict=True):
        places: dict[tuple[int, ...], int] = {}
        for number, node in enumerate(document["nodes"]):
            if "test" in node and node["test"]["column"] == codes.position:
                branches = codes.branches(node["test"])
                place_of_node[number] = places.setdefault(branches, n_places + len(places))
        n_places += len(places)
        table = np.array(list(places) or [(0,) * len(codes.answers)], np.float32).T
        parts.append(graph.add("Gather", [graph.constant("branches", table), code]))
    return graph.add("Concat", parts, axis=1), place_of_node


class _BinaryTree:
    """The arrays of ONNX's tree operator. A test of k branches becomes k - 1 comparisons of the branch's
    number.
    """

    def __init__(self) -> None:
        self.feature: list[int] = []
        self.mode: list[str] = []
        self.cut: list[float] = []
        self.low: list[int] = []
        self.high: list[int] = []
        self.leaf: list[float] = []

    def follow(self, document: dict[str, Any], feature_of_node: dict[int, int]) -> None:
        """Adds the nodes of a tree whose tests are features."""
        nodes = document["nodes"]
        # Children of one test still to be told apart, the first branch among them, and whose child they are.
        open_: list[tuple[list[int], int, int, int | None, list[int]]] = [([0], 0, 0, None, self.low)]
        while open_:
            children, first, feature, parent, side = open_.pop()
            if parent is not None:
                side[parent] = len(self.mode)
            if len(children) == 1 and "test" in nodes[children[0]]:
                feature, first = feature_of_node[children[0]], 0
                children = nodes[children[0]]["children"]
            elif len(children) == 1:
                self._add("LEAF", 0, 0.0, float(children[0]))
                continue
            place = self._add("BRANCH_LEQ", feature, first + len(children) // 2 - 0.5, 0.0)
            middle = len(children) // 2
            open_.append((children[middle:], first + middle, feature, place, self.high))
            open_.append((children[:middle], first, feature, place, self.low))

    def _add(self, mode: str, feature: int, cut: float, leaf: float) -> int:
        for array, value in zip(self._arrays(), (feature, mode, cut, 0, 0, leaf), strict=True):
            array.append(value)
        return len(self.mode) - 1

    def _arrays(self) -> tuple[list[Any], ...]:
        return self.feature, self.mode, self.cut, self.low, self.high, self.leaf

    def attributes(self) -> dict[str, Any]:
        """The operator's attributes; its answer is the number of the leaf."""
        numbers = list(range(len(self.mode)))
        leaves = [number for number in numbers if self.mode[number] == "LEAF"]
        return {
            "n_targets": 1,
            "nodes_treeids": [0] * len(numbers),
            "nodes_nodeids": numbers,
            "nodes_featureids": self.feature,
            "nodes_modes": self.mode,
            "nodes_values": self.cut,
            "nodes_truenodeids": self.low,
            "nodes_falsenodeids": self.high,
            "target_treeids": [0] * len(leaves),
            "target_nodeids": leaves,
            "target_ids": [0] * len(leaves),
            "target_weights": [self.leaf[number] for number in leaves],
        }
