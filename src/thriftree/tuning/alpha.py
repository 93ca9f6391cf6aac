"""The alpha of cost-complexity pruning, measured on folds (Breiman et al. 1984, section 3.4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from thriftree import _core
from thriftree.learning.growth import Grown, Plan, grow
from thriftree.learning.holdout import folds
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import node_cost, node_errors, path
from thriftree.learning.prunings import Nested, gone_from
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.tuning.loop import Outcome, TuningLoop


@dataclass(frozen=True)
class CrossValidatedAlpha:
    """The alpha of least cross-validated loss; for "cv_1se" the largest within one standard error of it.

    Tried are the geometric means of neighbours on the whole table's path, each of which stands for the tree
    between them, and the alpha that leaves the root alone.
    """

    rule: str  # "cv" or "cv_1se"
    cv: Any
    random_state: Any

    def alpha(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> tuple[float, str | None]:
        """The alpha, and the limit that left out folds, if one did: 0 where it left out all."""
        alphas = np.maximum(path(grown.core, plan).ccp_alphas, 0.0)
        tried = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
        # The last leaves the root alone in every fold.
        measured = np.append(tried[:-1], np.finfo(np.float64).max)

        def losses(part: tuple[Sample, Sample], plan: Plan) -> Outcome[Floats]:
            training, held_out = part
            of_fold = grow(training, plan, limits)
            lost = _sequence(of_fold, plan).sums_over_leaves(node_errors(of_fold, held_out, plan), measured)
            return lost / held_out.weights.sum(), of_fold.stopped_by

        loop = TuningLoop(limits)
        parts = folds(rows, plan, self.cv, check_random_state(self.random_state))
        lost = [of_part[0] for of_part in loop.by_part(parts, [plan], losses)]
        return (float(tried[self._chosen(lost)]) if lost else 0.0), loop.stopped_by

    def _chosen(self, losses: list[Floats]) -> int:
        mean = np.mean(losses, axis=0)
        bound = mean.min() * (1 + 1e-12)
        if self.rule == "cv_1se" and len(losses) > 1:
            best = int(np.flatnonzero(mean <= bound)[-1])
            bound += float(np.std(losses, axis=0, ddof=1)[best] / np.sqrt(len(losses)))
        return int(np.flatnonzero(mean <= bound)[-1])


def _sequence(grown: Grown, plan: Plan) -> Nested:
    """The trees of the weakest links: a node is a leaf from its own alpha on."""
    own = _core.cost_complexity_path(grown.core, node_cost(grown.core, plan))["collapse_alpha"]
    return Nested(grown, np.zeros(1), own, gone_from(grown.core, own))
