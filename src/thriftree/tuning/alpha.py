"""The alpha of cost-complexity pruning, measured on folds (Breiman et al. 1984, section 3.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from thriftree.learning.growth import Grown, Plan, grow
from thriftree.learning.holdout import folds
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import FoundAlpha, node_errors, path, weakest_links
from thriftree.learning.prunings import Nested, gone_from
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.learning.tree_sizes import SIZES, Size, own_size, own_sizes
from thriftree.tuning.loop import Outcome, TuningLoop


class _Tried(NamedTuple):
    """The alphas that are tried for one size of a tree."""

    plan: Plan  # that prunes by this size
    alphas: Floats  # ascending, for the tree of all rows
    measured: Floats  # those that prune the trees of folds in their place

    @property
    def size(self) -> Size:
        return own_size(self.plan)


@dataclass(frozen=True)
class CrossValidatedAlpha:
    """The alpha of least cross-validated loss; for "cv_1se" the largest within one standard error of it.

    Tried are the geometric means of neighbours on the whole table's path, each of which stands for the tree
    between them, and the alpha that leaves the root alone. Where tests are chosen by prices, both sizes are
    tried, what a row is expected to pay and leaves: by price alone small leaves, which cost little and fit
    noise, would stay.
    """

    rule: str  # "cv" or "cv_1se"
    cv: Any
    random_state: Any

    def alpha(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> FoundAlpha:
        """The alpha; where a limit left out all folds it is 0."""
        both = plan.prices is not None and plan.pruned_by is None
        tried = [
            _tried(grown, replace(plan, pruned_by=size)) for size in (SIZES if both else [own_size(plan)])
        ]

        def losses(part: tuple[Sample, Sample], plan: Plan) -> Outcome[list[Floats]]:
            training, held_out = part
            of_fold = grow(training, plan, limits)
            lost = node_errors(of_fold, held_out, plan) / held_out.weights.sum()
            of_sizes = [_sequence(of_fold, one.plan).sums_over_leaves(lost, one.measured) for one in tried]
            return of_sizes, of_fold.stopped_by

        loop = TuningLoop(limits)
        parts = folds(rows, plan, self.cv, check_random_state(self.random_state))
        lost = [of_part[0] for of_part in loop.by_part(parts, [plan], losses)]
        if not lost:
            return FoundAlpha(0.0, own_size(plan), loop.stopped_by)
        chosen = self._chosen([np.array(of_size) for of_size in zip(*lost, strict=True)])
        found = [(one, float(one.alphas[i])) for one, i in zip(tried, chosen, strict=True) if i is not None]
        one, alpha = min(found, key=lambda each: _price(grown, *each)) if len(found) > 1 else found[0]
        return FoundAlpha(alpha, one.size, loop.stopped_by)

    def _chosen(self, losses: Sequence[Floats]) -> list[int | None]:
        """For each size (folds x alphas) the last alpha that is good enough; None: none is."""
        mean = [of_size.mean(axis=0) for of_size in losses]
        first = int(np.argmin([of_size.min() for of_size in mean]))
        bound = mean[first].min() * (1 + 1e-12)
        if self.rule == "cv_1se" and len(losses[first]) > 1:
            best = int(np.flatnonzero(mean[first] <= bound)[-1])
            bound += float(np.std(losses[first], axis=0, ddof=1)[best] / np.sqrt(len(losses[first])))
        good = [np.flatnonzero(of_size <= bound) for of_size in mean]
        return [int(of_size[-1]) if len(of_size) else None for of_size in good]


def _tried(grown: Grown, plan: Plan) -> _Tried:
    alphas = np.maximum(path(grown, plan).ccp_alphas, 0.0)
    tried = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    # The last leaves the root alone in every fold.
    return _Tried(plan, tried, np.append(tried[:-1], np.finfo(np.float64).max))


def _price(grown: Grown, tried: _Tried, alpha: float) -> float:
    """What a row is expected to pay for the tree that is pruned by an alpha of this size."""
    sequence = _sequence(grown, tried.plan)
    stays = (sequence.leaf_from > alpha) & (sequence.gone_from > alpha)
    return float(own_sizes(grown, replace(tried.plan, pruned_by="price"))[1][stays].sum())


def _sequence(grown: Grown, plan: Plan) -> Nested:
    """The trees of the weakest links: a node is a leaf from its own alpha on."""
    own = weakest_links(grown, plan)["collapse_alpha"]
    return Nested(grown, np.zeros(1), own, gone_from(grown.core, own))
