"""Trees grown by many recipes, with all their prunings, each measured on rows that did not grow it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from math import inf
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import BoundCosts, TestCosts
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.leaf_models import node_losses
from thriftree.learning.prunings import LinearNodes, Prunings, prunings, unpruned
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.learning.tree_sizes import SIZES
from thriftree.tuning.linear_leaves import PENALTIES
from thriftree.tuning.loop import Outcome, TuningLoop
from thriftree.tuning.measures import Held, Metric, scores
from thriftree.tuning.race import far_behind
from thriftree.tuning.recipe import Recipe
from thriftree.tuning.resamples import ResampledScores, Resamples, Tally, Times, sum_of

SHARE: Final = 0.25  # of the memory limit that scores on resampled rows may take
KEPT_BYTES: Final = 256e6  # of trees of folds, kept for scores that do not decide
BYTES_OF_NODE: Final = 256
_BYTES_OF_LEAF: Final = 4  # of a row that is led down a tree
Part: TypeAlias = tuple[Sample, Sample]  # rows to grow on, rows to measure on
Scores: TypeAlias = Mapping[Metric, Floats]  # of each pruning


@dataclass(frozen=True, eq=False)
class Trial:
    """One tree with its prunings by one size, and how well each of them did."""

    recipe: Recipe
    settings: Mapping[str, Any]  # the parameters that were varied
    prunings: Prunings
    scores: dict[Metric, list[Floats]]  # by part: the score of each pruning
    held: Held  # the rows whose price is reported
    resampled: list[ResampledScores] = field(default_factory=list)  # by part, if asked for

    def add(self, found: Scores, resampled: ResampledScores | None = None) -> None:
        """Notes the scores of one more part."""
        for metric, values in found.items():
            self.scores[metric].append(values)
        if resampled is not None:
            self.resampled.append(resampled)

    @property
    def tally(self) -> Tally:
        """The score that decides, on resampled rows of all parts."""
        return sum_of([one.tally for one in self.resampled])

    def tally_of(self, metric: Metric, some: NDArray[np.intp]) -> Tally | None:
        """Another score of these prunings; None where what it takes was not kept."""
        found = [one.tally_of(metric, some) for one in self.resampled]
        known = [one for one in found if one is not None]
        return sum_of(known) if len(known) == len(found) else None

    @property
    def is_measured(self) -> bool:
        """Whether a part has scored it: a limit may have come before."""
        return all(self.scores.values())

    def fold_scores(self, metric: Metric) -> Floats:
        """(parts, prunings)"""
        return np.array(self.scores[metric], dtype=np.float64)


@dataclass
class Trials:
    """The trees of `kept`, one for each recipe and pruned by each size, and their measurements.

    `grow` makes the trees, `measure` adds the scores of parts. Both stop where the loop's limits say so, but
    never before the first recipe is grown.
    """

    recipes: Sequence[Recipe]
    kept: Sample
    metrics: Sequence[Metric]
    costs: TestCosts | None
    loop: TuningLoop
    labels_only: bool = False  # whether tests that change no label are left out before anything is priced
    may_stay_unpruned: bool = (
        False  # whether the tree that was growing when the time was over is left as it is
    )
    resamples: Resamples | None = None  # of the rows that measure, if scores on them are asked for
    deciding: Metric | None = None  # the metric that chooses: its scores on the drawn rows are asked for, too
    found: list[list[Trial]] = field(default_factory=list)  # by recipe
    # Whether each row of `kept` is an object of its own; if so, the rows of every part are.
    _rows_are_objects: bool = False
    _plain: list[_Known] = field(default_factory=list)  # of the rows that grow trees at the moment
    _raced_on: Part | None = None
    _raced: list[_Known] = field(default_factory=list)  # trees of that part
    _resampled_bytes: int = 0  # taken by tallies, and by trees that are kept for others

    def grow(self, measuring: Sample | None = None, *, race: Iterator[Part] | None = None) -> None:
        """Grows the trees. Given rows to measure on, these score the trees at once, and it is their price
        that is reported; else it is that of the rows that grew them.

        `race`: the parts that `measure` will be given. The first of them is taken for a look at all recipes;
        those whose accuracy is far behind there are left out, before trees of all rows are grown by them.
        """
        rows = self.kept.for_many_trees()
        measured = self.kept if measuring is None else measuring
        holding = _Holding(measured, self.resamples, grew=measuring is None)

        def tried(recipe: Recipe) -> Outcome[list[Trial]]:
            try:
                with self.loop.limits.holding(holding.n_bytes):
                    recipe, trees = self._grown(recipe, rows, without_repeats=True)
            except (TimeoutError, MemoryError) as error:
                if recipe.linear is None:
                    raise
                return [], self.loop.limits.reached(error)
            each = (
                Trial(
                    recipe=recipe,
                    settings=_settings_of(recipe, tree, number),
                    prunings=tree,
                    scores={metric: [] for metric in self.metrics},
                    held=holding.of(tree, recipe.plan),
                )
                for number, tree in enumerate(trees)
            )
            if measuring is None:
                trials = list(each)
            else:
                variance = _variance(measuring, recipe.plan)
                trials = [self._measured(trial, holding, variance) for trial in self._in_time(each)]
            self.loop.limits.held_bytes += _bytes_of(trials)
            cut = len(trials) < len(trees)
            return trials, _stopped_by(trees) or (self.loop.limits.stopped_by if cut else None)

        first = self.loop.each(self.recipes[:1], tried)
        lost = [False] * len(self.recipes) if race is None else self._lost(race)
        rest = [recipe for recipe, is_lost in zip(self.recipes, lost, strict=True) if not is_lost]
        others = list(self.loop.one_by_one(rest if lost[0] else rest[1:], tried))
        if lost[0] and others and self.loop.stopped_by is None:
            self.loop.limits.held_bytes -= sum(map(_bytes_of, first))
            first = []
        self.found = [trials for trials in first + others if trials]
        self._rows_are_objects = all(_rows_are_objects(trial) for trial in self if trial.recipe.trade_offs)

    def measure(self, parts: Iterable[Part]) -> None:
        """Scores every pruning by trees of the parts' growing rows that are pruned alike. Recipes that the
        first part has not measured, because a limit cut it short, are left out, unless it measured none.
        The part that a race took comes first.
        """

        def scored(
            part: tuple[Sample, _Holding], trials: list[Trial]
        ) -> Outcome[list[tuple[Scores, ResampledScores | None]]]:
            holding, plan = part[1], trials[0].recipe.plan
            variance = _variance(self.kept, plan)
            try:
                with self.loop.limits.holding(holding.n_bytes):
                    trees = self._grown_on(part, trials[0].recipe)
            except (TimeoutError, MemoryError) as error:
                if trials[0].recipe.linear is None:
                    raise
                return [], self.loop.limits.reached(error)
            found = []
            for trial, tree in zip(trials, trees, strict=True):
                held, alphas = holding.of(tree, plan), trial.prunings.between
                scores = self._scores(tree, held, alphas, variance)
                found.append((scores, self._resampled(tree, held, alphas, variance, holding.times)))
            cut = any(np.isnan(values).any() for of_tree, _ in found for values in of_tree.values())
            return found, _stopped_by(trees) or (self.loop.limits.stopped_by if cut else None)

        measured = self.loop.by_part(self._held(parts), self.found, scored)
        if measured:
            del self.found[len(measured[0]) :]
        for of_part in measured:
            for trials, of_recipe in zip(self.found, of_part, strict=True):
                for trial, found in zip(trials, of_recipe, strict=True):
                    trial.add(*found)

    def __iter__(self) -> Iterator[Trial]:
        return (trial for trials in self.found for trial in trials)

    def _held(self, parts: Iterable[Part]) -> Iterator[tuple[Sample, _Holding]]:
        """What grows trees and what measures them, of each part: first of the one that a race took, whose
        trees are known, and kept no longer.
        """
        if self._raced_on is not None:
            growing, measuring = self._raced_on
            yield growing.for_many_trees(), _Holding(measuring, self.resamples)
            self.loop.limits.held_bytes -= sum(_bytes_of_trees(one.trees) for one in self._raced)
            self._raced.clear()
        for growing, measuring in parts:
            yield growing.for_many_trees(), _Holding(measuring, self.resamples)

    def _lost(self, race: Iterator[Part]) -> list[bool]:
        """Which recipes the first of these parts shows to be far behind; none where it was not measured by
        all of them.
        """
        none = [False] * len(self.recipes)
        if len(self.recipes) < 2 or self.loop.stopped_by is not None:
            return none
        self._raced_on = next(race, None)
        if self._raced_on is None:
            return none
        growing, measuring = self._raced_on
        part = growing.for_many_trees(), _Holding(measuring)

        def raced(recipe: Recipe) -> Outcome[tuple[float, Floats]]:
            trees = self._grown_on(part, recipe)
            stopped_by = _stopped_by(trees)
            if stopped_by is None:
                self._raced.append(_Known(measuring, recipe, trees))
                self.loop.limits.held_bytes += _bytes_of_trees(trees)
            best = -inf
            for tree in trees:
                held = part[1].of(tree, recipe.plan)
                found = scores(tree, held, "accuracy", tree.alphas, 0.0, self.loop.limits)
                best = max(best, float(found.max()))
            return (best, held.counted), stopped_by

        results = list(self.loop.one_by_one(self.recipes, raced))
        if len(results) < len(self.recipes) or self.loop.stopped_by is not None:
            return none
        return far_behind([accuracy for accuracy, _ in results], results[0][1])

    def _grown_on(self, part: tuple[Sample, _Holding], recipe: Recipe) -> list[Prunings]:
        """The prunings of the recipe's trees of a part."""
        rows, holding = part
        raced = (one.trees for one in self._raced if one.rows is holding.rows and one.recipe is recipe)
        trees = next(raced, None)
        return self._grown(recipe, rows, measuring=holding.rows)[1] if trees is None else trees

    def _grown(
        self,
        recipe: Recipe,
        rows: Sample,
        *,
        without_repeats: bool = False,
        measuring: Sample | None = None,
    ) -> tuple[Recipe, list[Prunings]]:
        """The prunings of the recipe's trees. A tree that another recipe has grown of these rows already is
        not grown again. `without_repeats`: trees of one budget that are those of a smaller one are left out,
        and the recipe without them is given back.
        """
        self._plain = [one for one in self._plain if one.rows is rows]
        plain = (one.trees for one in self._plain if one.recipe.is_plain_part_of(recipe))
        again = next(plain, None) if self._rows_are_objects else None
        if again is not None:
            others = replace(recipe, trade_offs=tuple(value for value in recipe.trade_offs if value != inf))
            grown = others.grow(rows, self.loop.limits) if others.trade_offs else []
            rest = iter(self._prunings(others, grown))
            each = (again if value == inf else islice(rest, len(SIZES)) for value in recipe.trade_offs)
            return recipe, list(chain.from_iterable(each))
        grown = recipe.grow(rows, self.loop.limits)
        if without_repeats:
            recipe, grown = recipe.without_repeats(grown)
        if recipe.linear is not None:
            return recipe, self._linear_prunings(recipe, grown, rows, measuring)
        if self.may_stay_unpruned and without_repeats and self.loop.limits.seconds_left == 0:
            return recipe, [unpruned(grown[0], SIZES[0])]
        trees = self._prunings(recipe, grown)
        if not recipe.trade_offs and _stopped_by(trees) is None:
            self._plain.append(_Known(rows, recipe, trees))
        return recipe, trees

    def _prunings(self, recipe: Recipe, grown: Sequence[Grown]) -> list[Prunings]:
        return [
            prunings(one, recipe.plan, size, bound_to(self.costs, one), labels_only=self.labels_only)
            for one in grown
            for size in SIZES
        ]

    def _linear_prunings(
        self, recipe: Recipe, grown: Sequence[Grown], rows: Sample, measuring: Sample | None
    ) -> list[Prunings]:
        """The prunings of trees with linear leaves, for each penalty; without rows that measure them they
        lose what they lose on those that grew them.
        """
        assert recipe.linear is not None
        limits, found = self.loop.limits, []
        for one in grown:
            lost = node_losses(one, rows, measuring, recipe.linear, PENALTIES, limits)
            costs = lost.training / rows.weights.sum()
            errors = lost.training if measuring is None else lost.held
            for number, penalty in enumerate(PENALTIES):
                nodes = LinearNodes(penalty, errors[number], lost.extra)
                found += [
                    replace(
                        prunings(one, recipe.plan, size, bound_to(self.costs, one), cost=costs[number]),
                        linear=nodes,
                    )
                    for size in SIZES
                ]
        return found

    def _in_time(self, trials: Iterator[Trial]) -> Iterator[Trial]:
        """The first, and those after it that there is time for. None is made before it is asked for."""
        yield next(trials)
        while self.loop.limits.seconds_left != 0:
            trial = next(trials, None)
            if trial is None:
                return
            yield trial

    def _measured(self, trial: Trial, holding: _Holding, variance: float) -> Trial:
        """The trial with those of its prunings that there was time to measure."""
        tree = trial.prunings
        found = self._scores(tree, trial.held, tree.alphas, variance)
        known = ~np.isnan(list(found.values())).any(axis=0)
        scores = {metric: values[known] for metric, values in found.items()}
        trial.add(scores, self._resampled(tree, trial.held, tree.alphas[known], variance, holding.times))
        return replace(trial, prunings=replace(tree, alphas=tree.alphas[known], between=tree.between[known]))

    def _scores(self, tree: Prunings, held: Held, alphas: Floats, variance: float) -> Scores:
        limits = self.loop.limits
        return {metric: scores(tree, held, metric, alphas, variance, limits) for metric in self.metrics}

    def _resampled(
        self, tree: Prunings, held: Held, alphas: Floats, variance: float, times: Times | None
    ) -> ResampledScores | None:
        """The first that would take more than its share of the memory, or more time than there is, ends them
        all; trees for other scores than the one that decides are kept as far as there is room.
        """
        if self.resamples is None or self.deciding is None or times is None:
            return None
        share = SHARE * 1e6 * (self.loop.limits.memory_limit_mb or inf)
        self._resampled_bytes += 16 * len(alphas) * self.resamples.n_samples
        limits, measured = self.loop.limits, None
        with suppress(TimeoutError):
            if self._resampled_bytes <= share:
                measured = ResampledScores.of(tree, held, self.deciding, alphas, variance, times, limits)
        if measured is None:
            self.resamples = None
            for trial in self:
                trial.resampled.clear()
            return None
        n_bytes = BYTES_OF_NODE * tree.grown.core.n_nodes + _BYTES_OF_LEAF * len(held.rows)
        if self._resampled_bytes + n_bytes > min(share, KEPT_BYTES):
            return replace(measured, kept=None)
        self._resampled_bytes += n_bytes
        return measured


