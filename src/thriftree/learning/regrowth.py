"""Growing a tree anew below one of its nodes, with the settings of the estimator that grew it.

The rows that reach the node are a sample of their own, grown by the one loop, which is told where it starts
(`Start`): depth, leaves, shares of the weight, alpha, prices and the budget are about the whole tree.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import PathState, TestCosts, as_costs
from thriftree.costs.paid import paid_at
from thriftree.document.leaf_models import asked_above
from thriftree.editing.splice import spliced
from thriftree.learning.allowance import Budget, bound_costs
from thriftree.learning.budget import grow_within
from thriftree.learning.forced_test import Wanted, as_stated, forced
from thriftree.learning.growth import Grown, Plan, Start, bins_of, leaves
from thriftree.learning.leaf_models import LeafReading, models_of_leaves, node_losses
from thriftree.learning.leaf_shares import shared_leaves
from thriftree.learning.limits import Limits
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import grow_and_prune, node_cost, reaching
from thriftree.learning.prunings import Prunings, prunings
from thriftree.learning.sample import Sample
from thriftree.learning.tree_sizes import Size
from thriftree.preorder import subtree_ends
from thriftree.tree import Tree


@dataclass(frozen=True)
class Learner:
    """How parts of a fitted estimator's tree are grown."""

    model: Any  # a BaseTree with the parameters to grow by, those that fit found out among them
    plan: Plan  # its plan for all rows
    fitted: Any  # the estimator whose tree it is
    found: bool = True  # whether `model` has what fit found out, and not parameters that were given since
    budget: float | None = None  # of the whole tree
    grown_within: float | None = None  # the budget that its trees are grown within, at most `budget`
    pruned_by: Size | None = None  # None: the model prunes as it does in fit
    alpha: float = 0.0  # for `pruned_by`
    labels_only: bool = False  # for `pruned_by`: whether tests that change no label are left out
    linear: tuple[LeafReading, float] | None = None  # for `pruned_by`: what linear leaves read; penalty
    max_expected: float | None = None  # for `pruned_by`: what rows may pay for the whole tree on average

    @property
    def costs(self) -> TestCosts | None:
        """The prices that paths pay."""
        return None if self.fitted.costs is None else as_costs(self.fitted.costs)


@dataclass(frozen=True)
class Site:
    """A place in the tree: the rows there, and what the rest of the tree has used up."""

    rows: NDArray[np.intp]
    depth: int
    other_leaves: int
    state: PathState
    paid: float
    impurity: float  # of the node, as a share of the root's
    asked: frozenset[int]  # columns that the path asks for


@dataclass(frozen=True)
class Regrown:
    """The new part, and the limit that ended its growth. It can be pruned further than the learner asks."""

    alphas: tuple[float, ...]  # ascending: the learner's own, and those at which the part gets smaller
    document_at: Callable[[float], dict[str, Any]]  # pruned by an alpha: its JSON form, with its own columns
    stopped_by: str | None


def site_of(learner: Learner, node: int, rows: Sample) -> Site:
    """The place of a node."""
    tree = learner.fitted.tree_
    core = tree.core
    end = subtree_ends(core.parent.tolist())[node]
    leaf = tree.apply(rows.codes)
    at = np.flatnonzero((leaf >= node) & (leaf < end))
    if not len(at):
        raise ValueError(f"no row of X reaches node {node}: give the rows of fit, or others that reach it")
    is_leaf = core.column < 0
    rest = tree if is_leaf[node] else tree.collapse(node)
    paid = paid_at(rest.core, node, bound_costs(learner.costs, tree.columns))
    impurity = float(core.impurity[node] / core.impurity[0]) if core.impurity[0] > 0 else 1.0
    asked = frozenset(asked_above(node, core.parent, core.column))
    return Site(at, int(core.depths[node]), rest.n_leaves - 1, paid.state, paid.amount, impurity, asked)


def regrown(learner: Learner, rows: Sample, site: Site, limits: Limits, wanted: Wanted | None) -> Regrown:
    """The part of the tree at a place, with the test that is wanted there, if one is."""
    model, part = _of_part(learner), rows.take(site.rows)
    plan = _plan(learner, model, part, rows, site, limits)
    if wanted is None:
        return _regrown_freely(learner, model, part, plan, limits)
    learner = replace(learner, grown_within=learner.budget)  # a test of the user's may need all of it
    _check_room(learner, model, site, wanted)
    stump = forced(part, plan, limits, wanted)
    _check_leaves(learner, site, wanted, stump.core.n_leaves)
    document = _document(learner, stump)
    root = document["nodes"][0]
    children = root["children"]
    columns, known = document["columns"], learner.fitted.tree_.columns[wanted.column].categories
    root["test"], columns[wanted.column] = as_stated(root["test"], wanted, columns[wanted.column], known)
    sites = _branches(learner, rows, site, stump, wanted)
    if getattr(model, "max_leaves", None) is not None:
        sites = _sharing_leaves(learner, rows, sites, limits, model.max_leaves)
    branches = [regrown(learner, rows, one, limits, None) for one in reversed(sites)]

    def document_at(alpha: float) -> dict[str, Any]:
        whole = document
        for child, branch in zip(reversed(children), branches, strict=True):
            whole = spliced(whole, child, branch.document_at(alpha))
        return whole

    alphas = sorted({alpha for branch in branches for alpha in branch.alphas})
    stopped_by = next((one.stopped_by for one in branches if one.stopped_by is not None), None)
    return Regrown(tuple(alphas), document_at, stopped_by)


