"""scikit-learn's trees, each timed once a run: several lines compare with the same fit."""

from __future__ import annotations

from functools import cache
from typing import Any

from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.clock import Timed, cpu_time
from benchmarks.data import Data


@cache
def classifier(data: Data, impurity: str, min_leaf: float) -> Timed[DecisionTreeClassifier]:
    """``min_leaf`` means what it means to us: an int counts rows, a float is a share of the weight."""
    parameters: dict[str, Any] = {"min_samples_leaf": min_leaf}
    if data.sample_weight is not None and isinstance(min_leaf, float):
        parameters = {"min_weight_fraction_leaf": min_leaf}
    model = DecisionTreeClassifier(criterion=impurity, random_state=0, **parameters)
    return cpu_time(lambda: model.fit(data.X, data.y, data.sample_weight), repeats=2)


@cache
def regressor(data: Data, min_leaf: float) -> Timed[DecisionTreeRegressor]:
    model = DecisionTreeRegressor(min_samples_leaf=min_leaf, random_state=0)
    return cpu_time(lambda: model.fit(data.X, data.y), repeats=2)


def n_leaves(model: DecisionTreeClassifier) -> int:
    """Leaves, a pure node counted as one: rounding of float weights makes scikit-learn divide such nodes."""
    tree = model.tree_
    shares = tree.value[:, 0] / tree.value[:, 0].sum(axis=1, keepdims=True)
    ends = (tree.children_left < 0) | (shares.max(axis=1) > 1 - 1e-9)
    open_nodes, found = [0], 0
    while open_nodes:
        node = open_nodes.pop()
        if ends[node]:
            found += 1
        else:
            open_nodes += [tree.children_left[node], tree.children_right[node]]
    return found