def _bytes_of(trials: Sequence[Trial]) -> int:
    """About what the trees and their rows take: trials of one tree share them."""
    rows = sum(len(one.rows) for one in {id(one.held): one.held for one in trials}.values())
    return _bytes_of_trees([one.prunings for one in trials]) + 3 * _BYTES_OF_LEAF * rows


def _bytes_of_trees(trees: Sequence[Prunings]) -> int:
    """About what the trees take without their rows: prunings of one tree share it."""
    return sum(
        BYTES_OF_NODE * one.core.n_nodes for one in {id(one.grown): one.grown for one in trees}.values()
    )


class _Known(NamedTuple):
    """The prunings of a recipe's trees, by rows that tell which trees they are."""

    rows: Sample
    recipe: Recipe
    trees: list[Prunings]


class _Holding:
    """Sample as trees see them: read once for all trees of the same columns, led down a tree once for all of
    its prunings.
    """

    def __init__(self, rows: Sample, resamples: Resamples | None = None, *, grew: bool = False) -> None:
        self.rows = rows
        self._grew = grew  # the trees that are asked about
        self.times = None if resamples is None else resamples.of_rows(rows)
        self._columns: Any = None
        self._inputs: Any = None
        self._grown: Grown | None = None
        self._held: Held | None = None

    @property
    def n_bytes(self) -> int:
        """Of values that are gathered for the predictor, and of samples."""
        codes = self.rows.codes
        gathered = 0 if codes.rows is None else 8 * len(codes) * len(codes.columns)
        return gathered + (0 if self.times is None else self.times.nbytes)

    def of(self, tree: Prunings, plan: Plan) -> Held:
        if tree.grown is self._grown and self._held is not None:
            return self._held
        if tree.grown.columns is not self._columns:
            self._columns = tree.grown.columns
            self._inputs = self.rows.codes.inputs(self._columns)
        self._grown = tree.grown
        self._held = Held(tree.grown.core, self.rows, self._inputs, plan, self._grew)
        return self._held


def _settings_of(recipe: Recipe, tree: Prunings, number: int) -> dict[str, Any]:
    """The parameters of the tree of this number among a recipe's."""
    if tree.linear is None:
        return recipe.settings_of(number // len(SIZES))
    return {
        **recipe.settings_of(number // (len(SIZES) * len(PENALTIES))),
        "ridge": tree.linear.penalty,
    }


def bound_to(costs: TestCosts | None, grown: Grown) -> BoundCosts | None:
    """The prices of the tree's own columns, whose codes may differ from part to part."""
    return None if costs is None else costs.bind(grown.columns)


def _rows_are_objects(trial: Trial) -> bool:
    core = trial.prunings.grown.core
    return bool(core.objects[0] == core.rows[0])


def _stopped_by(trees: Sequence[Prunings]) -> str | None:
    return next((tree.grown.stopped_by for tree in trees if tree.grown.stopped_by is not None), None)


def _variance(rows: Sample, plan: Plan) -> float:
    """Of a numeric target; 0 for classes."""
    if plan.n_classes:
        return 0.0
    mean = np.average(rows.y, weights=rows.weights)
    return float(np.average((rows.y - mean) ** 2, weights=rows.weights))
