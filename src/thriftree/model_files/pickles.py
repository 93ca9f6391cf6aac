"""The state of a pickled estimator: the text of its model file wherever one can hold it, so that pickles have
the same version as files, and a reader such as skops needs to trust no other type of ours.
"""

from __future__ import annotations

from typing import Any, Final

from thriftree.document import MODEL_VERSION
from thriftree.document.checks import parse
from thriftree.model_files.read import model_of
from thriftree.model_files.write import model_text
from thriftree.tree import Tree

_VERSION: Final = "thriftree_version"
_DOCUMENT: Final = "thriftree_document"
_TREES: Final = ("tree_", "soft_tree_")


def state_of(estimator: Any, attributes: dict[str, Any]) -> dict[str, Any]:
    """The state of an estimator that has these attributes."""
    state: dict[str, Any] = {_VERSION: MODEL_VERSION}
    kept = next((name for name in _TREES if name in attributes), None)
    if kept is None:
        return state | attributes
    try:
        document = model_text(estimator)
    except (TypeError, ValueError):  # a parameter or attribute that only pickle can hold
        return state | attributes | {kept: attributes[kept].to_json()}
    parameters = estimator._get_param_names()
    others = {
        name: value
        for name, value in attributes.items()
        if name not in parameters and (name.startswith("_") or not name.endswith("_"))
    }  # such as scikit-learn's requests of metadata
    return state | others | {_DOCUMENT: document}


def attributes_in(state: dict[str, Any], estimator: str) -> dict[str, Any]:
    """The attributes that a state holds; one without a version is of an older release."""
    version = state.get(_VERSION, 0)
    if version > MODEL_VERSION:
        raise ValueError(
            f"this {estimator} was pickled in version {version} of the format, and this release reads "
            f"versions up to {MODEL_VERSION}: a newer version needs a newer thriftree"
        )
    attributes = {name: value for name, value in state.items() if name != _VERSION}
    if _DOCUMENT in attributes:
        document: str = attributes.pop(_DOCUMENT)
        attributes.update(vars(model_of(parse(document))))
        return attributes
    if isinstance(attributes.get("tree_"), str):
        attributes["tree_"] = Tree.from_json(attributes["tree_"])
    if isinstance(attributes.get("soft_tree_"), str):
        from thriftree.methods.soft.soft_tree import SoftTree

        attributes["soft_tree_"] = SoftTree.from_json(attributes["soft_tree_"])
    return attributes
