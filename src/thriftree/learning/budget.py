"""Growing within a budget: no path of the tree may cost more.

A test that its path cannot pay for is no candidate. Without delayed tests that is all, since what a path has
paid does not depend on what lies below. A delayed test makes its whole branch pay for what any row of it may
need; there columns are given up, those worth least for their price first, until the tree is within the
budget.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thriftree.columns import ColumnSchema
from thriftree.costs import BoundCosts, PathState, price
from thriftree.learning.allowance import Budget, bound_costs
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.importances import importances
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import Pruning, grow_and_prune, node_cost
from thriftree.learning.prunings import prunings
from thriftree.learning.sample import Sample


def grow_within(
    budget: Budget, rows: Sample, plan: Plan, limits: Limits, how: Pruning, free: Grown | None = None
) -> Grown:
    """The tree of these rows under this plan, of which no path costs more than the budget. `free` is the one
    without a budget, if it is there already.
    """
    grown = grow_and_prune(rows, plan, limits, how) if free is None else free
    prices = plan.prices_of(budget.costs, grown.columns)
    if plan.admits(budget, price(grown.core, prices).worst_case):
        return grown
    if grown.stopped_by is not None:
        return _pruned_to_fit(grown, plan, budget)
    plan = replace(plan, budget=budget)
    first = tree = grow_and_prune(rows, plan, limits, how)
    while not plan.admits(budget, price(tree.core, prices).worst_case):
        budget = replace(budget, given_up=budget.given_up | {_least_worth(tree, plan, prices)})
        plan = replace(plan, budget=budget)
        tree = grow_and_prune(rows, plan, limits, how)
    if tree is first:
        return tree
    return min(tree, _pruned_to_fit(first, plan, budget), key=lambda one: _leaf_impurity(one, plan))


def warn_of_nothing_bought(budget: Budget, columns: Sequence[ColumnSchema], stacklevel: int) -> None:
    """Says that the tree is one leaf because no useful test of these columns is within the budget."""
    prices = bound_costs(budget.costs, columns)
    alone = prices.prices.marginals(PathState()).tolist()
    cheapest, name = min(zip(alone, prices.names, strict=True))
    warnings.warn(
        f"budget={budget.limit:g} pays for no useful test, so the tree is one leaf: the cheapest test is "
        f"{name!r} at {cheapest:g}. Raise the budget",
        UserWarning,
        stacklevel=stacklevel + 1,
    )


def _least_worth(tree: Grown, plan: Plan, prices: BoundCosts) -> int:
    """The column of the tree whose decrease of impurity is least for what it adds to the price of all."""
    used = [c for c in np.unique(tree.core.column[tree.core.column >= 0]).tolist() if not prices.known[c]]
    worth = importances(tree.core, plan)
    total = prices.together(used)
    saved = {c: total - prices.together(other for other in used if other != c) for c in used}
    return int(min(used, key=lambda c: (worth[c] / saved[c] if saved[c] > 0 else np.inf, worth[c], c)))


def _pruned_to_fit(tree: Grown, plan: Plan, budget: Budget) -> Grown:
    """The largest of the tree's weakest-link prunings that is within the budget; the root always is."""
    prices = plan.prices_of(budget.costs, tree.columns)
    sequence = prunings(tree, plan, "price", prices)
    cut = (sequence.tree_at(alpha) for alpha in sequence.alphas.tolist())
    fitting = next(one for one in cut if plan.admits(budget, price(one.core, prices).worst_case))
    return replace(fitting, alpha=None)


def _leaf_impurity(tree: Grown, plan: Plan) -> float:
    return float(node_cost(tree.core, plan)[tree.core.column < 0].sum())
