"""What an estimator keeps of a finished tree: the tree, what it costs, and what its columns were worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree.costs import TreePrice, as_costs, price
from thriftree.estimators.shrinking import first_shrinkage
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.importances import importances
from thriftree.learning.sample import Sample
from thriftree.tree import Tree


def keep_tree(model: Any, grown: Grown, rows: Sample, plan: Plan) -> None:
    """Sets the fitted attributes of `model`."""
    classes = tuple(model.classes_.tolist()) if plan.n_classes else None
    prices = stored_prices(model.costs)
    model.tree_ = Tree(
        grown.core,
        grown.columns,
        classes,
        prices,
        shrinkage=first_shrinkage(model, plan),
        leaf_models=grown.models,
    )
    model.feature_importances_ = importances(grown.core, plan)
    paid = None if prices is None else price(grown.core, as_costs(model.costs).bind(grown.columns))
    model.expected_cost_ = _expected_cost(model.tree_, rows, paid)
    model.worst_case_cost_ = model.tree_.worst_case_cost() if paid is None else float(paid.worst_case)
    model.stopped_by_ = grown.stopped_by
    if grown.alpha is not None:
        model.alpha_ = grown.alpha
    if grown.penalty is not None:
        model.ridge_ = grown.penalty
    if grown.pruned_by is not None:
        model.pruned_by_ = grown.pruned_by


def stored_prices(costs: Any) -> dict[str, Any] | None:
    """What `costs` says, as a tree keeps it."""
    return None if costs is None else as_costs(costs).to_dict()


def _expected_cost(tree: Tree, rows: Sample, paid: TreePrice | None) -> float:
    """Mean price over the rows given to fit. Without prices it follows from the nodes' weights, if all rows
    grew the tree.
    """
    core = tree.core
    if paid is not None:
        inputs: Any = rows.codes.tested_inputs(tree.columns)
        of_rows = paid.of_rows(core.apply(inputs), inputs)
        return float(np.average(of_rows, weights=rows.weight))
    if int(core.rows[0]) == len(rows) and not tree.leaf_models:
        return float(core.weight[core.column >= 0].sum() / core.weight[0])
    return tree.expected_cost(rows.codes, rows.weight)
