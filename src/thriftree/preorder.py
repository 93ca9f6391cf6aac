"""Trees whose nodes are numbered in preorder: a node's descendants follow it, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def subtree_ends(parent: Sequence[int]) -> list[int]:
    """By node, one more than the last node below it: node i and its descendants are i, ..., end[i] - 1.

    >>> subtree_ends([-1, 0, 1, 1, 0])
    [5, 4, 3, 4, 5]
    """
    end = list(range(1, len(parent) + 1))
    for node in range(len(parent) - 1, 0, -1):
        up = parent[node]
        end[up] = max(end[up], end[node])
    return end


def rows_by_node(
    parent: Sequence[int], leaf: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """(order, begin, end): the rows that reach node i are order[begin[i]:end[i]], leaf by leaf, if `leaf` is
    where each row ends.

    >>> order, begin, end = rows_by_node([-1, 0, 0], np.array([2, 1, 2]))
    >>> [order[b:e].tolist() for b, e in zip(begin, end)]
    [[1, 0, 2], [1], [0, 2]]
    """
    order = np.argsort(leaf, kind="stable")
    in_order = leaf[order]
    begin = np.searchsorted(in_order, np.arange(len(parent)))
    return order, begin, np.searchsorted(in_order, subtree_ends(parent))


def gate_paths(left: Sequence[int], right: Sequence[int]) -> list[list[int]]:
    """By leaf of a binary tree whose gates are in preorder, the ways from the root to it: gate g, or for its
    right side g + the number of gates. Children are gates, or of leaf l the number -1 - l.

    >>> gate_paths([1, -1], [-3, -2])
    [[0, 1], [0, 3], [2]]
    """
    n = len(left)
    paths: list[list[int]] = [[] for _ in range(n + 1)]
    above: dict[int, list[int]] = {0: []}
    for gate in range(n):
        for child, way in ((int(left[gate]), gate), (int(right[gate]), gate + n)):
            path = [*above[gate], way]
            if child >= 0:
                above[child] = path
            else:
                paths[-1 - child] = path
    return paths


def gate_steps(left: Sequence[int], right: Sequence[int]) -> list[list[int]]:
    """The same by depth, then by leaf; beyond the end of a path twice the number of gates.

    >>> gate_steps([1, -1], [-3, -2])
    [[0, 0, 2], [1, 3, 4]]
    """
    paths = gate_paths(left, right)
    end = 2 * len(left)
    return [[path[d] if d < len(path) else end for path in paths] for d in range(max(map(len, paths)))]
