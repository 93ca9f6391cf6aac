"""Trees grown by many recipes, with all their prunings, each measured on rows that did not grow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from thriftree.costs import BoundCosts, TestCosts
from thriftree.estimators.growth import Grown, Plan, Rows
from thriftree.estimators.limits import Limits
from thriftree.estimators.measures import Held, Metric, scores
from thriftree.estimators.prunings import SIZES, Prunings, prunings
from thriftree.estimators.recipes import Recipe
from thriftree.estimators.targets import Floats
from thriftree.table import prediction_inputs

Part: TypeAlias = tuple[Rows, Rows]  # rows to grow on, rows to measure on


@dataclass(frozen=True, eq=False)
class Trial:
    """One tree with its prunings by one size, and how well each of them did."""

    recipe: Recipe
    settings: Mapping[str, Any]  # the words that were varied
    prunings: Prunings
    scores: dict[Metric, list[Floats]]  # by part: the score of each pruning
    held: Held  # the rows whose price is reported

    def fold_scores(self, metric: Metric) -> Floats:
        """(parts, prunings)"""
        return np.array(self.scores[metric], dtype=np.float64)


@dataclass
class Trials:
    """The trees of `kept`, one for each recipe and pruned by each size, and their measurements.

    `grow` makes them; `measure` adds the scores of one part. Both stop where the time limit says so, but
    never before the first recipe is grown and measured.
    """

    recipes: Sequence[Recipe]
    kept: Rows
    priced: Rows  # the rows whose price is reported
    metrics: Sequence[Metric]
    costs: TestCosts | None
    limits: Limits
    tick: Callable[[], None] = lambda: None  # called whenever a recipe has been grown or measured
    found: list[list[Trial]] = field(default_factory=list)  # by recipe
    stopped_by: str | None = None

    def grow(self) -> None:
        """Grows the trees that are kept."""
        rows, holding = self.kept.remembering(), _Holding(self.priced)
        for recipe in self._each(self.recipes, timed=True):
            trials = []
            for number, tree in enumerate(self._grown(recipe, rows)):
                self.stopped_by = self.stopped_by or tree.grown.stopped_by
                held = holding.of(tree, recipe.plan)
                settings = recipe.settings_of(number // len(SIZES))
                trials.append(Trial(recipe, settings, tree, {metric: [] for metric in self.metrics}, held))
            self.found.append(trials)

    def measure(self, part: Part) -> None:
        """Scores every pruning on a part: by the kept trees themselves if their rows are its growing rows,
        else by trees of those, pruned alike. A part that the time limit cuts short counts for nothing, unless
        it is the first: then the recipes that it has not measured are left out.
        """
        growing, measuring = part
        rows, holding = growing.remembering(), _Holding(measuring)
        own = growing is self.kept
        measured: list[list[dict[Metric, Floats]]] = []
        for trials in self._each(self.found, timed=not own):
            recipe = trials[0].recipe
            trees = [trial.prunings for trial in trials] if own else self._grown(recipe, rows)
            variance = _variance(measuring if own else self.kept, recipe.plan)
            scored = []
            for trial, tree in zip(trials, trees, strict=True):
                held = holding.of(tree, recipe.plan)
                alphas = tree.alphas if own else trial.prunings.between
                scored.append({m: scores(tree, held, m, alphas, variance) for m in self.metrics})
            measured.append(scored)
        if not self.found[0][0].scores[self.metrics[0]]:
            del self.found[len(measured) :]
        elif self.time_is_up():
            return  # the last trees may not have been grown to their end
        for trials, scored in zip(self.found, measured, strict=True):
            for trial, by_metric in zip(trials, scored, strict=True):
                for metric, values in by_metric.items():
                    trial.scores[metric].append(values)

    def time_is_up(self) -> bool:
        """Whether the time limit has passed, which is then noted."""
        up = self.limits.seconds_left == 0
        if up:
            self.stopped_by = "time_limit"
        return up

    def __iter__(self) -> Iterator[Trial]:
        return (trial for trials in self.found for trial in trials)

    def _grown(self, recipe: Recipe, rows: Rows) -> list[Prunings]:
        grown = recipe.grow(rows, self.limits)
        return [
            prunings(one, recipe.plan, size, bound_to(self.costs, one)) for one in grown for size in SIZES
        ]

    def _each(self, items: Sequence[Any], timed: bool) -> Iterator[Any]:
        """The items, as long as there is time if that counts, and the first in any case."""
        for number, item in enumerate(items):
            if timed and number and self.time_is_up():
                return
            yield item
            self.tick()


class _Holding:
    """Rows as trees see them: read once for all trees of the same columns, led down a tree once for all of
    its prunings.
    """

    def __init__(self, rows: Rows) -> None:
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
            self._inputs = prediction_inputs(self._rows.X, self._columns)
        self._grown = tree.grown
        self._held = Held.of(tree.grown.core, self._rows, self._inputs, plan)
        return self._held


def bound_to(costs: TestCosts | None, grown: Grown) -> BoundCosts | None:
    """The prices of the tree's own columns, whose codes may differ from part to part."""
    return None if costs is None else costs.bind(grown.columns)


def _variance(rows: Rows, plan: Plan) -> float:
    """Of a numeric target; 0 for classes."""
    if plan.n_classes:
        return 0.0
    mean = np.average(rows.y, weights=rows.weights)
    return float(np.average((rows.y - mean) ** 2, weights=rows.weights))
