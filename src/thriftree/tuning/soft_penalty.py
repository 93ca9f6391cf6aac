"""The penalty of a soft tree's weights, measured on folds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.utils import check_random_state

from thriftree.learning.growth import Plan
from thriftree.learning.holdout import folds
from thriftree.learning.limits import Limits, Step
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.tuning.loop import Outcome, TuningLoop

#: The first is the default: where a limit leaves time for few, it is among them.
GRID: Final = (1e-3, 1e-2, 1e-4, 1e-1, 1e-5)
SHARE_TO_CHOOSE: Final = 0.7  # of the time that is left; the rest is for the tree of all rows
_LEAST: Final = float(np.finfo(np.float64).eps)  # a probability below it counts as this much


@dataclass(frozen=True)
class ChosenL2:
    """The penalty that was chosen, what was measured, and the limit that left out folds, if one did."""

    l2: float
    results: dict[str, Floats] | None = None
    stopped_by: str | None = None


def cross_validated_l2(
    rows: Sample,
    plan: Plan,
    learn: Callable[[Sample, float], tuple[Callable[[Sample], Floats], str | None]],
    cv: Any,
    random_state: Any,
    limits: Limits,
    step: Step = nullcontext,
) -> ChosenL2:
    """The penalty of least mean loss over the folds, the largest of equals: of classes the log loss, each row
    with its sample weight × class weight, of numbers the squared error. `learn` gives what answers rows, and
    the limit that cut the learning short.
    """

    def measured(part: tuple[Sample, Sample], l2: float) -> Outcome[float]:
        try:
            answer, stopped_by = learn(part[0], l2)
            return _loss(answer(part[1]), part[1], plan), stopped_by
        except (TimeoutError, MemoryError) as error:
            return np.nan, limits.reached(error)

    loop = TuningLoop(limits, part_step=step)
    with limits.within(SHARE_TO_CHOOSE):
        parts = folds(rows, plan, cv, check_random_state(random_state))
        found = loop.by_part(parts, GRID, measured)
    if not found:
        return ChosenL2(GRID[0], None, loop.stopped_by)
    tried = np.array(GRID[: len(found[0])])
    order = np.argsort(tried)
    losses = np.array(found)[:, order]
    mean = losses.mean(axis=0)
    best = int(np.flatnonzero(mean <= mean.min() * (1 + 1e-12))[-1])
    results = {
        "l2": tried[order],
        "mean_loss": mean,
        "standard_error": losses.std(axis=0) / np.sqrt(max(1, len(losses) - 1)),
    }
    return ChosenL2(float(tried[order][best]), results, loop.stopped_by)


def _loss(answers: Floats, rows: Sample, plan: Plan) -> float:
    if not plan.n_classes:
        return float(np.average((rows.y - answers) ** 2, weights=rows.weights))
    said = answers[np.arange(len(rows)), rows.y]
    factor = 1.0 if plan.class_weight is None else plan.class_weight[rows.y]
    return float(np.average(-np.log(np.maximum(said, _LEAST)), weights=rows.weights * factor))
