"""The regularised risk of a tree (paper 004): what its mistakes cost, and a penalty for each leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree.learning import targets

if TYPE_CHECKING:
    from thriftree.tree import Tree


def regularised_risk(
    tree: Tree,
    X: Any,
    y: Any,
    leaf_penalty: float,
    *,
    sample_weight: Any = None,
    error_costs: Any = None,
) -> float:
    """Share of the weight that the tree gets wrong on these rows, plus `leaf_penalty` times its leaves.

    With `error_costs` [true class, predicted class], in the order of `tree.classes`, the first term is the
    mean cost of a mistake. This is what `OptimalTreeClassifier` makes least: `objective_` is the risk on the
    rows of fit (with `class_weight`, multiply `sample_weight` by it).

    >>> from thriftree import OptimalTreeClassifier, regularised_risk
    >>> X, y = [[0, 1], [1, 1], [2, 0], [3, 0]], ["no", "no", "yes", "yes"]
    >>> model = OptimalTreeClassifier(leaf_penalty=0.1).fit(X, y)
    >>> regularised_risk(model.tree_, X, y, leaf_penalty=0.1)
    0.2
    """
    if tree.classes is None:
        raise ValueError("the tree predicts a number, and regularised_risk is for classes")
    if not 0 <= leaf_penalty < np.inf:
        raise ValueError(f"leaf_penalty must be a finite number >= 0, not {leaf_penalty!r}")
    truth = targets.one_target(y, "regularised_risk")
    weight = targets.row_weights(sample_weight, len(truth))
    label = tree.core.label[tree.apply(X)]
    if len(label) != len(truth):
        raise ValueError(f"X has {len(label)} rows and y {len(truth)}: give one target for each row")
    number = {one: place for place, one in enumerate(tree.classes)}
    unknown = [one for one in truth.tolist() if one not in number]
    if unknown:
        raise ValueError(f"y has {unknown[0]!r}, which is none of the tree's classes {list(tree.classes)}")
    classes = np.array([number[one] for one in truth.tolist()], dtype=np.int32)
    costs = targets.cost_matrix(error_costs, np.array(tree.classes, dtype=object))
    lost = (label != classes).astype(np.float64) if costs is None else costs[classes, label]
    return float(np.average(lost, weights=weight)) + float(leaf_penalty) * tree.n_leaves
