"""Size and penalty of a tree with linear leaves, measured on folds with the models in place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from sklearn.utils import check_random_state

from thriftree import _core
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.holdout import folds
from thriftree.learning.leaf_models import LeafReading, models_of_leaves, node_losses
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import last_of_equals, reaching
from thriftree.learning.prunings import Nested, gone_from
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.tuning.loop import Outcome, TuningLoop

#: Penalties of the slopes that folds choose among: each counts as so many rows of slope 0, in units of the
#: columns' standard deviations in the leaf.
PENALTIES: Final = (0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class LinearLeaves:
    """How a family chooses the leaves' penalty and the tree's size.

    `alpha` and `penalty` are stated, or None: then folds choose them, alpha by `rule` as in cost-complexity
    pruning, where the error of a node is that of its model.
    """

    reading: LeafReading
    cv: Any
    random_state: Any
    rule: str = "cv"
    alpha: float | None = None
    penalty: float | None = None


@dataclass(frozen=True)
class _Tried:
    """One penalty, with the alphas that are tried with it."""

    number: int  # of the penalty
    kept: Floats  # ascending; each stands for one of the nested trees of all rows
    measured: Floats  # the same for other rows: the last leaves the root alone


def with_linear_leaves(grown: Grown, rows: Sample, plan: Plan, limits: Limits, how: LinearLeaves) -> Grown:
    """The unpruned tree of these rows, pruned to the size that is best with models in its leaves, and these.
    Where there is no time to look for it, the tree is as it was.
    """
    penalties = PENALTIES if how.penalty is None else (how.penalty,)
    try:
        limits.look()
        costs = _node_costs(grown, rows, plan, limits, how, penalties)
    except (TimeoutError, MemoryError) as error:
        return replace(grown, stopped_by=grown.stopped_by or limits.reached(error))
    number, alpha, stopped_by = 0, how.alpha, None
    if how.alpha is None or how.penalty is None:
        number, alpha, stopped_by = _chosen(costs, grown, rows, plan, limits, how, penalties)
    assert alpha is not None
    core = _core.prune_cost_complexity(grown.core, costs[number], reaching(alpha, costs[number], plan))
    pruned = replace(grown, core=core, stopped_by=grown.stopped_by or stopped_by, alpha=alpha)
    penalty = penalties[number]
    return replace(pruned, penalty=penalty, models=models_of_leaves(pruned, rows, how.reading, penalty))


def sequence(core: _core.Tree, costs: Floats) -> Floats:
    """Per node: the alpha from which on it is a leaf."""
    return _core.cost_complexity_path(core, costs)["collapse_alpha"]


def _node_costs(
    grown: Grown,
    rows: Sample,
    plan: Plan,
    limits: Limits,
    how: LinearLeaves,
    penalties: tuple[float, ...],
) -> Floats:
    """Penalties x nodes: R(t) with a model, as a share of the weight of the whole tree."""
    losses = node_losses(grown, rows, None, how.reading, penalties, limits)
    return np.asarray(losses.training / rows.weights.sum() * plan.start.growth_share, dtype=np.float64)


def _chosen(
    costs: Floats,
    grown: Grown,
    rows: Sample,
    plan: Plan,
    limits: Limits,
    how: LinearLeaves,
    penalties: tuple[float, ...],
) -> tuple[int, float, str | None]:
    """The penalty's number and alpha of least cross-validated loss, and the limit that left out folds."""
    tried = [_tried(number, grown.core, costs[number], how.alpha) for number in range(len(penalties))]

    def losses(part: tuple[Sample, Sample], plan: Plan) -> Outcome[Floats]:
        from thriftree.learning.growth import grow

        training, held_out = part
        of_fold = grow(training, plan, limits)
        try:
            found = node_losses(of_fold, training, held_out, how.reading, penalties, limits)
        except (TimeoutError, MemoryError) as error:
            return np.zeros(0), limits.reached(error)
        own = found.training / training.weights.sum() * plan.start.growth_share
        lost = []
        for one in tried:
            leaf_from = sequence(of_fold.core, own[one.number])
            nested = Nested(of_fold, np.zeros(1), leaf_from, gone_from(of_fold.core, leaf_from))
            lost.append(nested.sums_over_leaves(found.held[one.number], one.measured))
        return np.concatenate(lost) / held_out.weights.sum(), of_fold.stopped_by

    loop = TuningLoop(limits)
    parts = folds(rows, plan, how.cv, check_random_state(how.random_state))
    lost = [of_part[0] for of_part in loop.by_part(parts, [plan], losses)]
    if not lost:
        number = len(penalties) // 2
        return number, 0.0 if how.alpha is None else how.alpha, loop.stopped_by
    number, alpha = _least(lost, tried, how.rule)
    return number, alpha, loop.stopped_by


def _tried(number: int, core: _core.Tree, costs: Floats, stated: float | None) -> _Tried:
    if stated is not None:
        return _Tried(number, np.array([stated]), np.array([stated]))
    links = _core.cost_complexity_path(core, costs)
    alphas = np.maximum(np.append(0.0, links["alpha"]), 0.0)
    alphas = alphas[last_of_equals(alphas)]
    kept = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    return _Tried(number, kept, np.append(kept[:-1], np.finfo(np.float64).max))


def _least(lost: list[Floats], tried: list[_Tried], rule: str) -> tuple[int, float]:
    """Of equals the largest penalty and alpha; by "cv_1se" the largest alpha of the best penalty within one
    standard error of the least loss.
    """
    mean = np.mean(lost, axis=0)
    number = np.concatenate([np.full(len(one.kept), one.number) for one in tried])
    alpha = np.concatenate([one.kept for one in tried])
    bound = mean.min() * (1 + 1e-12)
    best = int(np.flatnonzero(mean <= bound)[-1])
    if rule == "cv_1se" and len(lost) > 1:
        bound += float(np.std(lost, axis=0, ddof=1)[best] / np.sqrt(len(lost)))
        best = int(np.flatnonzero((mean <= bound) & (number == number[best]))[-1])
    return int(number[best]), float(alpha[best])
