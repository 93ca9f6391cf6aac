"""Pruning by name: each method gives back a smaller tree.

To add one: write a function like those below and give it a line in METHODS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from thriftree import _core
from thriftree.learning.growth import Grown, Plan, grow, grow_path, growth_weight, leaves
from thriftree.learning.holdout import validation_part
from thriftree.learning.limits import INTERRUPT, Limits
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats, Labels
from thriftree.learning.tree_sizes import Size, own_size, own_sizes
from thriftree.table.inputs import rows_of_inputs

_ROUNDING: Final = 1e-12


class FoundAlpha(NamedTuple):
    """An alpha to prune by, the size that it is for, and the limit that cut the deciding short."""

    alpha: float
    size: Size
    stopped_by: str | None


class AlphaRule(Protocol):
    """How the rows of a fit decide the alpha of cost-complexity pruning."""

    def alpha(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> FoundAlpha:
        """The alpha to prune the tree of these rows by."""


@dataclass(frozen=True)
class Pruning:
    """What a family asks of its pruning; a method reads the parameters it knows."""

    method: str | None = None
    alpha: float = 0.0
    alpha_rule: AlphaRule | None = None  # decides alpha, if there is one
    confidence: float = 0.25
    raising: bool = True
    min_gain: float = 0.0
    validation_fraction: float = 0.2
    random_state: Any = None


def grow_and_prune(rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    """The finished tree of these rows; the unpruned one where Ctrl-C ends the pruning."""
    pruned_on = rows
    if how.method in BY_VALIDATION:
        rows, pruned_on = validation_part(rows, plan, how.validation_fraction, how.random_state)
    grown = grow(rows, plan, limits)
    if how.method is None or not len(pruned_on):
        return grown
    prune = partial(METHODS[how.method], grown, pruned_on, plan, limits, how)
    return limits.attempt(prune, lambda: replace(grown, stopped_by=INTERRUPT))


def grow_and_prune_path(
    rows: Sample, plan: Plan, limits: Limits, how: Pruning, trade_offs: Sequence[float]
) -> list[Grown]:
    """The finished tree of each trade-off."""
    if how.method is None:
        return grow_path(rows, plan, limits, trade_offs)
    return [grow_and_prune(rows, replace(plan, trade_off=value), limits, how) for value in trade_offs]


def path(grown: Grown, plan: Plan) -> Bunch:
    """Alphas and leaf impurities of the weakest-link sequence, from the whole tree (alpha 0) to its root."""
    links = weakest_links(grown, plan)
    alphas = np.concatenate([[0.0], links["alpha"]])
    last = last_of_equals(alphas)
    return Bunch(ccp_alphas=alphas[last], impurities=links["cost"][last])


def weakest_links(grown: Grown, plan: Plan) -> dict[str, Any]:
    """Breiman's sequence of a tree by impurity and by the size that the plan minds: leaves, or prices."""
    return _core.weakest_link_path(grown.core, node_cost(grown.core, plan), *own_sizes(grown, plan))


def last_of_equals(alphas: Floats) -> NDArray[np.bool_]:
    """Which of these ascending alphas are the last of those that are equal but for rounding: links of one
    strength go together, in whatever unit the weights are.
    """
    return np.append(np.diff(alphas) > 1e-12 * alphas[1:], True)


def node_cost(core: _core.Tree, plan: Plan) -> Floats:
    """R(t): the node's impurity, times its share of the weight of the whole tree."""
    weight = growth_weight(core, plan)
    return np.asarray(core.impurity * (weight / weight[0]) * plan.start.growth_share, dtype=np.float64)


def reaching(alpha: float, cost: Floats, plan: Plan) -> float:
    """The alpha that cuts the links of strength `alpha` in a tree of these node costs. In a part of a tree
    strengths are computed from its own figures, so that they may differ by rounding from those in the whole.
    """
    return alpha + _ROUNDING * (alpha + float(cost[0])) if plan.is_of_part else alpha


def _cost_complexity(grown: Grown, rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    cost = node_cost(grown.core, plan)
    alpha, size, stopped_by = reaching(float(how.alpha), cost, plan), own_size(plan), None
    if how.alpha_rule is not None:
        alpha, size, stopped_by = how.alpha_rule.alpha(grown, rows, plan, limits)
    by_size = own_sizes(grown, replace(plan, pruned_by=size))
    core = _core.prune_weakest_link(grown.core, cost, *by_size, alpha)
    stopped_by = grown.stopped_by or stopped_by
    by = None if plan.prices is None else size
    return replace(grown, core=core, stopped_by=stopped_by, alpha=alpha, pruned_by=by)


def _reduced_error(grown: Grown, rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    return replace(grown, core=_core.prune_reduced_error(grown.core, node_errors(grown, rows, plan)))


def _validation_gain(grown: Grown, rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    share = plan.start.impurity_share  # gains are measured by the impurity of the whole tree's root
    min_gain = (how.min_gain / share if share > 0 else how.min_gain) * float(grown.core.impurity[0])
    figures = _node_figures(grown, rows, plan)
    return replace(grown, core=_core.prune_small_gain(grown.core, figures, plan.impurity_name, min_gain))


def _error_based(grown: Grown, rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    """Quinlan's C4.5, release 8: undo tests that leave the training error as it was, then prune by confidence
    limits. Where there is no time to raise branches, none is.
    """
    collapsed = _reduced_error(grown, rows, plan, limits, how)
    leaf = leaves(collapsed, rows, limits.n_threads)
    if how.raising:
        try:
            return replace(grown, core=_raised(collapsed, leaf, rows, plan, limits, how))
        except TimeoutError:
            collapsed = replace(collapsed, stopped_by=grown.stopped_by or limits.stopped_by)
    cases = _core.node_class_weights(collapsed.core, leaf, rows.y, rows.weights)
    return replace(collapsed, core=_core.prune_error_based(collapsed.core, cases, how.confidence))


def _raised(grown: Grown, leaf: Labels, rows: Sample, plan: Plan, limits: Limits, how: Pruning) -> _core.Tree:
    """Pruned, with branches raised to the place of their parents. Raises TimeoutError where time is up."""
    limits.look()
    inputs = rows.codes.inputs(grown.columns)

    def route(branch: _core.Tree, positions: NDArray[np.int32]) -> NDArray[np.int32]:
        limits.look()
        return branch.apply(rows_of_inputs(inputs, positions), limits.n_threads)

    return _core.prune_error_based_raising(
        grown.core,
        leaf,
        rows.y,
        rows.weights,
        route,
        confidence=how.confidence,
        impurity=plan.impurity_name,
        class_weight=plan.class_weight,
        error_costs=plan.error_costs,
    )


Prune: TypeAlias = Callable[[Grown, Sample, Plan, Limits, Pruning], Grown]

METHODS: Final[Mapping[str, Prune]] = {
    "cost_complexity": _cost_complexity,
    "reduced_error": _reduced_error,
    "validation_gain": _validation_gain,
    "error_based": _error_based,
}
BY_VALIDATION: Final = frozenset({"reduced_error", "validation_gain"})  # on rows that did not grow the tree


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
