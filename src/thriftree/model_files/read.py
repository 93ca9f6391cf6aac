"""From a document to the estimator, as it was when it was saved."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sklearn.base import is_classifier
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from thriftree.columns import ColumnSchema, Scalar
from thriftree.costs import TestCosts
from thriftree.document import FORMAT, MODEL_FORMAT, MODEL_VERSION, SOFT_FORMAT
from thriftree.document.checks import TreeFormatError, Where, a_string, an_object, fail, shown
from thriftree.document.files import naming_file, read_document
from thriftree.document.read import check_format
from thriftree.model_files.attributes import attributes_of
from thriftree.model_files.values import from_json_value
from thriftree.registry import LEARNERS, NEURAL_ESTIMATORS, SOFT_ESTIMATORS, estimator_class
from thriftree.tree import Tree

_MOST_THREADS = 1024  # of the core
_KEYS: Final = ("format", "version", "thriftree", "estimator", "params", "fitted", "tree")


def load(path: str | os.PathLike[str]) -> Any:
    """What a file holds: the estimator that its `save` wrote, a `Tree`, or a `SoftTree`.

    Loading never runs code, so foreign files are safe to try. A file that is not as docs/spec says raises a
    ValueError that names the JSON path of what is wrong.
    """
    with naming_file(path):
        document = read_document(path)
        format_ = document.get("format") if type(document) is dict else None
        if format_ == FORMAT:
            return Tree.from_dict(document)
        if format_ == MODEL_FORMAT:
            return model_of(document)
        if format_ == SOFT_FORMAT:
            from thriftree.methods.soft.soft_tree import SoftTree

            return SoftTree.from_dict(document)
        formats = f"{FORMAT!r}, {SOFT_FORMAT!r} or {MODEL_FORMAT!r}"
        fail((), f'neither a tree nor a model: the key "format" must be {formats}')


def model_of(document: Any) -> Any:
    """The estimator that a document describes."""
    check_format(document, "model", MODEL_FORMAT, MODEL_VERSION)
    an_object(document, (), _KEYS, ("network",))
    a_string(document["thriftree"], ("thriftree",))
    name = a_string(document["estimator"], ("estimator",))
    if name not in LEARNERS:
        fail(("estimator",), f"{shown(name)} is not an estimator of this release: {', '.join(LEARNERS)}")
    an_object(document, (), (*_KEYS, "network") if name in NEURAL_ESTIMATORS else _KEYS)
    kind = estimator_class(name)
    model = kind(**_params(document["params"], kind))
    for attribute, value in _fitted(document["fitted"], name, classifies=is_classifier(model)).items():
        setattr(model, attribute, value)
    if name in SOFT_ESTIMATORS:
        model.soft_tree_ = _soft_tree(document["tree"])
        _check_agreement(model, model.soft_tree_.design.columns, model.soft_tree_.classes)
        return model
    if name in NEURAL_ESTIMATORS:
        _add_network(model, _soft_tree(document["tree"]), document["network"])
        return model
    model.tree_ = _tree(document["tree"])
    _check_agreement(model, model.tree_.columns, model.tree_.classes)
    if len(model.feature_importances_) != model.n_features_in_:
        fail(("fitted", "feature_importances_"), f"must hold {model.n_features_in_} numbers, one a column")
    return model


def _params(value: Any, kind: type[Any]) -> dict[str, Any]:
    """The parameters, each as the estimator would accept it. One that is not there takes its default."""
    names = kind._get_param_names()
    params = {}
    for name, item in an_object(value, ("params",), (), names).items():
        where: Where = ("params", name)
        params[name] = from_json_value(item, where)
        try:
            validate_parameter_constraints(
                {name: kind._parameter_constraints[name]}, {name: params[name]}, caller_name=kind.__name__
            )
        except InvalidParameterError as error:
            fail(where, str(error))
    n_jobs = params.get("n_jobs")
    if n_jobs is not None and (n_jobs == 0 or n_jobs > _MOST_THREADS):
        fail(("params", "n_jobs"), f"must be null, below 0, or from 1 to {_MOST_THREADS}, not {n_jobs}")
    return params


def _fitted(value: Any, estimator: str, *, classifies: bool) -> dict[str, Any]:
    required, optional = attributes_of(estimator, classifies=classifies)
    content = an_object(value, ("fitted",), tuple(required), tuple(optional))
    readers = {**required, **optional}
    return {name: readers[name](item, ("fitted", name)) for name, item in content.items()}


def _tree(value: Any) -> Tree:
    """The tree, whose prices must be complete: the estimator has said what it costs."""
    with _inside("tree"):
        tree = Tree.from_dict(value)
    if tree.prices is not None:
        try:
            TestCosts.from_dict(tree.prices).bind(tree.columns)
        except (TypeError, ValueError) as error:
            fail(("tree", "prices"), str(error))
    return tree


def _soft_tree(value: Any) -> Any:
    from thriftree.methods.soft.soft_tree import SoftTree

    with _inside("tree"):
        return SoftTree.from_dict(value)


def _add_network(model: Any, head: Any, value: Any) -> None:
    """Sets what a neural tree is: a soft tree, and what is in front of it."""
    from thriftree.methods.neural.network_document import check_head, network_of

    model.soft_tree_, model.backbone_, model.design_ = head, None, head.design
    if value is not None:
        with _inside("network"):
            model.design_, model.backbone_ = network_of(value)
        check_head(head, model.backbone_, ("tree", "columns"))
    _check_agreement(model, model.design_.columns, head.classes)


@contextmanager
def _inside(key: str) -> Iterator[None]:
    """Around the reading of a part of a document: what is wrong is named by its place in the model."""
    try:
        yield
    except TreeFormatError as error:
        raise TreeFormatError(f"$.{key}{str(error).removeprefix('$')}") from error


def _check_agreement(
    model: Any, columns: tuple[ColumnSchema, ...], classes: tuple[Scalar, ...] | None
) -> None:
    """Refuses attributes that say something else than the tree."""
    names = [column.name for column in columns]
    if model.n_features_in_ != len(names):
        fail(("fitted", "n_features_in_"), f"must be {len(names)}, the number of the tree's columns")
    if hasattr(model, "feature_names_in_") and model.feature_names_in_.tolist() != names:
        fail(("fitted", "feature_names_in_"), "must be the names of the tree's columns, in their order")
    if is_classifier(model) != (classes is not None):
        fail(("tree", "classes"), f"does not fit {type(model).__name__}")
    if is_classifier(model):
        if _typed(model.classes_.tolist()) != _typed(classes):
            fail(("fitted", "classes_"), "must be the classes of the tree, in their order and of their type")
        if model.n_classes_ != len(model.classes_):
            fail(("fitted", "n_classes_"), f"must be {len(model.classes_)}, the number of classes_")


def _typed(labels: Any) -> list[tuple[type, Scalar]]:
    return [(type(label), label) for label in labels]
