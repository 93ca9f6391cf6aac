"""Trees from files, and what else commands ask of a tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from thriftree.cli.errors import InputError, input_errors

if TYPE_CHECKING:
    from thriftree.tree import Tree


def load_tree(path: str) -> Tree:
    """The tree in a file, or that of the estimator in it; a soft tree is refused."""
    tree: Tree = load_any_tree(path)
    if is_soft(tree):
        raise InputError(
            f"{path}: a soft tree, which asks for all columns at once: use predict, explain or report"
        )
    return tree


def is_soft(tree: Any) -> bool:
    """Whether it is a SoftTree."""
    return hasattr(tree, "path_probabilities")


def load_any_tree(path: str) -> Any:
    """The tree in a file, or that of the estimator in it, hard or soft."""
    from thriftree.document import MODEL_FORMAT, SOFT_FORMAT
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

            model = load(path)
            return model.soft_tree_ if hasattr(model, "soft_tree_") else model.tree_
        if isinstance(document, dict) and document.get("format") == SOFT_FORMAT:
            from thriftree.model_files import load

            return load(path)
        return Tree.from_dict(document)


def tested_columns(document: dict[str, Any]) -> list[int]:
    """The positions of the columns that some test looks at, or a linear leaf reads, ascending; of a soft
    tree all.
    """
    from thriftree.document.leaf_models import read_columns

    if "gates" in document:
        return list(range(len(document["columns"])))
    return read_columns(document)
