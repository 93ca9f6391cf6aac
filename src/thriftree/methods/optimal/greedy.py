"""The greedy trees of the same rows and limits: first trees, and a source of thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from thriftree.costs import TestCosts
from thriftree.learning import growth
from thriftree.learning.criteria import names_for
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.learning.targets import Floats
from thriftree.methods.optimal.from_trees import outline_of, outline_with_classes
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.prices import PriceTerms
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.trimmed import trimmed_with_cost

_LEAVES_OF_LARGE = 64  # of the tree that is grown beyond the limits, for its thresholds alone


def greedy_plans(plan: Plan, prices: TestCosts | None, terms: PriceTerms | None = None) -> list[Plan]:
    """The plans of CART by every criterion and of the enhanced tree; with prices also of one that goes by
    them. Where prices count in the objective, also of CART by cost and benefit, all within the budget.
    """
    plans = [replace(plan, criterion=name) for name in names_for("classes" if plan.n_classes else "numbers")]
    plans.append(replace(plan, scoring={"objects": True, "score": "enhanced"}))
    if prices is not None:
        by_price = plans[-1:] if terms is None else plans[:]
        plans += [replace(one, prices=prices) for one in by_price]
    return plans if terms is None else [replace(one, budget=terms.as_budget) for one in plans]


def grown_outline(problem: Problem, plan: Plan, limits: Limits) -> tuple[Outline, Floats | None]:
    """The outline of a greedy tree, as it was grown; and the weight of each class by node."""
    grown = growth.grow(problem.rows, plan, limits)
    if problem.n_classes:
        return outline_with_classes(grown.core, grown.columns, problem.seen)
    return outline_of(grown.core, grown.columns, problem.seen), None


def greedy_outlines(
    problem: Problem, plan: Plan, prices: TestCosts | None, limits: Limits
) -> Iterator[tuple[Outline, Outline, float]]:
    """Each greedy tree under the same limits: as it was grown; pruned for this problem's objective; and that
    objective. Of several that are the same tree the first. Where the time is over, those so far are all.
    """
    seen: set[Outline] = set()
    terms = None if problem.prices is None else problem.prices.terms
    for one in greedy_plans(plan, prices, terms):
        grown, class_weights = grown_outline(problem, one, limits)
        if grown not in seen:
            seen.add(grown)
            pruned, cost = trimmed_with_cost(problem, grown, class_weights)
            yield grown, pruned, cost + problem.core_penalty * pruned.n_leaves
        if limits.stopped_by is not None:
            return


def large_outline(problem: Problem, plan: Plan, limits: Limits) -> Outline:
    """A greedy tree that is larger than the limits allow, for the thresholds in it."""
    rules = {**plan.rules, "max_depth": -1, "max_leaves": _LEAVES_OF_LARGE}
    return grown_outline(problem, replace(plan, rules=rules), limits)[0]
