"""The greedy trees of the same rows and limits: first trees, and a source of thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from thriftree.costs import TestCosts
from thriftree.learning import growth
from thriftree.learning.criteria import names_for
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.methods.optimal.from_trees import outline_of
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.trimmed import trimmed_with_cost

_LEAVES_OF_LARGE = 64  # of the tree that is grown beyond the limits, for its thresholds alone


def greedy_plans(plan: Plan, prices: TestCosts | None) -> list[Plan]:
    """The plans of CART by every criterion and of the enhanced tree; with prices also of one that goes by
    them.
    """
    plans = [replace(plan, criterion=name) for name in names_for("classes")]
    enhanced = replace(plan, criterion="gini", scoring={"objects": True, "score": "enhanced"})
    return [*plans, enhanced] if prices is None else [*plans, enhanced, replace(enhanced, prices=prices)]


def grown_outline(problem: Problem, plan: Plan, limits: Limits) -> Outline:
    """The outline of a greedy tree, as it was grown."""
    grown = growth.grow(problem.rows, plan, limits)
    return outline_of(grown.core, grown.columns, problem.seen)


def greedy_outlines(
    problem: Problem, plan: Plan, prices: TestCosts | None, limits: Limits
) -> Iterator[tuple[Outline, Outline, float]]:
    """Each greedy tree under the same limits: as it was grown; pruned for this problem's objective; and that
    objective. Of several that are the same tree the first. Where the time is over, those so far are all.
    """
    seen: set[Outline] = set()
    for one in greedy_plans(plan, prices):
        grown = grown_outline(problem, one, limits)
        if grown not in seen:
            seen.add(grown)
            pruned, cost = trimmed_with_cost(problem, grown)
            yield grown, pruned, cost + problem.core_penalty * pruned.n_leaves
        if limits.stopped_by is not None:
            return


def large_outline(problem: Problem, plan: Plan, limits: Limits) -> Outline:
    """A greedy tree that is larger than the limits allow, for the thresholds in it."""
    rules = {**plan.rules, "max_depth": -1, "max_leaves": _LEAVES_OF_LARGE}
    return grown_outline(problem, replace(plan, criterion="gini", rules=rules), limits)
