"""A hard tree that answers as a soft one does, as nearly as its size allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thriftree.learning import growth
from thriftree.learning.criteria import resolve
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample, rows_at
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.scores import r_squared
from thriftree.table.codes import Codes
from thriftree.tree import Tree


def plan_of_cart(
    n_classes: int,
    class_weight: Any,
    max_depth: int | None,
    max_leaves: int | None,
    impurity: str = "gini",
) -> Plan:
    """A CART without pruning; `impurity` is that of classes."""
    criterion = resolve(impurity, "classes") if n_classes else resolve("squared_error", "numbers")
    return Plan(
        criterion=criterion,
        n_classes=n_classes,
        ordered_tests=growth.THRESHOLD,
        category_tests=growth.SUBSET,
        class_weight=class_weight,
        rules={
            "min_leaf_rows": 1,
            "min_leaf_share": 0.0,
            "max_leaves": -1 if max_leaves is None else int(max_leaves),
            "max_depth": -1.0 if max_depth is None else float(max_depth),
        },
    )


def distilled(soft: SoftTree, X: Any, read: Callable[[Any], Codes], max_leaves: int, limits: Limits) -> Tree:
    """The CART of what the soft tree answers to these rows: of classes, each row is there once a class, with
    its probability as weight. `read` makes codes of rows. How far the two agree is in the tree's settings.
    """
    n_threads = limits.n_threads
    if soft.classes is None:
        answers = soft.predict(X, n_threads=n_threads)
        grown = growth.grow(Sample(read(X), answers, None), plan_of_cart(0, None, None, max_leaves), limits)
        tree = Tree(grown.core, grown.columns)
        r2 = r_squared(answers, tree.predict(X, n_threads=n_threads), np.ones(len(answers)))
        settings = {"distilled_from": "SoftTree", "r2": None if np.isnan(r2) else r2}
        return Tree(grown.core, grown.columns, settings=settings)
    shares = soft.predict_proba(X, n_threads=n_threads)
    n_rows, n_classes = shares.shape
    some = np.flatnonzero(shares.ravel() > 0)
    labels = (some % n_classes).astype(np.int32)
    sample = Sample(read(rows_at(X, some // n_classes)), labels, np.ravel(shares)[some])
    grown = growth.grow(sample, plan_of_cart(n_classes, None, None, max_leaves), limits)
    tree = Tree(grown.core, grown.columns, soft.classes)
    same = tree.core.label[tree.apply(X)] == shares.argmax(axis=1)
    agreement = {"distilled_from": "SoftTree", "agreement": float(np.count_nonzero(same) / n_rows)}
    return Tree.from_dict(_with_rows_once(tree, X) | {"settings": agreement})


def _with_rows_once(tree: Tree, X: Any) -> dict[str, Any]:
    """The document of a tree whose rows were there once a class, with each counted once."""
    core = tree.core
    rows = np.bincount(tree.apply(X), minlength=core.n_nodes)
    for node in range(core.n_nodes - 1, 0, -1):  # children come after their parents
        rows[core.parent[node]] += rows[node]
    document = tree.to_dict()
    nodes = [
        {**node, "rows": int(n), "objects": int(n)} for node, n in zip(document["nodes"], rows, strict=True)
    ]
    return {**document, "nodes": nodes}
