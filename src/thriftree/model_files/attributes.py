"""The fitted attributes that a model file holds, and what each must be. The tree is beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, NamedTuple, get_args

import numpy as np
from sklearn.utils import Bunch

from thriftree.costs.frozen_map import FrozenMap
from thriftree.document.checks import Where, fail
from thriftree.estimators.editing import OF_THE_GROWN_TREE
from thriftree.impurities import HingedPairs, Pairs, Polynomial, Powers
from thriftree.model_files.values import from_json_value
from thriftree.registry import NEURAL_ESTIMATORS, SOFT_ESTIMATORS

Reader = Callable[[Any, Where], Any]


def _typed(what: str, *kinds: type) -> Reader:
    def read(value: Any, where: Where) -> Any:
        result = from_json_value(value, where)
        if type(result) not in kinds:
            fail(where, f"must be {what}")
        return result

    return read


def _or_null(reader: Reader) -> Reader:
    return lambda value, where: None if value is None else reader(value, where)


def _one_of(*words: str) -> Reader:
    def read(value: Any, where: Where) -> Any:
        if value not in words:
            fail(where, f"must be {' or '.join(map(repr, words))}")
        return value

    return read


def _number(value: Any, where: Where) -> float:
    return float(_typed("a number", int, float)(value, where))


def _count(value: Any, where: Where) -> int:
    result: int = _typed("an integer of at least 0", int)(value, where)
    if result < 0:
        fail(where, "must be an integer of at least 0")
    return result


def _array(kinds: str, what: str) -> Reader:
    def read(value: Any, where: Where) -> Any:
        array = _typed("an array", np.ndarray)(value, where)
        if array.ndim != 1 or array.dtype.kind not in kinds:
            fail(where, f"must be an array of one dimension, of {what}")
        return array

    return read


def _bunch(value: Any, where: Where) -> Bunch:
    bunch = Bunch()
    bunch.update(_record(value, where))  # not as keywords, of which "self" would be one too many
    return bunch


def _record(value: Any, where: Where) -> dict[str, Any]:
    content: dict[str, Any] = _typed("a dict", dict)(value, where)
    if not all(type(key) is str for key in content):
        fail(where, "must be a dict whose keys are strings")
    return content


def _certificate(value: Any, where: Where) -> Any:
    from thriftree.certificates.certificate import Certificate
    from thriftree.search.exact import Objective
    from thriftree.search.instance import TreeClass

    content = _record(value, where)
    known = {field.name: _CERTIFIED[str(field.type)] for field in fields(Certificate)}
    later = {
        field.name for field in fields(Certificate) if field.default is not MISSING
    }  # older files lack them
    if not known.keys() - later <= content.keys() <= known.keys():
        fail(where, f"must have the keys {', '.join(name for name in known if name not in later)}")
    for name, value in content.items():
        what, holds = known[name]
        if not holds(value):
            fail(where, f"{name} must be {what}")
    for name, choices in (("objective", get_args(Objective)), ("trees", get_args(TreeClass))):
        if content[name] not in choices:
            fail(where, f"{name} must be one of {', '.join(choices)}")
    if content["bound"] not in content["bounds"]:
        fail(where, "bound must be a key of bounds")
    lists = {name: tuple(part) for name, part in content.items() if type(part) is list}
    return Certificate(**{**content, **lists, "bounds": FrozenMap(content["bounds"])})


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


#: By the type of a field of Certificate, what a file has for it.
_CERTIFIED: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    **dict.fromkeys(("Objective", "TreeClass", "str"), ("a string", _is(str))),
    "float": ("a float", _is(float)),
    "bool": ("a boolean", _is(bool)),
    "str | None": ("a string or null", _is(str, type(None))),
    "float | None": ("a float or null", _is(float, type(None))),
    "Mapping[str, float]": (
        "a dict of floats",
        lambda bounds: type(bounds) is dict and all(map(_is(float), bounds.values())),
    ),
    "tuple[str, ...]": (
        "a list of strings",
        lambda notes: type(notes) is list and all(map(_is(str), notes)),
    ),
}

_OF_EVERY: Final[Mapping[str, Reader]] = {
    "n_features_in_": _count,
    "feature_importances_": _array("f", "floats"),
    "expected_cost_": _number,
    "worst_case_cost_": _number,
    "stopped_by_": _or_null(_typed("a string", str)),
}
_OF_SOFT: Final[Mapping[str, Reader]] = {
    "n_features_in_": _count,
    "loss_curve_": _array("f", "floats"),
    "n_iter_": _count,
    "l2_": _number,
    "cv_results_": _or_null(_record),
    "converged_": _typed("true or false", bool),
    "stopped_by_": _or_null(_typed("a string", str)),
    "expected_cost_": _number,
    "worst_case_cost_": _number,
}
_OF_NEURAL: Final[Mapping[str, Reader]] = {
    "n_features_in_": _count,
    "loss_curve_": _array("f", "floats"),
    "validation_loss_curve_": _array("f", "floats"),
    "best_epoch_": _count,
    "n_iter_": _count,
    "stopped_early_": _typed("true or false", bool),
    "stopped_by_": _or_null(_typed("a string", str)),
}
_OF_CLASSIFIERS: Final[Mapping[str, Reader]] = {
    "classes_": _array("biufUTO", "labels"),
    "n_classes_": _count,
}
_OF_OPTIMAL: Final[Mapping[str, Reader]] = {
    **dict.fromkeys(("leaf_penalty_", "objective_", "lower_bound_", "gap_"), _number),
    **dict.fromkeys(("status_", "proved_for_"), _typed("a string", str)),
    "history_": _record,
    "cv_results_": _or_null(_record),
}
_OF_THRIFT: Final[Mapping[str, Reader]] = {
    "method_": _typed("a string", str),
    "settings_": _record,
    "cv_results_": _record,
}
_OF_ENHANCED: Final[Mapping[str, Reader]] = {"trade_off_": _number, "trade_off_path_": _or_null(_bunch)}
_OWN: Final[Mapping[str, Mapping[str, Reader]]] = {
    "CHAIDClassifier": {"split_tests_": _typed("a list", list)},
    "EnhancedTreeClassifier": _OF_ENHANCED,
    "EnhancedTreeRegressor": _OF_ENHANCED,
    "MSIClassifier": {"tree_text_": _typed("a string", str), "history_": _record},
    "OptimalTreeClassifier": _OF_OPTIMAL,
    "OptimalTreeRegressor": _OF_OPTIMAL,
    "PUBLICClassifier": {"n_expanded_": _count, "mdl_cost_": _number},
    "ThriftTreeClassifier": _OF_THRIFT,
    "ThriftTreeRegressor": _OF_THRIFT,
    "WorstCaseTreeClassifier": {
        "impurity_": _typed("an impurity", Pairs, Powers, Polynomial, HingedPairs),
        "tolerance_": _number,
        "n_objects_": _count,
        "training_error_": _number,
        "error_bound_": _or_null(_number),
        "certificate_": _or_null(_certificate),
        "search_results_": _or_null(_record),
    },
}

#: What fit sets under some parameters only. What a later release adds belongs here too: older files lack it.
_SOMETIMES: Final[Mapping[str, Reader]] = {
    "feature_names_in_": _array("O", "strings"),
    "alpha_": _number,
    "ridge_": _number,
    "pruning_": _or_null(_typed("a string", str)),
    "pruned_by_": _one_of("leaves", "price"),
}


class Attributes(NamedTuple):
    """The attributes that a file of an estimator must hold, and those that it may hold: those of the tree as
    fit grew it are lost when it is edited.
    """

    required: Mapping[str, Reader]
    optional: Mapping[str, Reader]


def attributes_of(estimator: str, *, classifies: bool) -> Attributes:
    """The attributes of the estimator of that name."""
    own = _OWN.get(estimator, {})
    of_target = _OF_CLASSIFIERS if classifies else {}
    if estimator in SOFT_ESTIMATORS or estimator in NEURAL_ESTIMATORS:
        of_kind = _OF_SOFT if estimator in SOFT_ESTIMATORS else _OF_NEURAL
        names = {"feature_names_in_": _SOMETIMES["feature_names_in_"]}
        return Attributes({**of_kind, **of_target}, names)
    kept = {name: reader for name, reader in own.items() if name not in OF_THE_GROWN_TREE}
    lost = {name: reader for name, reader in own.items() if name in OF_THE_GROWN_TREE}
    return Attributes({**_OF_EVERY, **of_target, **kept}, {**_SOMETIMES, **lost})
