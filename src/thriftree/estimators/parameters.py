"""The parameters of the constructors: what each may be, and what to say to a name of another library."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from inspect import signature
from math import inf
from numbers import Integral, Real
from typing import Any, Final, Self

from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    make_constraint,
)

from thriftree import _core
from thriftree.costs import TestCosts

Constraints = dict[str, list[Any]]

MOST_WHOLE: Final = 2**31 - 1  # the largest number of rows, leaves, levels or categories that the core takes


def whole_numbers(least: int) -> Interval:
    """Whole numbers from this one on, up to the largest that the core takes."""
    return Interval(Integral, least, MOST_WHOLE, closed="both")


def _of_stop_rules() -> Constraints:
    """What the parameters of the core's stop rules may be, as the rules declare it."""
    allowed: Constraints = {}
    for one in _core.stop_parameters():
        if one.most < inf:
            kind, least = (Integral, int(one.least)) if one.whole else (Real, one.least)
            numbers = Interval(kind, least, one.most, closed="both")
        elif one.whole:
            numbers = whole_numbers(int(one.least))
        else:
            numbers = Interval(Real, one.least, None, closed="left")
        allowed[one.name] = [numbers, None] if one.default < one.least else [numbers]
    return allowed


# Which tests of categories are on offer; None: as free as in the papers.
CATEGORY_PARAMETERS: Constraints = {
    "one_vs_rest": ["boolean"],
    "subset_smoothing": [Interval(Real, 0.0, None, closed="left"), None],
    "subset_min_rows": [whole_numbers(1), None],
    "subset_max_categories": [whole_numbers(1), None],
    "subset_correction": [Interval(Real, 0.0, None, closed="left"), None],
}

# Words that mean the same in every family. A family adds its own and leaves out what it does not have.
TREE_PARAMETERS: Constraints = {
    "min_leaf": [whole_numbers(1), Interval(RealNotInt, 0.0, 1.0, closed="left")],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    **_of_stop_rules(),
    "max_leaves": [whole_numbers(1), None],
    "max_bins": [whole_numbers(2), None],
    "binning": [StrOptions({"quantile", "uniform", "kmeans"})],
    "categorical_features": [StrOptions({"auto"}), "array-like", None],
    "costs": [TestCosts, dict, "array-like", None],
    "proportion_encode": [whole_numbers(0), "array-like", None],
    "shrinkage": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"}), None],
    **CATEGORY_PARAMETERS,
    "n_jobs": [Integral, None],
    "time_limit_s": [Interval(Real, 0.0, None, closed="left"), None],
    "memory_limit_mb": [Interval(Real, 0.0, None, closed="neither"), None],
}
COST_BENEFIT_PARAMETERS: Constraints = {"cost_benefit": ["boolean"]}
CLASSIFIER_PARAMETERS: Constraints = {
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "error_costs": ["array-like", None],
    "smoothing": [Interval(Real, 0.0, None, closed="left")],
}
VALIDATION_PARAMETERS: Constraints = {
    "min_gain": [Interval(Real, 0.0, None, closed="left")],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "random_state": ["random_state"],
}
ALPHA_PARAMETERS: Constraints = {
    "alpha": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv", "cv_1se"})],
    "cv": ["cv_object"],
}
PRUNING_PARAMETERS: Constraints = {
    "pruning": [StrOptions({"cost_complexity", "reduced_error", "validation_gain"}), None],
    **ALPHA_PARAMETERS,
    **VALIDATION_PARAMETERS,
}
TRADE_OFF_PARAMETERS: Constraints = {
    "trade_off": [Interval(Real, 0.0, inf, closed="both"), StrOptions({"auto", "cv"})],
    "pruning": [StrOptions({"auto"}), *PRUNING_PARAMETERS["pruning"]],
}
FUNCTION = HasMethods("__call__")

# scikit-learn's names, and the parameters that do the same here.
OUR_NAME: Mapping[str, str] = {
    "criterion": "impurity",
    "min_samples_leaf": "min_leaf",
    "min_samples_split": "min_leaf (rows a branch must keep)",
    "min_impurity_decrease": "min_decrease",
    "max_leaf_nodes": "max_leaves",
    "ccp_alpha": 'pruning="cost_complexity" and alpha',
    "splitter": "nothing: the best test is always taken",
    "max_features": "nothing: every column is always tried",
    "monotonic_cst": "nothing: constraints of direction are not offered",
}


class OwnNames:
    """Answers a scikit-learn parameter name with the parameter that is used here."""

    def __init_subclass__(cls, **given: Any) -> None:
        """Keep of the constraints those of parameters that the constructor has: families share lists, and a
        stop rule that is new to the core is a parameter of those whose constructor takes it.
        """
        super().__init_subclass__(**given)
        if "__init__" in vars(cls) and "_parameter_constraints" in vars(cls):
            own = signature(cls.__init__).parameters
            constraints: Constraints = cls._parameter_constraints  # type: ignore[attr-defined]
            cls._parameter_constraints = {name: constraints[name] for name in constraints if name in own}  # type: ignore[attr-defined]

    def __new__(cls, *args: Any, **params: Any) -> Self:  # noqa: D102
        _explain_foreign_names(cls, params)
        return super().__new__(cls)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """As scikit-learn finds them, once a class: a signature takes longer to read than a small table."""
        this: Any = cls
        return list(_names_of(this))

    def _validate_params(self) -> None:
        """As scikit-learn does, which also says what is wrong; but constraints are made once a class."""
        cls: Any = type(self)
        for name, default, allowed in _ready_constraints(cls):
            value = getattr(self, name)
            if value is default:
                continue
            if not any(constraint.is_satisfied_by(value) for constraint in allowed):
                super()._validate_params()  # type: ignore[misc]

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, as `__init__` takes them."""
        _explain_foreign_names(type(self), params)
        return super().set_params(**params)  # type: ignore[misc, no-any-return]


@cache
def _names_of(cls: Any) -> tuple[str, ...]:
    return tuple(super(OwnNames, cls)._get_param_names())


_NO_DEFAULT: Final = object()


@cache
def _ready_constraints(cls: Any) -> tuple[tuple[str, object, tuple[Any, ...]], ...]:
    """By parameter: a default that is allowed, and what else is."""
    constraints: Constraints = cls._parameter_constraints
    declared = signature(cls.__init__).parameters
    ready = []
    for name in cls._get_param_names():
        if name in constraints:
            allowed, default = tuple(map(make_constraint, constraints[name])), declared[name].default
            if not any(constraint.is_satisfied_by(default) for constraint in allowed):
                default = _NO_DEFAULT
            ready.append((name, default, allowed))
    return tuple(ready)


def _explain_foreign_names(cls: type, params: Mapping[str, Any]) -> None:
    for name in params:
        if name in OUR_NAME and name not in cls._parameter_constraints:  # type: ignore[attr-defined]
            raise InvalidParameterError(f"{cls.__name__} has no parameter {name!r}: use {OUR_NAME[name]}")
