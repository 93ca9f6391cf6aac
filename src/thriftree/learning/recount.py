"""The figures of nodes that were put in another order, counted anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from thriftree.editing.asking_order import AskedFirst
from thriftree.learning import growth
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.preorder import rows_by_node
from thriftree.tree import Tree

_FIGURES = ("rows", "objects", "weight", "value", "label", "impurity")


def recounted(old: Tree, moved: AskedFirst, rows: Sample, plan: Plan) -> Tree:
    """The moved tree with true figures in its new part.

    A node with a test gets the figures that the core makes of its rows. A copy of a leaf gives the leaf's
    answer and has its impurity, whatever its rows, and the share of the leaf's class weights that its rows
    have of the leaf's. A node that no row reaches keeps the answer of the node that it copies.
    """
    document = moved.document
    tree = Tree.from_dict(document)
    order, begin, end = rows_by_node(tree.core.parent.tolist(), tree.apply(rows.codes))
    before, first, last = rows_by_node(old.core.parent.tolist(), old.apply(rows.codes))
    counted_as = {
        figure: value for figure, value in plan.scoring.items() if figure == "objects"
    }  # no test is scored
    leaf_plan = replace(
        plan, rules={**plan.rules, "max_depth": 0}, scoring=counted_as, parts={}, table_parts={}
    )
    limits = Limits.of(1, None, None)
    nodes = list(document["nodes"])
    for number in range(moved.begin + 1, moved.end):
        node, part = nodes[number], rows.take(np.sort(order[begin[number] : end[number]]))
        if not len(part):
            nodes[number] = {**node, "rows": 0, "objects": 0, "weight": 0.0}
            continue
        counted = Tree(*_counted(part, leaf_plan, limits), old.classes).to_dict()["nodes"][0]
        if "test" in node:
            nodes[number] = {**node, **{figure: counted[figure] for figure in _FIGURES if figure in counted}}
            continue
        origin = moved.origin[number]
        whole = rows.take(np.sort(before[first[origin] : last[origin]]))
        share = float(part.weights.sum() / whole.weights.sum())
        nodes[number] = _copy_of_leaf(node, counted, share, old.classes is not None)
    return Tree.from_dict({**document, "nodes": nodes})


def _counted(part: Sample, plan: Plan, limits: Limits) -> tuple[Any, Any]:
    grown = growth.grow(part, plan, limits)
    return grown.core, grown.columns


def _copy_of_leaf(
    leaf: dict[str, Any], counted: dict[str, Any], share: float, has_classes: bool
) -> dict[str, Any]:
    figures = {figure: counted[figure] for figure in ("rows", "objects", "weight")}
    value = [share * weight for weight in leaf["value"]] if has_classes else leaf["value"]
    return {**leaf, **figures, "value": value}
