"""Trees and rows that the tests of editing share."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree.testing.random_documents import frame_of, random_document, random_rows
from thriftree.tree import Tree


def random_tree(seed: int, n_rows: int = 150, *, infinite: bool = True, **how: Any) -> tuple[Tree, Any]:
    """A tree with names that are hard to print, and a frame with values at its cuts, missing and unseen."""
    document = random_document(seed, **{"shrunk": False, **how})
    rows = random_rows(document, seed, n_rows, infinite=infinite)
    return Tree.from_dict(document), frame_of(document, rows)


def questions_of(tree: Tree) -> list[int]:
    """The nodes that ask a question."""
    return np.flatnonzero(tree.core.column >= 0).tolist()


def leaves_of(tree: Tree) -> list[int]:
    """The nodes that answer."""
    return np.flatnonzero(tree.core.column < 0).tolist()


def below(tree: Tree, node: int) -> set[int]:
    """The node and all below it."""
    found = {node}
    for number, parent in enumerate(tree.core.parent.tolist()):
        if parent in found:
            found.add(number)
    return found


def structure(tree: Tree) -> list[Any]:
    """The tests and answers of a tree, without the figures that rounding may touch."""
    return [
        (node.get("test", {}) | {"score": None}, node.get("children"), node.get("label"), node["rows"])
        for node in tree.to_dict()["nodes"]
    ]
