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
    """Rows that did not grow a tree, as that tree and all its prunings see them. They are led down the tree
    when that is first asked for.
    """

    core: _core.Tree
    rows: Sample
    inputs: Any  # the columns, as the core takes them
    plan: Plan  # with the class weights and the costs of mistakes that count
    grew: bool = False  # whether they are those that grew it after all

    @property
    def y(self) -> AnyArray:
        """Per row: class number, or target."""
        return self.rows.y

    @cached_property
    def weights(self) -> Floats:
        """Per row: sample weight."""
        return self.rows.weights

    @cached_property
    def leaf(self) -> NDArray[np.int32]:
        """Per row: the leaf of the whole tree that it reaches."""
        return self.core.apply(self.inputs, 1)

    @cached_property
    def counted(self) -> Floats:
        """Per row: what it weighs in a score, by its class as well."""
        factors = self.plan.class_weight
        return self.weights if not self.plan.n_classes or factors is None else self.weights * factors[self.y]

    @cached_property
    def figures(self) -> Floats:
        """Per node: weight of each class; or weight, mean and mean squared deviation."""
        if not self.plan.n_classes:
            return _core.node_moments(self.core, self.leaf, self.y, self.weights)
        return _core.node_class_weights(self.core, self.leaf, self.y, self.counted)

    @cached_property
    def errors(self) -> Floats:
        """Per node: what it would lose on these rows as a leaf."""
        if not self.plan.n_classes:
            return _core.node_squared_errors(self.core, self.figures)
        return _core.node_class_errors(self.core, self.figures, self.error_costs)

    @cached_property
    def mass(self) -> float:
        """What the errors are a part of: the sum of `counted`."""
        return float(self.counted.sum())

    @property
    def error_costs(self) -> Floats | None:
        """Of mistakes: true class x predicted."""
        return self.plan.error_costs if self.plan.n_classes else None

    @cached_property
    def weight_at(self) -> Floats:
        """Per node: the sample weight of the rows that end there, 0 where it is no leaf of the whole tree."""
        if self.grew and self.rows.weight is None:  # the tree has counted them
            return np.where(self.core.column < 0, self.core.weight, 0.0)
        weight = np.bincount(self.leaf, self.weights, minlength=self.core.n_nodes)
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
