"""Trees whose nodes are numbered in preorder: a node's descendants follow it, one after the other."""

from __future__ import annotations

from collections.abc import Sequence


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
