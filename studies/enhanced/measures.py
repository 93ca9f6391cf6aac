"""What is measured in one run: one learner, one split of one table, with unit or random prices."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from studies.enhanced import encoding
from studies.enhanced.encoding import BinaryTable, Bits, Codes, Floats, PaperObjects
from studies.enhanced.learners import (
    ALPHAS,
    LARGEST_DROP,
    LEARNERS,
    SWEEP,
    TRADE_OFFS,
    Prices,
    make,
    make_ours,
)
from studies.enhanced.speed import REPEATS, SPEED_TRADE_OFF
from studies.evaluation import area_under_curve
from thriftree import LimitReachedWarning

Part = Prices | Literal["speed", "facts"]
TABLE = "table"  # what stands for a learner where only the table is looked at
MEANING = 1  # of the measures: one more when any comes to mean something else


@dataclass(frozen=True)
class EnhancedTask:
    """What a process needs to know."""

    folder: Path
    data: str
    split: int
    learner: str
    part: Part
    max_rows: int | None


def measure(task: EnhancedTask) -> dict[str, Any]:
    """The measures of a run. `auc` is of leaves that know the objects' labels, as in the paper, `auc_raw` of
    the same tree with the classes of the rows; `cost` is the expected price of the rows trained on.
    """
    table = encoding.load(task.folder, task.data, task.max_rows)
    if task.part == "facts":
        return table.facts
    costs = None
    if task.part == "random":
        costs = encoding.prices(table.X.shape[1], task.data, task.split)
    with threadpool_limits(limits=1):
        parts = _Parts(table, task.split)
        if task.part == "speed":
            return _of_speed(task, parts.objects)
        if LEARNERS[task.learner].ours:
            return _of_ours(task, parts, costs)
        return _of_paper(task, parts, costs)


class _Parts:
    """One split: objects to train on, rows to validate and to test."""

    def __init__(self, table: BinaryTable, split: int) -> None:
        self.n_classes = int(table.y.max()) + 1
        train, validation, test = encoding.parts(table.y, split)
        self.X_train, self.y_train = table.X[train], table.y[train]
        self.objects = encoding.coalesced(self.X_train, self.y_train, self.n_classes)
        self.validation = table.X[validation], table.y[validation]
        self.test = table.X[test], table.y[test]

    def auc(self, shares: Floats, y: Codes) -> float:
        return area_under_curve(y, shares, np.arange(self.n_classes))


@dataclass(frozen=True, eq=False)
class PaperTree:
    """A tree grown on objects, with its leaves filled twice: by labels of objects, by classes of rows."""

    model: Any
    by_label: Floats  # nodes x classes, shares
    by_row: Floats
    cost: float  # expected price of the rows trained on
    seconds: float  # of one core, to fit

    @classmethod
    def grown(cls, model: Any, objects: PaperObjects) -> PaperTree:
        """Fit it."""
        start = time.process_time()
        model.fit(objects.X, objects.label, sample_weight=objects.weight)
        seconds = time.process_time() - start
        leaf = model.apply(objects.X)
        n_nodes, n_classes = model.tree_.n_nodes, objects.counts.shape[1]
        by_label, by_row = np.zeros((n_nodes, n_classes)), np.zeros((n_nodes, n_classes))
        np.add.at(by_label, (leaf, objects.label), objects.weight)
        np.add.at(by_row, leaf, objects.counts)
        return cls(model, _shares(by_label), _shares(by_row), float(model.expected_cost_), seconds)

    def shares(self, X: Bits, *, raw: bool = False) -> Floats:
        """Rows x classes."""
        found: Floats = (self.by_row if raw else self.by_label)[self.model.apply(X)]
        return found

    @property
    def leaves(self) -> int:
        """Their number."""
        return int(self.model.tree_.n_leaves)


def _shares(weights: Floats) -> Floats:
    total = weights.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return shares


def _of_paper(task: EnhancedTask, parts: _Parts, costs: Floats | None) -> dict[str, Any]:
    learner, objects = LEARNERS[task.learner], parts.objects
    X, y = parts.validation

    def grown(**settings: Any) -> PaperTree:
        return PaperTree.grown(make(task.learner, objects.theta, costs, **settings), objects)

    found: dict[str, Any] = {"objects": len(objects.weight)}
    settings: dict[str, float] = {}
    if learner.enhanced:
        lambdas = SWEEP if task.part == "unit" else TRADE_OFFS
        path = {one: grown(trade_off=one) for one in lambdas}
        aucs = {one: parts.auc(tree.shares(X), y) for one, tree in path.items()}
        settings["trade_off"] = chosen_trade_off([aucs[one] for one in TRADE_OFFS])
        tree = path[settings["trade_off"]]
        found["path"] = [[one, aucs[one], path[one].cost, path[one].leaves] for one in lambdas]
    else:
        tree = grown()
    found |= settings | _scores(tree, parts)
    if learner.prunes:
        pruned = {alpha: grown(alpha=alpha, **settings) for alpha in ALPHAS}
        aucs = {alpha: parts.auc(one.shares(X), y) for alpha, one in pruned.items()}
        alpha = max(ALPHAS, key=lambda one: (aucs[one], one))
        found["pruned"] = {"alpha": alpha, **_scores(pruned[alpha], parts)}
    return found


def chosen_trade_off(aucs: Sequence[float]) -> float:
    """The paper's rule: the last λ, from large to small, before validation AUC falls by more than 0.01.

    >>> chosen_trade_off([0.869, 0.847, 0.9, 0.9, 0.9]), chosen_trade_off([0.95, 1.0, 1.0, 0.85, 0.99])
    (100.0, 1.0)
    """
    best, chosen = aucs[0], TRADE_OFFS[0]
    for one, auc in zip(TRADE_OFFS, aucs, strict=True):
        if auc < best - LARGEST_DROP:
            break
        best, chosen = max(best, auc), one
    return chosen


def _scores(tree: PaperTree, parts: _Parts) -> dict[str, Any]:
    X, y = parts.test
    return {
        "auc": parts.auc(tree.shares(X), y),
        "auc_raw": parts.auc(tree.shares(X, raw=True), y),
        "cost": tree.cost,
        "test_cost": float(tree.model.predict_cost(X).mean()),
        "leaves": tree.leaves,
        "fit_s": tree.seconds,
    }


def _of_speed(task: EnhancedTask, objects: PaperObjects) -> dict[str, Any]:
    """The least time of a few fits of one tree."""
    setting = {"trade_off": SPEED_TRADE_OFF} if LEARNERS[task.learner].enhanced else {}
    trees = [
        PaperTree.grown(make(task.learner, objects.theta, None, **setting), objects) for _ in range(REPEATS)
    ]
    return {
        "objects": len(objects.weight),
        "leaves": trees[0].leaves,
        "fit_s": min(tree.seconds for tree in trees),
    }


def _of_ours(task: EnhancedTask, parts: _Parts, costs: Floats | None) -> dict[str, Any]:
    """From the rows as they are: their labels are not replaced by those of objects."""
    model = make_ours(task.learner, costs, task.split)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        model.fit(parts.X_train, parts.y_train)
        seconds = time.process_time() - start
    X, y = parts.test
    shares = np.zeros((len(y), parts.n_classes))
    shares[:, model.classes_] = model.predict_proba(X)
    auc = parts.auc(shares, y)
    return {
        "auc": auc,
        "auc_raw": auc,
        "cost": float(model.expected_cost_),
        "test_cost": float(model.predict_cost(X).mean()),
        "leaves": int(model.tree_.n_leaves),
        "fit_s": seconds,
        "limited": any(issubclass(one.category, LimitReachedWarning) for one in caught),
    }
