"""Edits that need no data: a subtree becomes a leaf, a leaf another answer, branches another order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from thriftree.document.follow import scalar
from thriftree.editing.places import as_leaf, checked_node, subtree, with_subtree
from thriftree.messages import did_you_mean

_MOST_DEVIATION = 1e150  # its square is a float


def collapsed(document: dict[str, Any], node: Any) -> dict[str, Any]:
    """The tree in which `node`, or each of several nodes, is a leaf: it answers by the label, or the mean, of
    its own rows. The numbers of several nodes are those of the tree as it is.
    """
    nodes = document["nodes"]
    several = list(node) if isinstance(node, (Sequence, np.ndarray)) and not isinstance(node, str) else [node]
    wanted = {checked_node(one, len(nodes)) for one in several}
    if not wanted:
        raise ValueError("no node is named: give the number of a node, or several")
    for one in sorted(wanted, reverse=True):  # what comes before a node keeps its number
        if "test" not in nodes[one]:
            raise ValueError(f"node {one} is a leaf already: collapse a node that asks a question")
        nodes = with_subtree(nodes, one, [as_leaf(nodes[one])])
    return {**document, "nodes": nodes}


def relabelled(document: dict[str, Any], node: Any, label: Any) -> dict[str, Any]:
    """The tree in which the leaf `node` gives another answer.

    For classes `label` is one of them. For numbers it is the number to predict, and the leaf's mean squared
    deviation becomes that of its rows from this number; shrinkage leaves it alone.
    """
    nodes = document["nodes"]
    node = checked_node(node, len(nodes))
    old = nodes[node]
    if "test" in old:
        raise ValueError(
            f"node {node} asks a question, and only leaves answer: collapse({node}) first, or relabel the "
            "leaves below it"
        )
    if document["classes"] is None:
        mean, spread = old["value"]
        number = _number(label)
        deviation = abs(mean - number)
        if deviation > _MOST_DEVIATION:
            raise ValueError(f"label is {label!r}, too far from the mean {mean:g} of the leaf's rows")
        stated = {"stated": True} if "shrinkage" in document else {}
        old = {key: own for key, own in old.items() if key != "linear"}  # it answers the number alone
        new = {**old, "value": [number, spread + deviation**2], **stated}
    else:
        new = {**old, "label": _class_number(label, [scalar(one) for one in document["classes"]])}
    return {**document, "nodes": [*nodes[:node], new, *nodes[node + 1 :]]}


def reordered(document: dict[str, Any], node: Any, branches: Sequence[int] | None = None) -> dict[str, Any]:
    """The tree that shows the branches of `node` in another order: `branches[0]`, as they are numbered now,
    comes first. Without `branches` their order is turned round. No row gets another answer.
    """
    nodes = document["nodes"]
    node = checked_node(node, len(nodes))
    if "test" not in nodes[node]:
        raise ValueError(f"node {node} is a leaf, which has no branches: reorder a node that asks a question")
    n_branches = len(nodes[node]["children"])
    order = list(range(n_branches))[::-1] if branches is None else list(branches)
    are_numbers = all(isinstance(branch, (int, np.integer)) for branch in order)
    if not are_numbers or sorted(order) != list(range(n_branches)):
        raise ValueError(
            f"branches is {branches!r}: node {node} has the branches 0 to {n_branches - 1}; name each of "
            "them once"
        )
    place = {old: new for new, old in enumerate(order)}
    own = subtree(nodes, node)
    test = own[0]["test"]
    turned = {
        **test,
        "to": [place[branch] for branch in test["to"]],
        "missing": place[test["missing"]],
        "other": place[test["other"]],
    }
    parts = [subtree(own, own[0]["children"][branch]) for branch in order]
    return {**document, "nodes": with_subtree(nodes, node, joined({**own[0], "test": turned}, parts))}


def joined(root: dict[str, Any], parts: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """One tree of a root with a test and the trees of its branches."""
    children, at = [], 1
    for part in parts:
        children.append(at)
        at += len(part)
    nodes = [{**root, "children": children}]
    for first, part in zip(children, parts, strict=True):
        for one in part:
            below = [child + first for child in one.get("children", ())]
            nodes.append({**one, "children": below} if below else one)
    return nodes


def _number(label: Any) -> float:
    is_number = isinstance(label, (int, float, np.integer, np.floating)) and not isinstance(label, bool)
    if not is_number or not math.isfinite(label):
        raise ValueError(f"label is {label!r}, but the target is a number: give a finite number to predict")
    return float(label)


def _class_number(label: Any, classes: list[Any]) -> int:
    plain = label.item() if isinstance(label, np.generic) else label
    for number, known in enumerate(classes):
        if known == plain and isinstance(known, bool) == isinstance(plain, bool):
            return number
    shown = ", ".join(map(repr, classes[:10])) + (
        f" and {len(classes) - 10} more" if len(classes) > 10 else ""
    )
    raise ValueError(f"the tree has no class {label!r}{did_you_mean(label, classes) or ':'} it has {shown}")
