"""Pruning by name: each method grows what it needs and gives back a smaller tree.

To add one: write a function like those below and give it a line in METHODS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_random_state

from thriftree import _core
from thriftree.learning.growth import Grown, Plan, grow, grow_path, growth_weight, leaves
from thriftree.learning.holdout import folds, validation_part
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.table.inputs import rows_of_inputs

_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Pruning:
    """What a family asks of its pruning; a method reads the parameters it knows."""

    method: str | None = None
    alpha: float | str = 0.0
    cv: Any = 5
    confidence: float = 0.25
    raising: bool = True
    min_gain: float = 0.0
    validation_fraction: float = 0.2
    random_state: Any = None

    @classmethod
    def asked_of(cls, model: Any) -> Pruning:
        """What the parameters of an estimator ask for, where it has all the parameters of CART."""
        parameters = ("alpha", "cv", "min_gain", "validation_fraction", "random_state")
        return cls(method=model.pruning, **{parameter: getattr(model, parameter) for parameter in parameters})


def grow_and_prune(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    """The finished tree of these rows."""
    return METHODS[how.method](rows, plan, limits, how)


def grow_and_prune_path(
    rows: Sample, plan: Plan, limits: Limits, how: Pruning, trade_offs: Sequence[float]
) -> list[Grown]:
    """The finished tree of each trade-off."""
    if how.method is None:
        return grow_path(rows, plan, limits, trade_offs)
    return [grow_and_prune(rows, replace(plan, trade_off=value), limits, how) for value in trade_offs]


def path(core: _core.Tree, plan: Plan) -> Bunch:
    """Alphas and leaf impurities of the weakest-link sequence, from the whole tree (alpha 0) to its root."""
    links = _core.cost_complexity_path(core, node_cost(core, plan))
    alphas = np.concatenate([[0.0], links["alpha"]])
    last = last_of_equals(alphas)
    return Bunch(ccp_alphas=alphas[last], impurities=links["cost"][last])


def last_of_equals(alphas: Floats) -> NDArray[np.bool_]:
    """Which of these ascending alphas are the last of those that are equal but for rounding: links of one
    strength go together, in whatever unit the weights are.
    """
    return np.append(np.diff(alphas) > 1e-12 * alphas[1:], True)


def node_cost(core: _core.Tree, plan: Plan) -> Floats:
    """R(t): the node's impurity, times its share of the weight of the whole tree."""
    weight = growth_weight(core, plan)
    return np.asarray(core.impurity * (weight / weight[0]) * plan.start.growth_share, dtype=np.float64)


def reaching(alpha: float, plan: Plan) -> float:
    """The alpha that cuts the links of strength `alpha`. In a part of a tree their strengths are computed
    from its own figures, so that they may differ by rounding from those in the whole.
    """
    return alpha * (1 + _ROUNDING) if plan.is_of_part else alpha


