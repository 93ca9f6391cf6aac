"""Trees grown by many recipes, with all their prunings, each measured on rows that did not grow it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from thriftree.costs import BoundCosts, TestCosts
from thriftree.estimators.growth import Grown, Plan, Rows
from thriftree.estimators.limits import Limits
from thriftree.estimators.measures import Held, Metric, scores
from thriftree.estimators.prunings import SIZES, Prunings, prunings
from thriftree.estimators.recipes import Recipe
from thriftree.estimators.targets import Floats

Progress: TypeAlias = Callable[[int, int], None]  # called with what is done, and how much there is to do
Part: TypeAlias = tuple[Rows, Rows]  # rows to grow on, rows to measure on


@dataclass(frozen=True, eq=False)
class Trial:
    """One tree with its prunings by one size, and how well each of them did."""

    recipe: Recipe
    settings: Mapping[str, Any]  # the words that were varied
    prunings: Prunings
    scores: Mapping[Metric, Floats]  # (parts, prunings)
    held: Held  # the rows whose price is reported: those it was measured on, or all


def variance_of(rows: Rows, plan: Plan) -> float:
    """Of a numeric target; 0 for classes."""
    if plan.n_classes:
        return 0.0
    mean = np.average(rows.y, weights=rows.weights)
    return float(np.average((rows.y - mean) ** 2, weights=rows.weights))


def validated(
    recipe: Recipe, part: Part, metrics: Sequence[Metric], costs: TestCosts | None, limits: Limits
) -> list[Trial]:
    """The trees of the growing rows, measured on the others."""
    growing, measuring = part
    variance = variance_of(measuring, recipe.plan)
    trials = []
    for member, grown in enumerate(recipe.grow(growing, limits)):
        for tree in _by_each_size(grown, recipe.plan, costs):
            held = Held.of(tree, measuring, recipe.plan)
            found = {m: scores(tree, held, m, tree.alphas, variance)[np.newaxis] for m in metrics}
            trials.append(Trial(recipe, recipe.settings_of(member), tree, found, held))
    return trials


def cross_validated(
    recipe: Recipe,
    rows: Rows,
    parts: Sequence[Part],
    metrics: Sequence[Metric],
    costs: TestCosts | None,
    limits: Limits,
) -> list[Trial]:
    """The trees of all rows; each pruning is measured by trees of the parts that are pruned alike.

    Parts that the time limit leaves no time for are left out, but the first is always measured.
    """
    variance = variance_of(rows, recipe.plan)
    whole = [tree for grown in recipe.grow(rows, limits) for tree in _by_each_size(grown, recipe.plan, costs)]
    found: list[dict[Metric, list[Floats]]] = [{m: [] for m in metrics} for _ in whole]
    for number, (growing, measuring) in enumerate(parts):
        if number and limits.seconds_left == 0:
            break
        trees = (
            t for grown in recipe.grow(growing, limits) for t in _by_each_size(grown, recipe.plan, costs)
        )
        for of_all, of_part, scored in zip(whole, trees, found, strict=True):
            held = Held.of(of_part, measuring, recipe.plan)
            for metric, so_far in scored.items():
                so_far.append(scores(of_part, held, metric, of_all.between, variance))
    trials = []
    for number, (tree, scored) in enumerate(zip(whole, found, strict=True)):
        settings = recipe.settings_of(number // len(SIZES))
        held = Held.of(tree, rows, recipe.plan)
        trials.append(Trial(recipe, settings, tree, {m: np.array(s) for m, s in scored.items()}, held))
    return trials


def _by_each_size(grown: Grown, plan: Plan, costs: TestCosts | None) -> list[Prunings]:
    bound = bound_to(costs, grown)
    return [prunings(grown, plan, size, bound) for size in SIZES]


def bound_to(costs: TestCosts | None, grown: Grown) -> BoundCosts | None:
    """The prices of the tree's own columns, whose codes may differ from part to part."""
    return None if costs is None else costs.bind(grown.columns)
