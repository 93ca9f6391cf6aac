"""The tree as a fitted scikit-learn tree, for the libraries that read those: shap, treelite, dtreeviz, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thriftree.document.answers import node_numbers, node_shares
from thriftree.document.follow import scalar
from thriftree.document.shares import class_shares
from thriftree.export.labels import label_array
from thriftree.export.leaves import refuse_linear_leaves
from thriftree.export.sklearn_nodes import BinaryNode, Parts, binary_nodes

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

_FIELDS = {
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
}


def sklearn_of(document: dict[str, Any], *, forest: bool = False) -> BaseEstimator:
    """The tree as a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`; with `forest` as a
    `RandomForestClassifier` or `RandomForestRegressor` of that one tree, for libraries such as treelite that
    take forests only.

    It has all columns of the training table, in their order, and reads them as 32-bit floats: for numbers
    that these hold exactly, and for NaN (missing), it predicts what the tree predicts. Booleans count as 0
    and 1, dates as days since 1970-01-01. It takes no infinite numbers. `thriftree_nodes_` has for each of
    its nodes the node of the tree that it is, or whose test it is a part of.

    A test of several branches becomes several comparisons, and a child that several intervals lead to is
    copied; the copies share its rows evenly. Gini impurities, from which `feature_importances_` follows, are
    computed from the class weights.

    Raises ValueError, naming the node, where scikit-learn's trees have no such thing: a test of text
    categories or of numeric categories that are no 32-bit floats, a test of datetimes, times or durations,
    and a leaf whose label is not its heaviest class (error costs).
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    refuse_linear_leaves(document, "to_sklearn")
    nodes = binary_nodes(document)
    origins = np.array([node.origin for node in nodes])
    if document["classes"] is None:
        values = node_numbers(document)[:, np.newaxis]
        tree: BaseEstimator = _described(DecisionTreeRegressor(), document)
        around = RandomForestRegressor(n_estimators=1)
    else:
        values = node_shares(document)
        _check_labels(document, origins, values)
        tree = _described(DecisionTreeClassifier(), document)
        around = RandomForestClassifier(n_estimators=1)
    tree.max_features_ = len(document["columns"])
    tree.tree_ = _tree(document, nodes, values)
    tree.thriftree_nodes_ = origins
    if not forest:
        return tree
    around = _described(around, document)
    around.estimator_ = type(tree)()
    around.estimators_ = [tree]
    return around


def _described(model: Any, document: dict[str, Any]) -> Any:
    """The model with what `fit` would have learned of columns and classes."""
    names = [column["name"] for column in document["columns"]]
    model.n_features_in_ = len(names)
    model.n_outputs_ = 1
    if names != [f"x{j}" for j in range(len(names))]:  # the names of columns that have none
        model.feature_names_in_ = np.array(names, dtype=object)
    if document["classes"] is not None:
        model.classes_ = label_array(document["classes"])
        model.n_classes_ = len(model.classes_)
    return model


def _check_labels(document: dict[str, Any], reached: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
    for leaf in np.unique(reached).tolist():
        if "test" in document["nodes"][leaf]:
            continue
        label = document["nodes"][leaf]["label"]
        heaviest = int(shares[leaf].argmax())
        if label != heaviest:
            said, instead = (scalar(document["classes"][k]) for k in (label, heaviest))
            raise ValueError(
                f"node {leaf} predicts {said!r}, but scikit-learn's trees predict a leaf's heaviest class, "
                f"here {instead!r}: fit without error costs, or export to ONNX, PMML or code"
            )


def _tree(document: dict[str, Any], nodes: list[BinaryNode], values: NDArray[np.float64]) -> Any:
    """scikit-learn's flat tree, made as unpickling makes it."""
    from sklearn.tree._tree import Tree

    seen = _Seen(document, values)
    is_classifier = document["classes"] is not None
    n_values = values.shape[1]
    tree = Tree(len(document["columns"]), np.array([n_values if is_classifier else 1], np.intp), 1)
    state = tree.__getstate__()
    strange = sorted(_FIELDS.symmetric_difference(state["nodes"].dtype.names))
    if strange:
        raise RuntimeError(
            f"to_sklearn does not know the trees of this release of scikit-learn (fields {strange}): "
            "use scikit-learn 1.9, or a newer release of thriftree"
        )
    flat = np.zeros(len(nodes), state["nodes"].dtype)
    of_parts = [seen.of(node.parts, node.origin) for node in nodes]
    flat["left_child"] = [node.left for node in nodes]
    flat["right_child"] = [node.right for node in nodes]
    flat["feature"] = [node.feature for node in nodes]
    flat["threshold"] = [node.threshold for node in nodes]
    flat["missing_go_to_left"] = [node.missing_left for node in nodes]
    flat["n_node_samples"] = [round(rows) for rows, _, _, _ in of_parts]
    flat["weighted_n_node_samples"] = [weight for _, weight, _, _ in of_parts]
    flat["impurity"] = [impurity for _, _, _, impurity in of_parts]
    tree.__setstate__(
        {
            "max_depth": max(node.depth for node in nodes),
            "node_count": len(nodes),
            "nodes": flat,
            "values": np.array([value for _, _, value, _ in of_parts]).reshape(len(nodes), 1, n_values),
        }
    )
    return tree


class _Seen:
    """What nodes answer, and what training saw there: rows, weight, class shares (or the mean), impurity."""

    def __init__(self, document: dict[str, Any], values: NDArray[np.float64]) -> None:
        nodes = document["nodes"]
        self.is_classifier = document["classes"] is not None
        self.rows = np.array([node["rows"] for node in nodes], np.float64)
        self.values = values
        if self.is_classifier:
            self.weight = np.array([sum(node["value"]) for node in nodes])
            self.seen = class_shares(np.array([node["value"] for node in nodes], np.float64), 0.0)
            self.impurity = 1 - (self.seen**2).sum(axis=1)
        else:
            self.weight = np.array([node["weight"] for node in nodes])
            self.seen, self.impurity = np.array([node["value"] for node in nodes]).T

    def of(self, parts: Parts, origin: int) -> tuple[float, float, NDArray[np.float64], float]:
        """Rows, weight, value and impurity of shares of nodes together; without any weight, those of
        `origin`.
        """
        numbers = [number for number, _ in parts]
        shares = np.array([share for _, share in parts])
        weights = self.weight[numbers] * shares
        rows, weight = float(self.rows[numbers] @ shares), float(weights.sum())
        if len(parts) == 1 or weight == 0:
            like = numbers[0] if len(parts) == 1 else origin
            return rows, weight, self.values[like], float(self.impurity[like])
        value = weights @ self.values[numbers] / weight
        if self.is_classifier:
            seen = weights @ self.seen[numbers] / weight
            return rows, weight, value, float(1 - (seen**2).sum())
        spread = self.impurity[numbers] + (self.seen[numbers] - weights @ self.seen[numbers] / weight) ** 2
        return rows, weight, value, float(weights @ spread / weight)
