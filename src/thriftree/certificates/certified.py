"""One certificate: read the rows, name the class of trees, prove bounds, and keep what is proved by then."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.certificates.certificate import Certificate, certificate_of
from thriftree.certificates.guarantee import Promise, greedy_promise
from thriftree.certificates.notes import has_prices_by_outcome, notes_on
from thriftree.certificates.objects import MEGABYTE, ObjectsOfRows, RowsToCertify, objects_of, rows_to_certify
from thriftree.certificates.proved import Proved
from thriftree.certificates.shaped import ShapedTrees, is_of_two_branches
from thriftree.certificates.tightest import tightest
from thriftree.certificates.tree_class import (
    LeafLimits,
    TreesToBeat,
    claim_of,
    unchecked_claim,
)
from thriftree.costs import BoundCosts, TestCosts, price
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.preorder import rows_by_node
from thriftree.search.allowance import Allowance
from thriftree.search.exact import Objective
from thriftree.tree import Tree

_SHARE_OF_PROMISE = 0.1  # of a time limit
_SHARE_OF_ANY_SHAPE = 0.3  # of the time, for bounds on trees of any shape where the shape is limited
_SHAPE_S = 10.0  # for the search of trees of a limited shape, where no time limit is given


@dataclass(frozen=True, eq=False)
class CertifyTask:
    """What is to be certified of which tree on which rows."""

    tree: Tree  # with the prices to certify it by
    prices: TestCosts | None
    costs: BoundCosts | None  # the same
    X: Any
    y: Any
    sample_weight: Any
    objective: Objective
    trees: TreesToBeat
    leaf_limits: LeafLimits
    max_depth: int | None  # of the trees to beat
    coding: dict[str, Any]


def task_of(
    tree: Tree,
    X: Any,
    y: Any,
    costs: Any,
    sample_weight: Any,
    objective: Objective,
    trees: TreesToBeat,
    parameters: dict[str, Any],
) -> CertifyTask:
    """`parameters`: those of `certify` on leaves and coding."""
    coding = dict(parameters)
    max_depth = coding.pop("max_depth")
    leaf_limits = LeafLimits(coding.pop("impurity"), coding.pop("tolerance"), coding.pop("min_mass"))
    if tree.classes is None:
        raise ValueError("the tree predicts numbers: only trees that predict classes can be certified")
    if max_depth is not None:
        _check_shape(tree, max_depth)
    tree, prices = _priced(tree, costs)
    bound_costs = None if prices is None else prices.bind(tree.columns)
    return CertifyTask(
        tree, prices, bound_costs, X, y, sample_weight, objective, trees, leaf_limits, max_depth, coding
    )


def _check_shape(tree: Tree, max_depth: int) -> None:
    if tree.depth > max_depth:
        raise ValueError(
            f"the tree asks up to {tree.depth} tests on a path, and max_depth is {max_depth}: give at least "
            f"max_depth={tree.depth}, or a tree of at most {max_depth} on a path"
        )
    if not is_of_two_branches(tree):
        raise ValueError("max_depth compares with trees of two-way tests, and this one has tests of more")


def certified(task: CertifyTask, limits: Limits, search_s: float | None) -> Certificate:
    """The certificate, as far as limits and Ctrl-C allow: what the tree itself costs is found in any case.

    `search_s`: how long to search, in no case longer than the limit; None: as long as that, and all bounds
    share it.
    """
    n_bytes = inf if limits.memory_limit_mb is None else limits.memory_limit_mb * MEGABYTE
    allowance = Allowance(limits.look, is_limited=search_s is None, n_bytes=n_bytes)
    tree = task.tree
    assert tree.classes is not None
    leaf = tree.apply(task.X).astype(np.intp)
    rows = rows_to_certify(task.X, task.y, tree.classes, task.sample_weight)
    work = _Work(task, limits, allowance, rows, leaf[rows.kept])
    work.proved.attempt("coding", work.read, limits)
    if work.is_read:
        left = limits.seconds_left
        work.prove(min(inf if left is None else left, inf if search_s is None else search_s))
    return work.certificate()


class _Work:
    """A certificate in the making."""

    def __init__(
        self,
        task: CertifyTask,
        limits: Limits,
        allowance: Allowance,
        rows: RowsToCertify,
        leaf: NDArray[np.intp],
    ) -> None:
        tree = task.tree
        assert tree.classes is not None
        self.task, self.limits, self.allowance, self.rows, self.leaf = (
            task,
            limits,
            allowance,
            rows,
            leaf,
        )
        self.proved = Proved()
        self.error = rows.share_of(tree.core.label[leaf] != rows.labels)
        if task.objective == "worst_case":
            self.reached = tree.worst_case_cost()
        else:
            costs = tree.predict_cost(task.X)[rows.kept]
            self.reached = float(np.average(costs, weights=rows.weight))
        self.claim = unchecked_claim(task.trees, task.leaf_limits, self.error, len(leaf), tree.classes)
        self.objects: ObjectsOfRows | None = None
        self.nodes: list[NDArray[np.intp]] = []  # by node: its objects, leaf by leaf
        self.promise: Promise | None = None
        self.shape_note: tuple[str, ...] = ()  # why trees of the limited shape were not searched to the end

    @property
    def is_read(self) -> bool:
        """Whether the rows were coded, and the tree is in the class of trees."""
        return len(self.nodes) > 0

    def read(self) -> None:
        """Codes the rows and looks at the leaves."""
        task, tree = self.task, self.task.tree
        assert tree.classes is not None
        objects = objects_of(self.rows, task.costs, self.limits, self.allowance, **task.coding)
        leaf_of = _leaf_of_objects(self.leaf, self.rows, objects)
        limits = task.leaf_limits
        self.claim = claim_of(task.trees, limits, objects, leaf_of, self.error, tree.classes, self.allowance)
        self.objects, self.nodes = objects, _node_objects(tree, leaf_of)

    def prove(self, seconds: float) -> None:
        """The promise of the greedy rule, and the bounds, by a search of so many seconds."""
        assert self.objects is not None
        if self.task.objective == "worst_case" and self.claim.greedy_goal is not None:
            self.proved.attempt("factor", self._promise, self.limits)
        by_size = sorted((part for part in self.nodes if len(part) > 1), key=len, reverse=True)
        tightest(
            self.objects.instance,
            self.claim.goal,
            self.task.objective,
            by_size or self.nodes[:1],
            self.reached,
            self.proved,
            self.limits,
            self.allowance,
            seconds if self.task.max_depth is None else _SHARE_OF_ANY_SHAPE * seconds,
        )
        is_closed = self.proved.lower >= self.reached * (1 - 1e-9)
        others = self._least_losses or self._least_prices or self.task.max_depth is not None
        if not is_closed and others:
            self.proved.is_exact = False  # what was found is the least of other trees, or by other prices
        if not is_closed and self.task.max_depth is not None:
            self.proved.attempt("optimal tree search", self._search_shape, self.limits)

    def _search_shape(self) -> None:
        """The least price of trees of this depth: of those that err no more, which pure ones do not."""
        task, objects, goal = self.task, self.objects, self.claim.goal
        assert objects is not None
        assert task.max_depth is not None
        assert task.tree.classes is not None
        if goal.trees not in ("pure", "error"):
            return
        left = self.limits.seconds_left
        limits = Limits.of(1, _SHAPE_S if left is None else left, self.limits.memory_left_mb)
        rows = Sample(objects.codes, self.rows.labels.astype(np.int32), self.rows.given_weight)
        shaped = ShapedTrees(
            rows.for_many_trees(), len(task.tree.classes), task.max_depth, self.error, task.prices, limits
        )
        try:
            for bound in shaped.least_price(task.objective, self.reached):
                rounding = 1e-9 * self.reached
                self.proved.add("optimal tree search", bound, rounding)
                if bound >= self.proved.lower - rounding and goal.trees == "error":
                    self.proved.close("optimal tree search")
        except TimeoutError:
            if left is not None:
                raise
            self.shape_note = (
                f"The search of optimal trees was not done in {_SHAPE_S:.0f} seconds: give time_limit_s.",
            )

    def certificate(self) -> Certificate:
        """What is certified by now."""
        if not self.proved.by_name:
            self.proved.add("prices", 0.0, 0.0)
        notes = notes_on(self.task.tree, self.task.prices, len(self.leaf), self.objects, self.promise)
        notes += self.shape_note
        if self._least_losses:
            notes += (
                "Of an object of several classes the bound counts the least that a wrong label can lose.",
            )
        if not self.is_read and self.task.trees != "auto":
            notes += ("The limits allowed no look at whether this tree is such a tree.",)
        factor = None if self.promise is None else self.promise.factor
        return certificate_of(
            self.task.objective,
            self.claim.goal,
            self._class_in_words,
            self.proved,
            self.reached,
            factor,
            notes,
        )

    @property
    def _class_in_words(self) -> str:
        depth = self.task.max_depth
        if depth is None:
            return self.claim.in_words
        return f"of at most {depth} two-way tests on a path, {self.claim.in_words}"

    @property
    def _least_losses(self) -> bool:
        """Whether the bound counts less than a wrong label may lose."""
        return self.objects is not None and self.claim.goal.trees == "error" and self.objects.losses_differ

    @property
    def _least_prices(self) -> bool:
        """Whether the bound counts less than a test may cost: the cheapest outcome, or no delay."""
        prices = self.task.prices
        return prices is not None and (bool(prices.delayed) or has_prices_by_outcome(prices))

    def _promise(self) -> None:
        assert self.objects is not None
        assert self.claim.greedy_goal is not None
        core = self.task.tree.core
        left = self.limits.seconds_left
        part = inf if left is None else monotonic() + _SHARE_OF_PROMISE * left
        self.promise = greedy_promise(
            self.objects.instance,
            self.claim.greedy_goal,
            self.nodes,
            core.parent.tolist(),
            price(core, self.task.costs).marginal.tolist(),
            self.allowance.until(part),
        )


def _priced(tree: Tree, costs: Any) -> tuple[Tree, TestCosts | None]:
    """The tree with the prices to certify it by, and those prices."""
    if costs is None:
        return tree, None if tree.prices is None else TestCosts.from_dict(tree.prices)
    prices = costs if isinstance(costs, TestCosts) else TestCosts(costs)
    return Tree(tree.core, tree.columns, tree.classes, prices.to_dict(), tree.settings), prices


def _leaf_of_objects(leaf: NDArray[np.intp], rows: RowsToCertify, objects: ObjectsOfRows) -> NDArray[np.intp]:
    """By object the leaf that all its rows reach."""
    leaf_of: NDArray[np.intp] = leaf[objects.first_row]
    apart = np.flatnonzero(leaf != leaf_of[objects.object_of])
    if len(apart):
        other = objects.first_row[objects.object_of[apart[0]]]
        raise ValueError(
            f"the tree sends rows {rows.kept[other]} and {rows.kept[apart[0]]} of equal codes to "
            "different leaves: give the max_bins, binning and categorical_features that it was fitted with"
        )
    return leaf_of


def _node_objects(tree: Tree, leaf_of: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """By node: its objects, leaf by leaf."""
    order, begin, end = rows_by_node(tree.core.parent.tolist(), leaf_of)
    return [order[first:stop] for first, stop in zip(begin, end, strict=True)]
