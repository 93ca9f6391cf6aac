"""How good the prunings of a tree are on rows that did not grow it, and what those rows pay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.costs import BoundCosts, TreePrice, price
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.learning.prunings import Prunings
from thriftree.learning.sample import Sample
from thriftree.learning.targets import AnyArray, Floats
from thriftree.tuning.auc import macro_auc

Metric: TypeAlias = Literal["accuracy", "auc", "r2"]


@dataclass(frozen=True, eq=False)
class Held:
    """Rows that did not grow a tree, as that tree and all its prunings see them."""

    inputs: Any  # the columns, as the core takes them
    leaf: NDArray[np.int32]  # per row: the leaf of the whole tree that it reaches
    weights: Floats  # per row: sample weight
    y: AnyArray  # per row: class number, or target
    counted: Floats  # per row: what it weighs in a score, by its class as well
    figures: Floats  # per node: weight of each class; or weight, mean and mean squared deviation
    errors: Floats  # per node: what it would lose on these rows as a leaf
    mass: float  # what the errors are a part of: the sum of `counted`
    error_costs: Floats | None = None  # of mistakes: true class x predicted

    @classmethod
    def of(cls, core: _core.Tree, rows: Sample, inputs: Any, plan: Plan) -> Held:
        """With the class weights and the costs of mistakes that the plan grows by. `inputs` are the rows'
        columns as `prediction_inputs` gives them.
        """
        leaf = core.apply(inputs, 1)
        if not plan.n_classes:
            figures = _core.node_moments(core, leaf, rows.y, rows.weights)
            errors, counted = _core.node_squared_errors(core, figures), rows.weights
        else:
            factor = 1.0 if plan.class_weight is None else plan.class_weight[rows.y]
            counted = rows.weights * factor
            figures = _core.node_class_weights(core, leaf, rows.y, counted)
            errors = _core.node_class_errors(core, figures, plan.error_costs)
        mass, costs = float(counted.sum()), plan.error_costs if plan.n_classes else None
        return cls(inputs, leaf, rows.weights, rows.y, counted, figures, errors, mass, costs)

    @cached_property
    def weight_at(self) -> Floats:
        """Per node: the sample weight of the rows that end there, 0 where it is no leaf of the whole tree."""
        weight = np.bincount(self.leaf, self.weights, minlength=len(self.errors))
        return np.asarray(weight, dtype=np.float64)

    def losses_at(self, core: _core.Tree, node: NDArray[np.intp]) -> Floats:
        """What each row loses if it ends at this node; `errors` are their sums."""
        if self.y.dtype.kind == "f":
            lost = (self.y - core.value[node, 0]) ** 2
        elif self.error_costs is None:
            lost = core.label[node] != self.y
        else:
            lost = self.error_costs[self.y, core.label[node]]
        return np.asarray(lost * self.counted, dtype=np.float64)


def scores(
    tree: Prunings, held: Held, metric: Metric, alphas: Floats, variance: float, limits: Limits
) -> Floats:
    """The score of the tree pruned at each of the ascending `alphas`: the more the better, 1 at best. NaN for
    the least pruned ones if there was no time for them.

    "accuracy" is 1 minus the share of the weight that is classified wrongly or, where mistakes have costs,
    minus their mean cost. "r2" is 1 minus the mean squared error as a share of `variance`.
    """
    if metric == "auc":
        return _aucs(tree, held, alphas, limits)
    errors = held.errors if tree.linear is None else tree.linear.errors
    lost = tree.sums_over_leaves(errors, alphas) / held.mass
    if metric == "accuracy":
        return 1.0 - lost
    return 1.0 - lost / variance if variance > 0 else np.where(lost > 0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Priced:
    """What the prunings of a tree cost."""

    tree: Prunings
    costs: BoundCosts | None
    whole: TreePrice

    @classmethod
    def by(cls, tree: Prunings, costs: BoundCosts | None) -> Priced:
        """By the prices of the tree's columns; None: every test costs 1."""
        return cls(tree, costs, price(tree.grown.core, costs))

    def at(self, alpha: float, held: Held) -> tuple[float, float]:
        """Of the tree pruned at `alpha`: what a held row pays on average, and what a path costs at most."""
        leaves = self.tree.leaves_at(alpha)
        prices, in_tree = self.whole, leaves
        if self.costs is not None and self.costs.delayed.any():
            # What an order costs depends on what is below it. Otherwise a path pays what it paid before.
            prices = price(self.tree.tree_at(alpha).core, self.costs)
            in_tree = prices.leaves
        at_leaves = prices.accumulated[in_tree]
        if self.costs is None and self.tree.linear is not None:
            at_leaves = at_leaves + self.tree.linear.extra[leaves]
        worst = float(at_leaves.max())
        if self.costs is None or not self.costs.outcomes:
            # Nodes are in preorder: what ends below a leaf's place comes before the next leaf.
            return _mean_of_leaves(at_leaves, np.add.reduceat(held.weight_at, leaves)), worst
        place = np.searchsorted(leaves, held.leaf, side="right") - 1
        paid = prices.of_rows(in_tree[place], held.inputs)
        return float(np.average(paid, weights=held.weights)), worst


def _mean_of_leaves(prices: Floats, weights: Floats) -> float:
    """Equal prices are brought together first, in rising order: trees in which as many rows pay the same cost
    the same to the last digit, wherever their leaves are.
    """
    distinct, place = np.unique(prices, return_inverse=True)
    weight = np.bincount(place, weights)
    return float((distinct * weight).sum() / weight.sum())


def _aucs(tree: Prunings, held: Held, alphas: Floats, limits: Limits) -> Floats:
    """The smallest trees first, since they take the least time; the very smallest in any case."""
    found = np.full(len(alphas), np.nan)
    for i in reversed(range(len(alphas))):
        if i + 1 < len(alphas) and limits.seconds_left == 0:
            break
        found[i] = _auc(tree, held, float(alphas[i]))
    return found


def _auc(tree: Prunings, held: Held, alpha: float) -> float:
    """One class against the rest, averaged; 0.5 if no class has rows of both kinds."""
    nodes = tree.leaves_at(alpha)
    area = macro_auc(shares(tree, nodes), held.figures[nodes])
    return 0.5 if np.isnan(area) else area


def shares(tree: Prunings, nodes: NDArray[np.intp]) -> Floats:
    """Nodes x classes: the probabilities that rows are ranked by."""
    value = tree.grown.core.value[nodes]
    return np.asarray(value / value.sum(axis=1, keepdims=True), dtype=np.float64)
