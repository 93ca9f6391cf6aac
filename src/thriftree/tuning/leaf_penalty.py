"""The penalty of a leaf, measured on folds along the path of penalties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.utils import check_random_state

from thriftree.costs import TestCosts
from thriftree.learning.growth import Plan
from thriftree.learning.holdout import folds
from thriftree.learning.limits import Limits, Step
from thriftree.learning.pruning import node_errors
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.methods.optimal.finish import finished
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.path import QuickPath, penalties_to_try
from thriftree.methods.optimal.problem import Problem
from thriftree.tuning.loop import Outcome, TuningLoop

#: Of the time that is left; the rest is for the search with the penalty that was chosen.
SHARE_TO_CHOOSE: Final = 0.5
#: What is taken where no fold could be measured: there was no time, or there are too few rows. A share of the
#: weight; of a number's variance.
UNMEASURED: Final = 0.01


@dataclass(frozen=True)
class ChosenPenalty:
    """The penalty that was chosen, what was measured, and the limit that left out folds, if one did."""

    leaf_penalty: float
    results: dict[str, Floats] | None = None
    stopped_by: str | None = None
    trees: tuple[Outline, ...] = ()  # of all rows, for this penalty and others, to begin a search with


def cross_validated_penalty(
    rows: Sample,
    plan: Plan,
    problem_of: Callable[[Sample], Problem],
    prices: TestCosts | None,
    cv: Any,
    random_state: Any,
    limits: Limits,
    step: Step,
) -> ChosenPenalty:
    """The penalty of least mean loss on the folds, the largest of equals. It is chosen within a share of the
    time that is left.
    """
    with limits.within(SHARE_TO_CHOOSE):
        return _chosen(rows, plan, problem_of, prices, cv, random_state, limits, step)


def _chosen(
    rows: Sample,
    plan: Plan,
    problem_of: Callable[[Sample], Problem],
    prices: TestCosts | None,
    cv: Any,
    random_state: Any,
    limits: Limits,
    step: Step,
) -> ChosenPenalty:
    trees: list[Outline] = []
    unmeasured = UNMEASURED if plan.n_classes else UNMEASURED * _variance(rows)
    loop = TuningLoop(limits, part_step=step)
    tried: list[Floats] = loop.each(
        [rows], lambda given: _tried(problem_of(given), plan, prices, limits, trees, unmeasured)
    )
    penalties = tried[0]

    def measured(part: tuple[Sample, Sample], plan: Plan) -> Outcome[tuple[Floats, Floats]]:
        training, held_out = part[0].for_many_trees(), part[1]
        try:
            path = QuickPath(problem_of(training), plan, prices, limits)
            trees = path.trees(penalties.tolist())
        except (TimeoutError, MemoryError) as error:
            return (np.full(len(penalties), np.nan),) * 2, limits.reached(error)
        losses = _losses(trees, training, held_out, plan)
        return (losses, np.array([float(tree.n_leaves) for tree in trees])), limits.stopped_by

    parts = folds(rows, plan, cv, check_random_state(random_state))
    found = [of_part[0] for of_part in loop.by_part(parts, [plan], measured)] if len(penalties) > 1 else []
    if not found:
        chosen = float(penalties[0]) if len(penalties) == 1 and loop.stopped_by is None else unmeasured
        return ChosenPenalty(chosen, None, loop.stopped_by, tuple(trees))
    losses = np.array([of_fold for of_fold, _ in found])
    mean = losses.mean(axis=0)
    best = int(np.flatnonzero(mean <= mean.min() * (1 + 1e-12))[-1])
    results = {
        "leaf_penalty": penalties,
        "mean_loss": mean,
        "standard_error": losses.std(axis=0) / np.sqrt(max(1, len(losses) - 1)),
        "mean_leaves": np.mean([leaves for _, leaves in found], axis=0),
    }
    return ChosenPenalty(float(penalties[best]), results, loop.stopped_by, tuple(trees))


def _tried(
    problem: Problem,
    plan: Plan,
    prices: TestCosts | None,
    limits: Limits,
    trees: list[Outline],
    unmeasured: float,
) -> Outcome[Floats]:
    try:
        return penalties_to_try(problem, plan, prices, limits, trees), limits.stopped_by
    except (TimeoutError, MemoryError) as error:
        return np.array([unmeasured]), limits.reached(error)


def _variance(rows: Sample) -> float:
    mean = np.average(rows.y, weights=rows.weights)
    return float(np.average((rows.y - mean) ** 2, weights=rows.weights))


def _losses(trees: list[Outline], training: Sample, held_out: Sample, plan: Plan) -> Floats:
    """By tree, the share of the held-out weight that it gets wrong, the mean cost of its mistakes, or its
    squared error.
    """
    factor = 1.0 if plan.class_weight is None else plan.class_weight[held_out.y]
    total, known = float((held_out.weights * factor).sum()), dict[Outline, float]()
    for tree in trees:
        if tree not in known:
            grown = finished(training, plan, tree)
            errors = node_errors(grown, held_out, plan)
            known[tree] = float(errors[grown.core.column < 0].sum()) / total
    return np.array([known[tree] for tree in trees])
