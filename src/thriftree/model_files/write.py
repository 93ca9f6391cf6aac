"""From a fitted estimator to its document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sklearn.base import is_classifier
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from thriftree.document import MODEL_FORMAT, MODEL_VERSION
from thriftree.document.write import to_json
from thriftree.model_files.attributes import attributes_of
from thriftree.model_files.values import to_json_value
from thriftree.registry import LEARNERS, NEURAL_ESTIMATORS, SOFT_ESTIMATORS, estimator_class

# Beside the attributes, under keys of their own; the second line those of neural trees.
_TREES: Final = ("tree_", "soft_tree_")
_NETWORK: Final = ("backbone_", "design_")


def model_text(estimator: Any) -> str:
    """The document of a fitted estimator as text: a line for each parameter, attribute, column and node."""
    name = _checked_name(estimator)
    check_is_fitted(estimator)
    estimator._validate_params()
    params = {
        parameter: to_json_value(value, f"the parameter {parameter!r} of {name}")
        for parameter, value in estimator.get_params(deep=False).items()
    }
    content = {
        "format": json.dumps(MODEL_FORMAT),
        "version": json.dumps(MODEL_VERSION),
        "thriftree": json.dumps(_release()),
        "estimator": json.dumps(name),
        "params": _object(params),
        "fitted": _object(_fitted(estimator, name)),
        "tree": _tree(estimator, name),
    }
    if name in NEURAL_ESTIMATORS:
        content["network"] = json.dumps(_network(estimator, name), allow_nan=False)
    return _lines(content)


def _checked_name(estimator: Any) -> str:
    name = type(estimator).__name__
    if name not in LEARNERS or estimator_class(name) is not type(estimator):
        raise TypeError(
            f"{name} is not an estimator of thriftree itself, and a model file names no other: save its tree "
            "(model.tree_.save), or pickle it"
        )
    return name


def _fitted(estimator: Any, name: str) -> dict[str, Any]:
    required, optional = attributes_of(name, classifies=is_classifier(estimator))
    found = {}
    beside = _TREES + _NETWORK if name in NEURAL_ESTIMATORS else _TREES
    for attribute, value in vars(estimator).items():
        if not attribute.endswith("_") or attribute.startswith("_") or attribute in beside:
            continue
        place = f"the attribute {attribute!r} of {name}"
        if attribute not in required and attribute not in optional:
            raise TypeError(f"{place} is not one that a model file holds: delete it from the estimator first")
        if isinstance(value, Bunch):
            value = dict(value)
        elif attribute == "certificate_" and value is not None:
            value = value.to_dict()
        found[attribute] = to_json_value(value, place)
    return found


def _tree(estimator: Any, name: str) -> str:
    if name in SOFT_ESTIMATORS or name in NEURAL_ESTIMATORS:
        return json.dumps(estimator.soft_tree_.to_dict(), allow_nan=False)
    return to_json(estimator.tree_.to_dict()).rstrip()


def _network(estimator: Any, name: str) -> dict[str, Any] | None:
    """What is in front of the soft tree; None: nothing."""
    from thriftree.methods.neural.backbones import HiddenLayer
    from thriftree.methods.neural.network_document import document_of_network

    backbone = estimator.backbone_
    if backbone is None:
        return None
    if not isinstance(backbone, HiddenLayer):
        raise TypeError(
            f"the network of {name} is a module of torch, which a model file does not hold: pickle the "
            "estimator, or save what is behind it (model.soft_tree_.save)"
        )
    return document_of_network(estimator.design_, backbone)


def _release() -> str:
    from thriftree import __version__

    return __version__


def _lines(content: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {text}" for key, text in content.items()) + "\n}\n"


def _object(content: Mapping[str, Any]) -> str:
    items = ",\n".join(f"  {json.dumps(key)}: {json.dumps(v, allow_nan=False)}" for key, v in content.items())
    return "{\n" + items + "\n}"
