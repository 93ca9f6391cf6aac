"""`certify`: how far a tree can be from the cheapest one."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.certificates.certificate import Certificate, certificate_of
from thriftree.certificates.guarantee import Promise, greedy_promise
from thriftree.certificates.objects import ObjectsOfRows, objects_of
from thriftree.certificates.tightest import tightest
from thriftree.certificates.tree_class import ImpurityLike, LeafLimits, TreesToBeat, claim_of
from thriftree.costs import BoundCosts, TestCosts, price
from thriftree.preorder import rows_by_node
from thriftree.search.exact import Objective
from thriftree.search.instance import Goal
from thriftree.table.code_book import Binning
from thriftree.table.column_choice import CategoricalFeatures
from thriftree.tree import Tree

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
    min_mass: float = 0.0,
    impurity: ImpurityLike | None = None,
    tolerance: float = 0.0,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
    time_limit_s: float = 1.0,
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
    impurity
        An admissible function of the objects per class, such as `Pairs()`, or any function of
        counts[sets, classes] that the caller knows to be monotone and supermodular. With it the certificate
        also says what the greedy rule for this impurity promises beforehand, if the tree keeps to it.
    time_limit_s
        For searching; bounds that take no search are always computed.

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
    if not (isinstance(time_limit_s, Real) and time_limit_s >= 0):
        raise ValueError(f"time_limit_s is {time_limit_s!r}: give a number of seconds >= 0")
    parameters: dict[str, Any] = {
        "categorical_features": categorical_features,
        "max_bins": max_bins,
        "binning": binning,
        "min_mass": min_mass,
        "impurity": impurity,
        "tolerance": tolerance,
    }
    if not isinstance(tree, Tree):
        tree, parameters = _of_estimator(tree, parameters)
    limits = LeafLimits(parameters.pop("impurity"), parameters.pop("tolerance"), parameters.pop("min_mass"))
    if tree.classes is None:
        raise ValueError("the tree predicts numbers: only trees that predict classes can be certified")
    tree, prices = _priced(tree, costs)
    leaf = tree.apply(X).astype(np.intp)
    bound_costs = None if prices is None else prices.bind(tree.columns)
    objects = objects_of(X, y, tree.classes, bound_costs, sample_weight=sample_weight, **parameters)
    leaf = leaf[objects.kept]
    leaf_of = _leaf_of_objects(leaf, objects)
    wrong = tree.core.label[leaf] != objects.labels
    error = float(objects.weight[wrong].sum() / objects.weight.sum())
    claim = claim_of(trees, limits, objects, leaf_of, error, tree.classes)
    if objective == "worst_case":
        reached = tree.worst_case_cost()
    else:
        reached = float(np.average(tree.predict_cost(X)[objects.kept], weights=objects.weight))
    node_objects = _node_objects(tree, leaf_of)
    by_size = sorted((part for part in node_objects if len(part) > 1), key=len, reverse=True)
    nodes = by_size or node_objects[:1]
    bounds = tightest(objects.instance, claim.goal, objective, nodes, reached, time_limit_s)
    least_losses = claim.goal.trees == "error" and objects.losses_differ
    if least_losses and bounds.by_name[bounds.best] < reached * (1 - 1e-9):
        bounds = replace(bounds, exact=False)
    promise = None
    if objective == "worst_case" and claim.tolerance is not None:
        promise = _promise(tree, bound_costs, objects, claim.tolerance, node_objects)
    factor = None if promise is None else promise.factor
    notes = _notes(tree, objects, prices, promise)
    if least_losses:
        notes += ("Of an object of several classes the bound counts the least that a wrong label can lose.",)
    return certificate_of(objective, claim.goal, claim.in_words, bounds, reached, factor, notes)


def _of_estimator(model: Any, parameters: dict[str, Any]) -> tuple[Tree, dict[str, Any]]:
    """The tree of a fitted estimator, and what it was fitted with where the caller left the default."""
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"tree is a {type(model).__name__} without a tree_: give a thriftree.Tree, or an estimator of "
            "thriftree that is fitted"
        )
    defaults = {name: parameter.default for name, parameter in signature(certify).parameters.items()}
    for attribute, parameter in _OF_ESTIMATOR.items():
        left = (
            isinstance(parameters[parameter], type(defaults[parameter]))
            and parameters[parameter] == defaults[parameter]
        )
        if left and hasattr(model, attribute):
            parameters[parameter] = getattr(model, attribute)
    return tree, parameters


def _priced(tree: Tree, costs: Any) -> tuple[Tree, TestCosts | None]:
    """The tree with the prices to certify it by, and those prices."""
    if costs is None:
        return tree, None if tree.prices is None else TestCosts.from_dict(tree.prices)
    prices = costs if isinstance(costs, TestCosts) else TestCosts(costs)
    return Tree(tree.core, tree.columns, tree.classes, prices.to_dict(), tree.settings), prices


def _leaf_of_objects(leaf: NDArray[np.intp], objects: ObjectsOfRows) -> NDArray[np.intp]:
    """By object the leaf that all its rows reach."""
    leaf_of: NDArray[np.intp] = leaf[objects.first_row]
    apart = np.flatnonzero(leaf != leaf_of[objects.object_of])
    if len(apart):
        other = objects.first_row[objects.object_of[apart[0]]]
        raise ValueError(
            f"the tree sends rows {objects.kept[other]} and {objects.kept[apart[0]]} of equal codes to "
            "different leaves: give the max_bins, binning and categorical_features that it was fitted with"
        )
    return leaf_of


def _node_objects(tree: Tree, leaf_of: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """By node: its objects, leaf by leaf."""
    order, begin, end = rows_by_node(tree.core.parent.tolist(), leaf_of)
    return [order[first:stop] for first, stop in zip(begin, end, strict=True)]


def _promise(
    tree: Tree,
    costs: BoundCosts | None,
    objects: ObjectsOfRows,
    tolerance: Goal,
    node_objects: list[NDArray[np.intp]],
) -> Promise | None:
    marginal = price(tree.core, costs).marginal
    return greedy_promise(
        objects.instance, tolerance, node_objects, tree.core.parent.tolist(), marginal.tolist()
    )


def _notes(
    tree: Tree, objects: ObjectsOfRows, prices: TestCosts | None, promise: Promise | None
) -> tuple[str, ...]:
    """What a reader has to know of the rows and prices."""
    notes = []
    if promise is not None and promise.departure > 1:
        notes.append(
            f"That includes a factor of {promise.departure:.3g} for tests of this tree that cost more for "
            "what they gain than the best at their place: by delays, set-ups, or another rule of choice."
        )
    n_rows, n_objects = len(objects.labels), len(objects.first_row)
    if n_objects < n_rows:
        notes.append(f"The {n_rows} rows are {n_objects} objects: rows that no test tells apart are one.")
    if objects.unavoidable > 0:
        notes.append(
            f"Of the rows, {objects.unavoidable:.2%} by weight have another class than their object: no tree "
            "can get them right."
        )
    if (prices is None or prices.pay == "each") and _asks_again(tree):
        notes.append("The bound counts a feature once, however often a tree asks for it and pays.")
    if prices is None:
        return tuple(notes)
    if any(not isinstance(own, float) for own in prices.prices.values()):
        notes.append("Where a price depends on the outcome, the bound counts the cheapest outcome.")
    if prices.delayed:
        notes.append("The bound counts no test that is ordered for its delay and then not needed.")
    return tuple(notes)


def _asks_again(tree: Tree) -> bool:
    """Whether some path tests a feature more than once."""
    column, asked = tree.core.column.tolist(), [0] * tree.n_nodes  # bit sets of columns
    for node, up in enumerate(tree.core.parent.tolist()):
        above = asked[up] if up >= 0 else 0
        if column[node] >= 0 and above >> column[node] & 1:
            return True
        asked[node] = above | (1 << column[node] if column[node] >= 0 else 0)
    return False
