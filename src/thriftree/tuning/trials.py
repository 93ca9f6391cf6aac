"""Trees grown by many recipes, with all their prunings, each measured on rows that did not grow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np

from thriftree.costs import BoundCosts, TestCosts
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import Limits
from thriftree.learning.prunings import SIZES, Prunings, prunings
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.tuning.measures import Held, Metric, scores
from thriftree.tuning.recipe import Recipe

Part: TypeAlias = tuple[Sample, Sample]  # rows to grow on, rows to measure on
Scores: TypeAlias = Mapping[Metric, Floats]  # of each pruning
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Trial:
    """One tree with its prunings by one size, and how well each of them did."""

    recipe: Recipe
    settings: Mapping[str, Any]  # the words that were varied
    prunings: Prunings
    scores: dict[Metric, list[Floats]]  # by part: the score of each pruning
    held: Held  # the rows whose price is reported

    def add(self, found: Scores) -> None:
        """Notes the scores of one more part."""
        for metric, values in found.items():
            self.scores[metric].append(values)

    def fold_scores(self, metric: Metric) -> Floats:
        """(parts, prunings)"""
        return np.array(self.scores[metric], dtype=np.float64)


@dataclass
class Trials:
    """The trees of `kept`, one for each recipe and pruned by each size, and their measurements.

    `grow` makes the trees, `measure` adds the scores of one part. Both stop where the time limit says so, but
    never before the first recipe.
    """

    recipes: Sequence[Recipe]
    kept: Sample
    metrics: Sequence[Metric]
    costs: TestCosts | None
    limits: Limits
    tick: Callable[[], None] = lambda: None  # called whenever a recipe has been grown or measured
    found: list[list[Trial]] = field(default_factory=list)  # by recipe
    stopped_by: str | None = None

    def grow(self, measuring: Sample | None = None) -> None:
        """Grows the trees. Given rows to measure on, these score the trees at once, and it is their price
        that is reported; else it is that of the rows that grew them.
        """
        priced = self.kept if measuring is None else measuring
        rows, holding = self.kept.for_many_trees(), _Holding(priced)
        for recipe in self._while_time(self.recipes):
            trials = []
            for number, tree in enumerate(self._grown(recipe, rows)):
                self.stopped_by = self.stopped_by or tree.grown.stopped_by
                trial = Trial(
                    recipe=recipe,
                    settings=recipe.settings_of(number // len(SIZES)),
                    prunings=tree,
                    scores={metric: [] for metric in self.metrics},
                    held=holding.of(tree, recipe.plan),
                )
                if measuring is not None:
                    variance = _variance(measuring, recipe.plan)
                    trial.add(self._scores(tree, trial.held, tree.alphas, variance))
                trials.append(trial)
            self.found.append(trials)

    def measure(self, part: Part) -> None:
        """Scores every pruning by trees of the part's growing rows that are pruned alike. A part that the
        time limit cuts short counts for nothing, unless it is the first: then the recipes that it has not
        measured are left out.
        """
        growing, measuring = part
        rows, holding = growing.for_many_trees(), _Holding(measuring)
        measured: list[list[Scores]] = []
        for trials in self._while_time(self.found):
            plan = trials[0].recipe.plan
            variance = _variance(self.kept, plan)
            trees = self._grown(trials[0].recipe, rows)
            measured.append(
                [
                    self._scores(tree, holding.of(tree, plan), trial.prunings.between, variance)
                    for trial, tree in zip(trials, trees, strict=True)
                ]
            )
        if not self.found[0][0].scores[self.metrics[0]]:
            del self.found[len(measured) :]
        elif self.time_is_up():
            return  # the last trees may not have been grown to their end
        for trials, scored in zip(self.found, measured, strict=True):
            for trial, found in zip(trials, scored, strict=True):
                trial.add(found)

    def time_is_up(self) -> bool:
        """Whether the time limit has passed, which is then noted."""
        up = self.limits.seconds_left == 0
        if up:
            self.stopped_by = "time_limit"
        return up

    def __iter__(self) -> Iterator[Trial]:
        return (trial for trials in self.found for trial in trials)

    def _grown(self, recipe: Recipe, rows: Sample) -> list[Prunings]:
        grown = recipe.grow(rows, self.limits)
        return [
            prunings(one, recipe.plan, size, bound_to(self.costs, one)) for one in grown for size in SIZES
        ]

    def _scores(self, tree: Prunings, held: Held, alphas: Floats, variance: float) -> Scores:
        return {metric: scores(tree, held, metric, alphas, variance) for metric in self.metrics}

    def _while_time(self, items: Sequence[T]) -> Iterator[T]:
        """The items, as long as there is time, and the first in any case."""
        for number, item in enumerate(items):
            if number and self.time_is_up():
                return
            yield item
            self.tick()


class _Holding:
    """Sample as trees see them: read once for all trees of the same columns, led down a tree once for all of
    its prunings.
    """

    def __init__(self, rows: Sample) -> None:
        self._rows = rows
        self._columns: Any = None
        self._inputs: Any = None
        self._grown: Grown | None = None
        self._held: Held | None = None

    def of(self, tree: Prunings, plan: Plan) -> Held:
        if tree.grown is self._grown and self._held is not None:
            return self._held
        if tree.grown.columns is not self._columns:
            self._columns = tree.grown.columns
            self._inputs = self._rows.codes.inputs(self._columns)
        self._grown = tree.grown
        self._held = Held.of(tree.grown.core, self._rows, self._inputs, plan)
        return self._held


def bound_to(costs: TestCosts | None, grown: Grown) -> BoundCosts | None:
    """The prices of the tree's own columns, whose codes may differ from part to part."""
    return None if costs is None else costs.bind(grown.columns)


def _variance(rows: Sample, plan: Plan) -> float:
    """Of a numeric target; 0 for classes."""
    if plan.n_classes:
        return 0.0
    mean = np.average(rows.y, weights=rows.weights)
    return float(np.average((rows.y - mean) ** 2, weights=rows.weights))