def _unpruned(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    return grow(rows, plan, limits)


def _cost_complexity(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    grown = grow(rows, plan, limits)
    stopped_by = grown.stopped_by
    if isinstance(how.alpha, str):
        alpha, stopped_early = _cross_validated_alpha(rows, plan, limits, how, grown.core)
        stopped_by = stopped_by or stopped_early
    else:
        alpha = reaching(float(how.alpha), plan)
    core = _core.prune_cost_complexity(grown.core, node_cost(grown.core, plan), alpha)
    return replace(grown, core=core, stopped_by=stopped_by, alpha=alpha)


def _reduced_error(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    training, validation = validation_part(rows, plan, how.validation_fraction, how.random_state)
    grown = grow(training, plan, limits)
    if len(validation) == 0:
        return grown
    return replace(grown, core=_core.prune_reduced_error(grown.core, node_errors(grown, validation, plan)))


def _validation_gain(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    training, validation = validation_part(rows, plan, how.validation_fraction, how.random_state)
    grown = grow(training, plan, limits)
    if len(validation) == 0:
        return grown
    share = plan.start.impurity_share  # gains are measured by the impurity of the whole tree's root
    min_gain = (how.min_gain / share if share > 0 else how.min_gain) * float(grown.core.impurity[0])
    figures = _node_figures(grown, validation, plan)
    return replace(grown, core=_core.prune_small_gain(grown.core, figures, plan.impurity_name, min_gain))


def _error_based(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    """Quinlan's C4.5, release 8: undo tests that leave the training error as it was, then prune by confidence
    limits.
    """
    grown = grow(rows, plan, limits)
    core = _core.prune_reduced_error(grown.core, node_errors(grown, rows, plan))
    collapsed = replace(grown, core=core)
    leaf = leaves(collapsed, rows, limits.n_threads)
    if not how.raising:
        cases = _core.node_class_weights(core, leaf, rows.y, rows.weights)
        return replace(grown, core=_core.prune_error_based(core, cases, how.confidence))

    inputs = rows.codes.inputs(grown.columns)

    def route(branch: _core.Tree, positions: NDArray[np.int32]) -> NDArray[np.int32]:
        return branch.apply(rows_of_inputs(inputs, positions), limits.n_threads)

    pruned = _core.prune_error_based_raising(
        core,
        leaf,
        rows.y,
        rows.weights,
        route,
        confidence=how.confidence,
        impurity=plan.impurity_name,
        class_weight=plan.class_weight,
        error_costs=plan.error_costs,
    )
    return replace(grown, core=pruned)


METHODS: Final[Mapping[str | None, Callable[[Sample, Plan, Limits, Pruning], Grown]]] = {
    None: _unpruned,
    "cost_complexity": _cost_complexity,
    "reduced_error": _reduced_error,
    "validation_gain": _validation_gain,
    "error_based": _error_based,
}


def node_errors(grown: Grown, rows: Sample, plan: Plan) -> Floats:
    """What each node would lose on these rows as a leaf: wrong weight, cost of mistakes, or squared error."""
    figures = _node_figures(grown, rows, plan)
    if not plan.n_classes:
        return _core.node_squared_errors(grown.core, figures)
    return _core.node_class_errors(grown.core, figures, plan.error_costs)


def _node_figures(grown: Grown, rows: Sample, plan: Plan) -> Floats:
    """Class weights, or moments of the target, that these rows bring to each node."""
    leaf = leaves(grown, rows, 1)
    if not plan.n_classes:
        return _core.node_moments(grown.core, leaf, rows.y, rows.weights)
    weight = rows.weights if plan.class_weight is None else rows.weights * plan.class_weight[rows.y]
    return _core.node_class_weights(grown.core, leaf, rows.y, weight)


def _cross_validated_alpha(
    rows: Sample, plan: Plan, limits: Limits, how: Pruning, core: _core.Tree
) -> tuple[float, str | None]:
    """The alpha of least cross-validated loss; for "cv_1se" the largest within one standard error of it. And
    the limit that left out folds, if one did: only folds grown to their end are counted.

    Tried are the geometric means of neighbours on the whole table's path, each of which stands for the tree
    between them (Breiman et al. 1984, section 3.4.2), and the alpha that leaves the root alone.
    """
    alphas = np.maximum(path(core, plan).ccp_alphas, 0.0)
    tried = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    measured = np.append(tried[:-1], np.finfo(np.float64).max)  # the last leaves the root alone in every fold
    losses = []
    stopped_by = None
    for training, held_out in folds(rows, plan, how.cv, check_random_state(how.random_state)):
        if limits.seconds_left == 0:
            stopped_by = "time_limit"
            break
        grown = grow(training, plan, limits)
        if grown.stopped_by is not None:
            stopped_by = grown.stopped_by
            break
        total = _losses_by_alpha(grown.core, plan, node_errors(grown, held_out, plan), measured)
        losses.append(total / held_out.weights.sum())
    if not losses:
        return 0.0, stopped_by
    mean = np.mean(losses, axis=0)
    bound = mean.min() * (1 + 1e-12)
    if how.alpha == "cv_1se" and len(losses) > 1:
        best = int(np.flatnonzero(mean <= bound)[-1])
        bound += float(np.std(losses, axis=0, ddof=1)[best] / np.sqrt(len(losses)))
    return float(tried[np.flatnonzero(mean <= bound)[-1]]), stopped_by


def _losses_by_alpha(core: _core.Tree, plan: Plan, node_error: Floats, alphas: Floats) -> Floats:
    """Loss of the tree pruned at each alpha. A node is a leaf from its own alpha up to the least of its
    ancestors'.
    """
    own = _core.cost_complexity_path(core, node_cost(core, plan))["collapse_alpha"]
    gone = np.full(core.n_nodes, np.inf)
    depths = core.depths
    for depth in range(1, int(depths.max()) + 1):
        nodes = np.flatnonzero(depths == depth)
        above = core.parent[nodes]
        gone[nodes] = np.minimum(gone[above], own[above])
    appears = np.searchsorted(alphas, own, side="left")
    vanishes = np.maximum(np.searchsorted(alphas, gone, side="left"), appears)
    change = np.bincount(appears, weights=node_error, minlength=len(alphas) + 1)
    change -= np.bincount(vanishes, weights=node_error, minlength=len(alphas) + 1)
    return np.asarray(np.cumsum(change)[:-1], dtype=np.float64)