def grown_of_other_rows(learner: Learner, part: Sample, limits: Limits) -> Grown:
    """The whole tree of other rows than those of fit, such as a fold's, with what fit found out."""
    model = copy(learner.model)
    plan, _ = model._settled(part, model._plan(part), limits, Steps())
    if learner.found:
        plan = model._as_fit_settled(plan, learner.fitted)
    return _grown(learner, model, part, plan, limits)


def _of_part(learner: Learner) -> Any:
    """A model for one part, since it keeps what it settles; the weights of classes are those of all rows."""
    model = copy(learner.model)
    if learner.plan.class_weight is not None:
        factors = learner.plan.class_weight.tolist()
        model.class_weight = dict(zip(model.classes_.tolist(), factors, strict=True))
    return model


def _start(learner: Learner, rows: Sample, site: Site) -> Start:
    """Where the part begins, in figures of the whole tree."""
    weight = grown = rows.weights
    for factor in (learner.plan.class_weight, learner.plan.priors):
        grown = grown if factor is None else grown * factor[rows.y]
    return Start(
        depth=site.depth,
        other_leaves=site.other_leaves,
        sample_share=float(weight[site.rows].sum() / weight.sum()),
        growth_share=float(grown[site.rows].sum() / grown.sum()),
        impurity_share=site.impurity,
        bought=site.state,
        paid=site.paid,
        asked=site.asked,
    )


def _plan(learner: Learner, model: Any, part: Sample, rows: Sample, site: Site, limits: Limits) -> Plan:
    """The plan of a part. What scores know of the target, they know of all rows."""
    plan: Plan = replace(
        model._plan(part),
        scoring=learner.plan.scoring,
        rules=learner.plan.rules,
        start=_start(learner, rows, site),
    )
    if isinstance(plan.target_bins, int):
        bins = bins_of(rows, plan.target_bins)
        last = np.full(int(bins.max()) + 1, -np.inf)
        np.maximum.at(last, bins, rows.y)
        plan = replace(plan, target_bins=last)
    plan, _ = model._settled(part, plan, limits, Steps())
    if learner.found:
        plan = model._as_fit_settled(plan, learner.fitted)
    return plan


def _regrown_freely(learner: Learner, model: Any, part: Sample, plan: Plan, limits: Limits) -> Regrown:
    """The part of these rows with the tests that the learner finds best."""
    if learner.pruned_by is None:
        grown: Grown = model._grow_below(part, plan, limits)
        return Regrown((0.0,), lambda _: _document(learner, grown), grown.stopped_by)
    sequence = _sequence(learner, model, part, plan, limits)
    alphas, own = sequence.prunings.alphas, sequence.alpha

    def document_at(alpha: float) -> dict[str, Any]:
        return _document(learner, sequence.tree_at(max(alpha, own)))

    return Regrown((own, *alphas[alphas > own].tolist()), document_at, sequence.prunings.grown.stopped_by)


def _grown(learner: Learner, model: Any, part: Sample, plan: Plan, limits: Limits) -> Grown:
    if learner.pruned_by is None:
        grown: Grown = model._grow_below(part, plan, limits)
        return grown
    sequence = _sequence(learner, model, part, plan, limits)
    return sequence.tree_at(sequence.alpha)


class _Sequence(NamedTuple):
    """The prunings of a part by the size that the learner minds."""

    prunings: Prunings
    alpha: float  # the learner's own
    linear: tuple[Sample, LeafReading, float] | None = None  # of linear leaves: rows, reading, penalty

    def tree_at(self, alpha: float) -> Grown:
        tree = self.prunings.tree_at(alpha)
        if self.linear is None:
            return tree
        penalty = self.linear[-1]
        return replace(tree, models=models_of_leaves(tree, *self.linear), penalty=penalty)


