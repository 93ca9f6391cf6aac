"""Trees from files, and what else commands ask of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thriftree.cli.errors import input_errors

if TYPE_CHECKING:
    from thriftree.tree import Tree


def load_tree(path: str) -> Tree:
    """The tree in a file, or that of the estimator in it."""
    from thriftree.tree import Tree

    with input_errors(path):
        return Tree.load(path)


def tested_columns(document: dict[str, Any]) -> list[int]:
    """The positions of the columns that some test looks at, ascending."""
    return sorted({node["test"]["column"] for node in document["nodes"] if "test" in node})
