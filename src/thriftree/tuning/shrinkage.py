"""The λ of hierarchical shrinkage, measured on folds: of each fold one tree is grown, and every λ read from
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from sklearn.utils import check_random_state

from thriftree import _core
from thriftree.document.shrinkage import UNMEASURED, Shrinkage, shown_numbers, shown_shares
from thriftree.learning.growth import Grown, Plan, leaves
from thriftree.learning.holdout import folds
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.tuning.loop import Outcome, TuningLoop

GRID: Final = (0.0, 0.1, 1.0, 10.0, 25.0, 50.0, 100.0)
_LEAST: Final = float(np.finfo(np.float64).eps)  # a probability below it counts as this much


def cross_validated_shrinkage(
    rows: Sample,
    plan: Plan,
    grow: Callable[[Sample], Grown],
    cv: Any,
    random_state: Any,
    smoothing: float,
    limits: Limits,
) -> tuple[float, str | None]:
    """The λ of least mean loss over the folds, the least of equals: of classes the log loss, each row with
    its sample weight × class weight, of numbers the squared error. And the limit that left out folds, if one
    did.
    """

    def losses(part: tuple[Sample, Sample], strengths: Sequence[float]) -> Outcome[Floats]:
        training, held_out = part
        try:
            grown = grow(training)
        except (TimeoutError, MemoryError) as error:
            return np.full(len(strengths), np.nan), limits.reached(error)
        return _losses(grown, held_out, plan, smoothing, strengths), grown.stopped_by

    loop = TuningLoop(limits)
    parts = folds(rows, plan, cv, check_random_state(random_state))
    lost = [of_part[0] for of_part in loop.by_part(parts, [GRID], losses)]
    if not lost:
        return UNMEASURED, loop.stopped_by
    mean = np.mean(lost, axis=0)
    return GRID[int(np.flatnonzero(mean <= mean.min() * (1 + 1e-12))[0])], loop.stopped_by


def _losses(
    grown: Grown, held_out: Sample, plan: Plan, smoothing: float, strengths: Sequence[float]
) -> Floats:
    core, leaf = grown.core, leaves(grown, held_out, 1)
    weight = held_out.weights
    if plan.n_classes:
        weight = weight if plan.class_weight is None else weight * plan.class_weight[held_out.y]
    found = []
    for strength in strengths:
        how = Shrinkage(strength, plan.error_costs is None) if strength else None
        if plan.n_classes:
            said = class_probabilities(core, smoothing, how)[leaf, held_out.y]
            loss = -np.log(np.maximum(said, _LEAST))
        else:
            loss = (held_out.y - predicted_numbers(core, how)[leaf]) ** 2
        found.append(float(np.average(loss, weights=weight)))
    return np.array(found)


def class_probabilities(core: _core.Tree, smoothing: float, how: Shrinkage | None) -> Floats:
    """By node the probability of each class."""
    return shown_shares(core.value, smoothing, how, core.weight, core.parent, core.label)


def predicted_numbers(core: _core.Tree, how: Shrinkage | None) -> Floats:
    """By node the number that it predicts."""
    return shown_numbers(core.value.reshape(-1, 2)[:, 0], how, core.weight, core.parent)
