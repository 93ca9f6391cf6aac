"""From where a soft tree starts to where its loss is least; with prices in steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.costs import TestCosts
from thriftree.learning.limits import INTERRUPT, Limits
from thriftree.methods.soft.design import Floats
from thriftree.methods.soft.pricing import BOUGHT_ABOVE, bought, in_objective
from thriftree.methods.soft.soft_tree import SoftTree

MEGABYTE: Final = 2**20
#: The thresholds τ of a priced descent, one after the other. A wide one has slopes at large weights, so that
#: gates can give up what the start bought; the last is that of `expected_cost`.
THRESHOLDS: Final = (1.0, 0.3, BOUGHT_ABOVE)


@dataclass(frozen=True)
class DescentSettings:
    """What a descent makes small, and when it ends."""

    l2: float  # of the gates' weights
    output_l2: float  # of what constant leaves hold, and of the offsets of linear ones
    leaf_l2: float  # of the weights of linear leaves
    shares: Floats  # per parameter, of its penalty
    max_iter: int
    tol: float
    costs: TestCosts | None = None
    price_weight: float = 0.0


@dataclass(frozen=True, eq=False)
class DescentRows:
    """What it is made small on."""

    terms: _core.SoftRows
    target: Mapping[str, Any]  # labels or numbers, by the name of the core's parameter
    weights: Floats  # in the loss
    payers: Floats  # in the price: without class weights


@dataclass(frozen=True, eq=False)
class Descended:
    """Where a descent has come to."""

    tree: SoftTree
    losses: Floats  # of its last step, at the start and after every iteration: never rising
    n_iter: int
    ended_by: str  # "converged", "max_iter", "time_limit" or "interrupt"


def descend(
    tree: SoftTree, rows: DescentRows, settings: DescentSettings, limits: Limits, n_bytes: int = 0
) -> Descended:
    """L-BFGS from this tree. Ctrl-C is noted in the limits. `n_bytes` of the memory limit are taken.

    With prices the descent has a step for each threshold; then gates and leaves forget the columns that they
    do not buy, and last steps learn the rest.
    """
    memory_mb = limits.memory_limit_mb
    if memory_mb is not None:
        memory_mb = max(memory_mb - n_bytes / MEGABYTE, 1 / MEGABYTE)

    def step(start: SoftTree, frozen: list[bool] | None, prices: _core.SoftPrices | None) -> Descended:
        found = _core.soft_descend(
            start.shape(),
            rows.terms,
            start.parameters,
            weights=rows.weights,
            sharpness=start.sharpness,
            l2=settings.l2,
            output_l2=settings.output_l2,
            leaf_l2=settings.leaf_l2,
            shares=settings.shares,
            max_iter=settings.max_iter,
            tol=settings.tol,
            n_threads=limits.n_threads,
            limits=_core.Limits(
                time_limit_s=limits.seconds_left, memory_limit_mb=memory_mb, keep_interrupted=True
            ),
            prices=prices,
            payers=rows.payers,
            frozen=frozen,
            **rows.target,
        )
        if found.ended_by == INTERRUPT:
            limits.note(KeyboardInterrupt())
        ended_by = INTERRUPT if limits.interrupt is not None else found.ended_by
        n_iter = max(0, len(found.losses) - 1)
        return Descended(start.with_parameters(found.parameters), found.losses, n_iter, ended_by)

    if settings.costs is None or not settings.price_weight or np.isinf(tree.sharpness):
        return step(tree, None, None)
    n_iter, done = 0, Descended(tree, np.empty(0), 0, "max_iter")
    for tau in THRESHOLDS:
        prices = in_objective(tree, settings.costs, settings.price_weight, tau)
        done = step(done.tree, None, prices)
        n_iter += done.n_iter
    while True:  # what is learned last may give up more; each time something stays 0 for good
        frozen = _not_bought(done.tree)
        if not done.tree.parameters[frozen].any():
            return replace(done, n_iter=n_iter)
        kept = done.tree.with_parameters(np.where(frozen, 0.0, done.tree.parameters))
        done = step(kept, frozen.tolist(), prices)
        n_iter += done.n_iter


def _not_bought(tree: SoftTree) -> NDArray[np.bool_]:
    """Which parameters weigh a column that their gate or leaf does not buy."""
    widths = tree.design.widths
    by_term = ~np.repeat(bought(tree), widths, axis=1)
    offset = np.zeros(1, np.bool_)
    parts: list[NDArray[np.bool_]] = []
    for gate, (first, count) in enumerate(zip(tree.first, tree.count, strict=True)):
        parts += [by_term[gate, first : first + count], offset]
    for leaf in range(tree.n_leaves):
        weights = by_term[tree.n_gates + leaf] if tree.linear else np.empty(0, np.bool_)
        parts += [weights, offset] * (1 if tree.classes is None else len(tree.classes))
    return np.concatenate(parts)
