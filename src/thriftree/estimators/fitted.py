"""What an estimator keeps of a finished tree: the tree, what it costs, and what its columns were worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree import _core
from thriftree.costs import BoundCosts, TestCosts, TreePrice, price
from thriftree.estimators.growth import Grown, Plan, Rows, growth_weight, leaves
from thriftree.estimators.targets import Floats
from thriftree.table import prediction_inputs
from thriftree.tree import Tree


def keep_tree(model: Any, grown: Grown, rows: Rows, plan: Plan) -> None:
    """Sets the fitted attributes of `model`."""
    costs = _stated_costs(model.costs)
    bound = None if costs is None else costs.bind(grown.columns)
    classes = tuple(model.classes_.tolist()) if plan.n_classes else None
    core = _without_priors(grown.core, plan)
    model.tree_ = Tree(core, grown.columns, classes, None if costs is None else costs.to_dict())
    model.feature_importances_ = importances(grown.core)
    model.expected_cost_, model.worst_case_cost_ = _tree_costs(grown, rows, bound)
    model.stopped_by_ = grown.stopped_by
    if grown.alpha is not None:
        model.alpha_ = grown.alpha


def row_costs(tree: Tree, X: Any, costs: Any, leaf: Any) -> Floats:
    """What each row pays on its way to its leaf."""
    stated = _stated_costs(costs)
    if stated is None:
        return np.asarray(tree.core.depths[leaf], dtype=np.float64)
    prices = price(tree.core, stated.bind(tree.columns))
    return _prices_of_rows(prices, leaf, X, tree.columns)


def importances(core: _core.Tree) -> Floats:
    """Share of each column in the weighted decrease of impurity over all tests: sums to 1, or all 0 without a test."""
    mass = growth_weight(core) * core.impurity
    decrease = mass.copy()
    np.subtract.at(decrease, core.parent[1:], mass[1:])
    tests = core.column >= 0
    total = np.bincount(core.column[tests], weights=decrease[tests], minlength=core.n_columns)
    total = np.maximum(total, 0.0)
    return np.asarray(total / total.sum() if total.any() else total, dtype=np.float64)


def _stated_costs(costs: Any) -> TestCosts | None:
    return costs if costs is None or isinstance(costs, TestCosts) else TestCosts(costs)


def _tree_costs(grown: Grown, rows: Rows, bound: BoundCosts | None) -> tuple[float, float]:
    """(expected over the rows given to fit, worst over all paths)."""
    core = grown.core
    grown_on_all = int(core.rows[0]) == len(rows)
    if bound is None:
        depths = core.depths
        worst = float(depths.max())
        if grown_on_all:
            return float(core.weight[core.column >= 0].sum() / core.weight[0]), worst
        return float(np.average(depths[leaves(grown, rows.X, 1)], weights=rows.weight)), worst
    prices = price(core, bound)
    if grown_on_all and not bound.outcomes:
        return prices.expected, prices.worst_case
    paid = _prices_of_rows(prices, leaves(grown, rows.X, 1), rows.X, grown.columns)
    return float(np.average(paid, weights=rows.weight)), prices.worst_case


def _prices_of_rows(prices: TreePrice, leaf: Any, X: Any, columns: Any) -> Floats:
    values = prediction_inputs(X, columns) if prices.bound.outcomes else None
    return np.asarray(prices.of_rows(leaf, values), dtype=np.float64)


def _without_priors(core: _core.Tree, plan: Plan) -> _core.Tree:
    """The tree with class weights as rows have them. Labels were chosen for these; impurities stay as grown."""
    if plan.priors is None:
        return core
    rebuild, fields = core.__reduce__()
    names = [*_core.Tree.FIELDS]
    value = core.value.reshape(-1, plan.n_classes) / plan.priors
    return rebuild(*(value.ravel() if name == "value" else field for name, field in zip(names, fields, strict=True)))
