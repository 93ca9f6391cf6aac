"""Leaves and questions of the trees of other libraries, each read from its own structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Walk = Callable[[Any, NDArray[np.intp]], tuple[NDArray[np.intp], NDArray[np.intp]] | None]


def of_scikit(tree: Any, X: Floats) -> tuple[int, float]:
    """scikit-learn's trees, and what a grid search found."""
    best = getattr(tree, "best_estimator_", tree)
    return int(best.get_n_leaves()), float(best.decision_path(X).sum(axis=1).mean() - 1)


def of_shrunk(model: Any, X: Floats) -> tuple[int, float]:
    """imodels' HSTree, which wraps one of scikit-learn's."""
    return of_scikit(model.estimator_, X)


def of_figs(model: Any, X: Floats) -> tuple[int, float]:
    """imodels' FIGS: a sum of trees; a row is asked the questions of each."""

    def split(node: Any, rows: NDArray[np.intp]) -> Any:
        if node.left is None and node.right is None:
            return None
        left = X[rows, node.feature] <= node.threshold
        return (node.left, rows[left]), (node.right, rows[~left])

    return _walked(model.trees_, split, len(X))


def of_c50(model: Any, X: Any) -> tuple[int, float]:
    """c50py's trees; a row whose answer is missing goes both ways, and counts on the way of most rows."""

    def split(node: Any, rows: NDArray[np.intp]) -> Any:
        if node.is_leaf:
            return None
        values = X[rows, node.feature_index]
        missing = np.array([value is None or value != value for value in values], dtype=bool)
        if node.split_type == "numeric":
            left = np.array(
                [not m and float(v) <= node.threshold for v, m in zip(values, missing, strict=True)]
            )
        else:
            left = np.array([not m and v in node.threshold for v, m in zip(values, missing, strict=True)])
        weights = node.branch_weights or (0.5, 0.5)
        left = left.astype(bool) | (missing & (weights[0] >= weights[1]))
        return (node.children["left"], rows[left]), (node.children["right"], rows[~left])

    return _walked([model.tree_], split, len(X))


def of_lightgbm(tree_info: Sequence[Mapping[str, Any]], leaf: NDArray[Any]) -> tuple[int, float]:
    """The trees of a booster, `dump_model()["tree_info"]`, and each row's leaf in each (rows x trees)."""
    questions, leaves = 0.0, 0
    for number, info in enumerate(tree_info):
        depths = dict(_depths(info["tree_structure"], 0))
        leaves += len(depths)
        questions += float(np.mean([depths[int(one)] for one in leaf[:, number]]))
    return leaves, questions


def _depths(node: Mapping[str, Any], depth: int) -> list[tuple[int, int]]:
    """The depth of every leaf, by its number."""
    if "split_feature" not in node:
        return [(int(node.get("leaf_index", 0)), depth)]  # a tree of one leaf has no number for it
    return _depths(node["left_child"], depth + 1) + _depths(node["right_child"], depth + 1)


def _walked(
    roots: Sequence[Any], split: Callable[[Any, NDArray[np.intp]], Any], n_rows: int
) -> tuple[int, float]:
    """Leaves of all trees, and the mean over rows of the tests on their ways. `split` gives a node's children
    with the rows that go there, None for a leaf.
    """
    leaves = questions = 0
    todo = [(root, np.arange(n_rows)) for root in roots]
    while todo:
        node, rows = todo.pop()
        children = split(node, rows)
        if children is None:
            leaves += 1
        else:
            questions += len(rows)
            todo += children
    return leaves, questions / max(1, n_rows)
