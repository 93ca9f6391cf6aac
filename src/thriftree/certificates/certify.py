"""`certify`: how far a tree can be from the cheapest one."""

from __future__ import annotations

from functools import partial
from inspect import signature
from numbers import Integral, Real
from typing import Any

from thriftree.certificates.certificate import Certificate
from thriftree.certificates.certified import certified, task_of
from thriftree.certificates.tree_class import ImpurityLike, TreesToBeat
from thriftree.learning.limits import Limits, searched_any_time
from thriftree.search.exact import Objective
from thriftree.table.code_book import Binning
from thriftree.table.column_choice import CategoricalFeatures
from thriftree.tree import Tree

SEARCH_S = 1.0  # how long to search where no time limit is given
# What an estimator was fitted with, by the parameter that says the same here.
_OF_ESTIMATOR = {
    "categorical_features": "categorical_features",
    "max_bins": "max_bins",
    "binning": "binning",
    "min_mass": "min_mass",
    "impurity_": "impurity",
    "tolerance_": "tolerance",
}


def certify(
    tree: Any,
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    sample_weight: Any = None,
    objective: Objective = "worst_case",
    trees: TreesToBeat = "auto",
    max_depth: int | None = None,
    min_mass: float = 0.0,
    impurity: ImpurityLike | None = None,
    tolerance: float = 0.0,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
) -> Certificate:
    """What the tree costs, and what every tree of its class costs at least on these rows.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The parameters of coding, `min_mass`, `impurity` and `tolerance` that an estimator was fitted with are
        used where none are given here.
    X, y, sample_weight
        The rows, as they were given to `fit`.
    costs
        Prices of tests; None: the prices in the tree, or 1 for every test if it has none. The price of asking
        does not count.
    objective
        "worst_case": the largest price of any path; "expected": the mean price of these rows.
    trees
        Which trees to compare with: "pure" (the objects of every leaf, rows of equal codes, have one label),
        "tolerance" (the impurity of every leaf is at most `tolerance`), "mass" (leaves are pure or weigh at
        most `min_mass` of all), "error" (errors on these rows weigh no more than this tree's). "auto" takes
        the first that this tree is in.
    max_depth : int or None, default=None
        Compare with trees of at most so many tests on a path, each of two branches; None: of any shape. Then
        the exact search of optimal trees joins the bounds (where trees are "pure" or "error", and the rows
        have up to 1,000 tests; `max_bins` makes them fewer): where it ends in time, the bound is tight.
    impurity
        An admissible function of the objects per class, such as `Pairs()`, or any function of
        counts[sets, classes] that the caller knows to be monotone and supermodular. With it the certificate
        also says what the greedy rule for this impurity promises beforehand, if the tree keeps to it.
    time_limit_s, memory_limit_mb : float or None, default=None
        Limits of the whole call, reading and coding included; memory counts beyond what X and y take. Bounds
        that a limit cuts short stay as high as they are proved, and `stopped_by` and `cut_short` say so. What
        the tree itself costs is found in any case, which takes as long as `predict`. Without a time limit the
        bounds that take no search are computed to their end, and those that search share a second.

    Ctrl-C ends the call too: KeyboardInterrupt is raised with the certificate so far as `partial`.

    Examples
    --------
    >>> from thriftree import CARTClassifier, certify
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(certify(CARTClassifier().fit(X, [0, 1, 1, 0]), X, [0, 1, 1, 0]))
    This tree costs at most 2 on any path.
    Every tree whose leaves are pure has a path that costs at least 2.
    So no such tree is cheaper.
    The bound comes from how far each test can lower the impurity of all objects (knapsack).
    """
    if objective not in ("worst_case", "expected"):
        raise ValueError(f'objective is {objective!r}: write "worst_case" or "expected"')
    if trees not in ("auto", "pure", "tolerance", "mass", "error"):
        raise ValueError(f'trees is {trees!r}: write "auto", "pure", "tolerance", "mass" or "error"')
    if max_depth is not None and (isinstance(max_depth, bool) or not isinstance(max_depth, Integral)):
        raise ValueError(f"max_depth is {max_depth!r}: give a whole number of tests, or None")
    seconds, megabytes = _checked("time_limit_s", time_limit_s), _checked("memory_limit_mb", memory_limit_mb)
    limits = Limits.of(1, seconds, megabytes)
    parameters: dict[str, Any] = {
        "categorical_features": categorical_features,
        "max_bins": max_bins,
        "binning": binning,
        "min_mass": min_mass,
        "impurity": impurity,
        "tolerance": tolerance,
        "max_depth": max_depth,
    }
    if not isinstance(tree, Tree):
        tree, parameters = _of_estimator(tree, parameters)
    task = task_of(tree, X, y, costs, sample_weight, objective, trees, parameters)
    search = partial(certified, task, limits, SEARCH_S if time_limit_s is None else None)
    there_is = "its bounds hold, but could be higher"
    remedy = "certify on fewer rows, or with coarser codes (max_bins)"
    return searched_any_time(search, limits, "certify", there_is, remedy, stacklevel=4)


def certify_fit(model: Any, X: Any, y: Any, sample_weight: Any, limits: Limits) -> Certificate:
    """What `certify` says of an estimator that is being fitted, within the limits of the fit: no limit is
    warned of, and Ctrl-C is kept in them.
    """
    names = (*_OF_ESTIMATOR.values(), "max_depth")
    tree, parameters = _of_estimator(model, {name: _DEFAULTS[name] for name in names})
    task = task_of(tree, X, y, None, sample_weight, "worst_case", "auto", parameters)
    return certified(task, limits, SEARCH_S)


def _of_estimator(model: Any, parameters: dict[str, Any]) -> tuple[Tree, dict[str, Any]]:
    """The tree of a fitted estimator, and what it was fitted with where the caller left the default."""
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"tree is a {type(model).__name__} without a tree_: give a thriftree.Tree, or an estimator of "
            "thriftree that is fitted"
        )
    for attribute, parameter in _OF_ESTIMATOR.items():
        left = (
            isinstance(parameters[parameter], type(_DEFAULTS[parameter]))
            and parameters[parameter] == _DEFAULTS[parameter]
        )
        if left and hasattr(model, attribute):
            parameters[parameter] = getattr(model, attribute)
    return tree, parameters


def _checked(name: str, limit: Any) -> float | None:
    if limit is None or (isinstance(limit, Real) and float(limit) >= 0):
        return None if limit is None else float(limit)
    unit = "seconds" if name == "time_limit_s" else "megabytes"
    raise ValueError(f"{name} is {limit!r}: give a number of {unit} >= 0, or None")


_DEFAULTS = {name: parameter.default for name, parameter in signature(certify).parameters.items()}
