"""λ chosen on rows that did not grow the trees: the rule of paper 000, and a cross-validated one.

Both look at the same path, one finished tree for each λ of `GRID`, and want the smallest λ, since that gives
the cheapest tree, that predicts about as well as larger ones. They differ in the rows they measure on and in
what "about as well" means.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from thriftree.learning.growth import Grown, Plan, Stopped, leaves
from thriftree.learning.holdout import folds, validation_part
from thriftree.learning.limits import Limits
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning, grow_and_prune_path
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.scores import r_squared
from thriftree.tree import Tree
from thriftree.tuning.auc import macro_auc
from thriftree.tuning.loop import Outcome, TuningLoop

GRID: Final = (inf, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.0)
LARGEST_DROP: Final = 0.01  # of AUC or R²: paper 000, section 6, "a significant drop (larger than 1%)"
UNMEASURED: Final = 1.0  # where no row could measure a tree


@dataclass(frozen=True)
class Search:
    """How λ is to be found."""

    rule: str  # "auto" or "cv"
    cv: Any
    validation_fraction: float
    random_state: Any
    pruning: Pruning  # what every tree of the path goes through
    prices: dict[str, Any] | None  # what tests cost, as a Tree takes it
    smoothing: float = 0.0  # of the probabilities that AUC ranks by


class Found(NamedTuple):
    """What the search found."""

    trade_off: float
    path: Bunch | None  # None: no tree could be measured
    stopped: Stopped | None  # what left out parts, if anything did: only whole paths are counted


class Measured(NamedTuple):
    """One tree on the rows held out."""

    score: float  # AUC or R²; NaN where the rows cannot tell
    expected_cost: float
    n_leaves: int


class TradeOffPath(NamedTuple):
    """The trees of one part, by falling λ, and their figures; of a path that was cut short none."""

    trees: list[Grown]
    figures: list[Measured]


def search(rows: Sample, plan: Plan, limits: Limits, how: Search, steps: Steps) -> Found:
    """The λ that the rule takes."""

    latest: list[Grown] = []

    def measured(part: tuple[Sample, Sample], grid: Sequence[float]) -> Outcome[TradeOffPath]:
        training, held_out = part
        grown = grow_and_prune_path(training, plan, limits, how.pruning, grid)
        latest[:] = grown
        stopped_by = next((tree.stopped_by for tree in grown if tree.stopped_by is not None), None)
        figures = [] if stopped_by else [_measure(tree, held_out, plan, how) for tree in grown]
        return TradeOffPath(grown, figures), stopped_by

    loop = TuningLoop(limits, part_step=partial(steps.step, "trade_off path"))
    paths = [of_part[0] for of_part in loop.by_part(_parts(rows, plan, how), [GRID], measured)]
    paths = [path for path in paths if not np.isnan(path.figures[0].score)]
    if not paths:
        if loop.stopped_by is not None:
            return _unfinished(latest, loop.stopped_by)
        if (rows.y != rows.y[0]).any():
            _warn_of_nothing_measured(how.rule)
        return Found(UNMEASURED, None, None)
    figures = np.array([path.figures for path in paths], dtype=np.float64)
    score, error = figures[:, :, 0].mean(axis=0), _standard_error(figures[:, :, 0])
    last = before_the_drop(score) if how.rule == "auto" else within_one_error(score, error)
    path = Bunch(
        trade_off=np.array(GRID),
        score=score,
        standard_error=error,
        expected_cost=figures[:, :, 1].mean(axis=0),
        n_leaves=figures[:, :, 2].mean(axis=0),
    )
    if loop.stopped_by is None:
        return Found(GRID[last], path, None)
    return Found(GRID[last], path, Stopped(loop.stopped_by, paths[-1].trees[last]))


def _unfinished(trees: Sequence[Grown], stopped_by: str) -> Found:
    """Where no path was measured: the last tree of these that has a test, which was growing."""
    for trade_off, tree in reversed(list(zip(GRID, trees, strict=False))):
        if tree.core.n_leaves > 1:
            return Found(trade_off, None, Stopped(stopped_by, tree))
    return Found(UNMEASURED, None, Stopped(stopped_by, None))


def before_the_drop(scores: Iterable[float]) -> int:
    """Paper 000's rule. Scores are in the order of falling λ: the last before one is more than `LARGEST_DROP`
    below the best of those before it.
    """
    best = -inf
    last = 0
    for i, score in enumerate(scores):
        if score < best - LARGEST_DROP * (1 + 1e-9):
            break
        best = max(best, score)
        last = i
    return last


def within_one_error(scores: Floats, errors: Floats) -> int:
    """The last (smallest) λ whose mean score is within one standard error of the best; of equally good ones
    the standard error of the last counts.
    """
    best = int(np.flatnonzero(scores == scores.max())[-1])
    return int(np.flatnonzero(scores >= scores[best] - errors[best])[-1])


def _parts(rows: Sample, plan: Plan, how: Search) -> Iterator[tuple[Sample, Sample]]:
    """(training, held out), each with a row at least."""
    if how.rule == "cv":
        yield from folds(rows, plan, how.cv, check_random_state(how.random_state))
        return
    training, validation = validation_part(rows, plan, how.validation_fraction, how.random_state)
    if len(validation):
        yield training, validation


def _measure(grown: Grown, rows: Sample, plan: Plan, how: Search) -> Measured:
    leaf = leaves(grown, rows, 1)
    tree = Tree(grown.core, grown.columns, range(plan.n_classes) if plan.n_classes else None, how.prices)
    score = _class_score(grown, leaf, rows, plan, how) if plan.n_classes else _number_score(grown, leaf, rows)
    return Measured(score, tree.expected_cost(rows.codes, rows.weight), tree.n_leaves)


def _class_score(grown: Grown, leaf: NDArray[np.int32], rows: Sample, plan: Plan, how: Search) -> float:
    n_nodes, n_classes = grown.core.n_nodes, plan.n_classes
    reached = np.zeros((n_nodes, n_classes))
    weight = rows.weights if plan.class_weight is None else rows.weights * plan.class_weight[rows.y]
    np.add.at(reached, (leaf, rows.y), weight)
    share = grown.core.value.reshape(n_nodes, n_classes) + how.smoothing
    some = reached.any(axis=1)
    return macro_auc(share[some] / share[some].sum(axis=1, keepdims=True), reached[some])


def _number_score(grown: Grown, leaf: NDArray[np.int32], rows: Sample) -> float:
    return r_squared(rows.y, grown.core.value.reshape(-1, 2)[leaf, 0], rows.weights)


def _standard_error(scores: Floats) -> Floats:
    """Of the mean over parts (rows of `scores`); 0 for a single part, which cannot tell."""
    n_parts = len(scores)
    if n_parts == 1:
        return np.zeros(scores.shape[1])
    return np.asarray(scores.std(axis=0, ddof=1) / np.sqrt(n_parts), dtype=np.float64)


def _warn_of_nothing_measured(rule: str) -> None:
    warnings.warn(
        f"trade_off={rule!r} needs held-out rows of different targets to measure trees on, and found none: "
        f"trade_off={UNMEASURED} is used. Give more rows, hold out more of them, or write a number",
        UserWarning,
        stacklevel=8,
    )