def _sequence(learner: Learner, model: Any, part: Sample, plan: Plan, limits: Limits) -> _Sequence:
    assert learner.pruned_by is not None
    if learner.grown_within is None:
        grown = grow_and_prune(part, plan, limits, model._pruning())
    else:
        budget = Budget(learner.grown_within, learner.costs)
        grown = grow_within(budget, part, plan, limits, model._pruning())
    bound = None if learner.costs is None else plan.prices_of(learner.costs, grown.columns)
    cost, linear = None, None
    if learner.linear is not None:  # pruned with the models in place, as tuning does it
        reading, penalty = learner.linear
        reading = reading.below(plan.start.asked)
        try:
            lost = node_losses(grown, part, None, reading, (penalty,), limits)
            cost = lost.training[0] / part.weights.sum() * plan.start.growth_share
            linear = part, reading, penalty
        except (TimeoutError, MemoryError) as error:  # leaves are constant
            grown = replace(grown, stopped_by=grown.stopped_by or limits.reached(error))
    alpha = reaching(learner.alpha, node_cost(grown.core, plan) if cost is None else cost, plan)
    labels_only = learner.labels_only and linear is None
    found = prunings(grown, plan, learner.pruned_by, bound, labels_only=labels_only, cost=cost)
    return _Sequence(found, alpha, linear)


def _document(learner: Learner, grown: Grown) -> dict[str, Any]:
    return Tree(grown.core, grown.columns, learner.fitted.tree_.classes, leaf_models=grown.models).to_dict()


def _branches(learner: Learner, rows: Sample, site: Site, stump: Grown, wanted: Wanted) -> list[Site]:
    """The places of the branches of a test that was wanted at a place."""
    prices = bound_costs(learner.costs, learner.fitted.tree_.columns)
    paid = site.paid + prices.prices.marginal(site.state, wanted.column)
    leaf = leaves(stump, rows.take(site.rows), 1)
    root = float(stump.core.impurity[0])
    children = stump.core.children.tolist()
    return [
        Site(
            rows=site.rows[leaf == child],
            depth=site.depth + 1,
            other_leaves=site.other_leaves + len(children) - 1,
            state=prices.visit(site.state, wanted.column),
            paid=paid,
            impurity=site.impurity * float(stump.core.impurity[child]) / root if root > 0 else site.impurity,
            asked=site.asked | {wanted.column},
        )
        for child in children
    ]


def _sharing_leaves(
    learner: Learner, rows: Sample, sites: list[Site], limits: Limits, max_leaves: int
) -> list[Site]:
    """The places with as many leaves for each as it would have if all were grown together."""
    parts = [rows.take(site.rows) for site in sites]
    plans = [
        _plan(learner, _of_part(learner), part, rows, site, limits)
        for site, part in zip(sites, parts, strict=True)
    ]
    elsewhere = sites[0].other_leaves - (len(sites) - 1)  # where no branch is
    own = shared_leaves(parts, plans, limits, max_leaves - elsewhere)
    return [replace(site, other_leaves=max_leaves - n) for site, n in zip(sites, own, strict=True)]


def _check_room(learner: Learner, model: Any, site: Site, wanted: Wanted) -> None:
    """Refuses a test for which depth, leaves or budget leave no room."""
    place = f"node {wanted.node} cannot ask about {wanted.name!r}"
    example = f"refit_below({wanted.node}, X, y, feature={wanted.name!r}"
    most = getattr(model, "max_depth", None)
    if most is not None and site.depth >= most:
        raise ValueError(
            f"{place}: it lies at max_depth={most}; raise it, as in {example}, max_depth={most + 1})"
        )
    _check_leaves(learner, site, wanted, 2)
    budget = learner.budget if learner.pruned_by is not None else getattr(learner.model, "budget", None)
    prices = bound_costs(learner.costs, learner.fitted.tree_.columns)
    price = prices.prices.marginal(site.state, wanted.column)
    if budget is not None and not Budget(budget, None).admits(site.paid + price):
        raise ValueError(
            f"{place}: the path has paid {site.paid:g} and the test costs {price:g}, but budget={budget:g}; "
            f"raise it, as in {example}, budget={site.paid + price:g}), or force a cheaper column"
        )


def _check_leaves(learner: Learner, site: Site, wanted: Wanted, n_branches: int) -> None:
    """Refuses a test of so many branches if the whole tree would have too many leaves."""
    most = getattr(learner.model, "max_leaves", None)
    needed = site.other_leaves + n_branches
    if most is not None and needed > most:
        raise ValueError(
            f"node {wanted.node} cannot ask about {wanted.name!r}: with {n_branches} branches there the tree "
            f"has {needed} leaves, above max_leaves={most}; raise it, as in refit_below({wanted.node}, X, y, "
            f"feature={wanted.name!r}, max_leaves={needed}), or collapse another node first"
        )
