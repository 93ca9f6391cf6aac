"""Places in a tree's JSON form: nodes and columns as a user names them, and one subtree put for another."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree.messages import did_you_mean
from thriftree.preorder import subtree_ends

Nodes = list[dict[str, Any]]


def checked_node(node: Any, n_nodes: int) -> int:
    """`node` as a position in the tree's nodes, or an error that says which there are."""
    if isinstance(node, (bool, np.bool_)) or not isinstance(node, (int, np.integer)):
        raise TypeError(f"node is {node!r}: give the number of a node, as `apply` and `rules` give it")
    if not 0 <= node < n_nodes:
        raise ValueError(
            f"there is no node {node}: the tree has the nodes 0 to {n_nodes - 1} (0 is the root)"
        )
    return int(node)


def checked_column(column: Any, names: list[str]) -> int:
    """The position of a column that is given by name or position."""
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        if not 0 <= column < len(names):
            raise ValueError(
                f"there is no column {column}: the tree has {len(names)} columns, counted from 0"
            )
        return int(column)
    if column not in names:
        shown = ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        raise ValueError(
            f"the tree has no column {column!r}{did_you_mean(column, names) or ':'} it has {shown}"
        )
    return names.index(column)


def column_names(document: dict[str, Any]) -> list[str]:
    """The names of the columns, in their order."""
    return [column["name"] for column in document["columns"]]


def parents(nodes: Nodes) -> list[int]:
    """By node its parent, -1 at the root."""
    parent = [-1] * len(nodes)
    for number, node in enumerate(nodes):
        for child in node.get("children", ()):
            parent[child] = number
    return parent


def path_to(nodes: Nodes, node: int) -> list[tuple[int, int]]:
    """(node, branch taken there) from the root to `node`."""
    parent = parents(nodes)
    path = []
    while (up := parent[node]) >= 0:
        path.append((up, nodes[up]["children"].index(node)))
        node = up
    return path[::-1]


def subtree(nodes: Nodes, node: int) -> Nodes:
    """The node and all below it, as a tree of its own."""
    return [_moved(one, -node) for one in nodes[node : subtree_ends(parents(nodes))[node]]]


def with_subtree(nodes: Nodes, node: int, replacement: Nodes) -> Nodes:
    """The tree with `replacement`, a tree of its own, in the place of `node` and all below it."""
    end = subtree_ends(parents(nodes))[node]
    longer = len(replacement) - (end - node)
    above = []
    for one in nodes[:node]:
        children = [child + longer if child >= end else child for child in one.get("children", ())]
        above.append({**one, "children": children} if children else one)
    return [
        *above,
        *(_moved(one, node) for one in replacement),
        *(_moved(one, longer) for one in nodes[end:]),
    ]


def as_leaf(node: dict[str, Any]) -> dict[str, Any]:
    """The node without its test."""
    return {key: value for key, value in node.items() if key not in ("test", "children")}


def _moved(node: dict[str, Any], by: int) -> dict[str, Any]:
    if "children" not in node:
        return node
    return {**node, "children": [child + by for child in node["children"]]}
