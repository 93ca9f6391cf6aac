"""Trees from files, and what else commands ask of a tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from thriftree.cli.errors import InputError, input_errors

if TYPE_CHECKING:
    from thriftree.tree import Tree


def load_tree(path: str) -> Tree:
    """The tree in a file, or that of the estimator in it."""
    from thriftree.document import MODEL_FORMAT
    from thriftree.document.files import read_document
    from thriftree.tree import Tree

    if Path(path).is_dir():
        raise InputError(f"{path}: a folder, not a file: name a file in it")
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file: make one with thriftree fit … -o {path}")
    with input_errors(path):
        document = read_document(path)
        if isinstance(document, dict) and document.get("format") == MODEL_FORMAT:
            from thriftree.model_files import load  # brings scikit-learn, which a tree does not need

            tree: Tree = load(path).tree_
            return tree
        return Tree.from_dict(document)


def tested_columns(document: dict[str, Any]) -> list[int]:
    """The positions of the columns that some test looks at, or a linear leaf reads, ascending."""
    from thriftree.document.leaf_models import read_columns

    return read_columns(document)
