"""All candidates of a node by brute force, and a check of every node of a grown tree against them.

Written from docs/decisions and the definitions, not from the core: it shares no code and no sums with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core

Floats = NDArray[np.float64]

KINDS = {
    "threshold": _core.THRESHOLD,
    "one_vs_rest": _core.ONE_VS_REST,
    "subset": _core.SUBSET,
    "multiway": _core.MULTIWAY,
}
NEAR = 1e-9
MUST_GAIN = {"misclassification"}  # not strictly concave: a test that gains nothing is not made


@dataclass
class GrowProblem:
    """Raw columns (NaN or -1 is missing), a target and the rules of a fit."""

    columns: list[NDArray[Any]]
    n_categories: list[int | None]
    target: NDArray[Any]
    n_classes: int  # 0: numbers
    kinds: list[int]  # a mask per column
    weight: Floats | None = None
    criterion: str = "gini"
    min_leaf_rows: int = 1
    min_leaf_share: float = 0.0
    parameters: dict[str, Any] = field(default_factory=dict)

    def table(self) -> _core.Table:
        return _core.encode_columns(self.columns, self.n_categories)

    def core_target(self) -> _core.Target:
        if self.n_classes == 0:
            return _core.Target.numbers(self.target, sample_weight=self.weight)
        return _core.Target.classes(self.target, self.n_classes, sample_weight=self.weight)

    def grow(self, **parameters: Any) -> _core.Tree:
        return self.grown(**parameters).tree

    def grown(self, **parameters: Any) -> _core.GrownTree:
        rules = {
            "criterion": self.criterion,
            "candidates": self.kinds,
            "min_leaf_rows": self.min_leaf_rows,
            "min_leaf_share": self.min_leaf_share,
        }
        options = _core.GrowOptions(**{**rules, **self.parameters, **parameters})
        return _core.grow(self.table(), self.core_target(), options)

    def weights(self) -> Floats:
        return np.ones(len(self.target)) if self.weight is None else self.weight

    def sums(self) -> Floats:
        """Per row, what a criterion adds up: its weight in its class, or its weight and weight * y."""
        w = self.weights()
        if self.n_classes == 0:
            return np.stack([w, w * (self.target - self.target.mean())], axis=1)
        return w[:, None] * (self.target[:, None] == np.arange(self.n_classes))

    def missing(self, column: int) -> NDArray[np.bool_]:
        values = self.columns[column]
        return np.isnan(values) if self.n_categories[column] is None else values < 0


def _entropy(share: Floats) -> Floats:
    return -np.where(share > 0, share * np.log2(np.where(share > 0, share, 1)), 0).sum(axis=-1)


#: Impurity from class shares; a test of a new criterion adds its own.
IMPURITIES: dict[str, Callable[[Floats], Floats]] = {
    "gini": lambda share: 1 - (share**2).sum(axis=-1),
    "misclassification": lambda share: 1 - share.max(axis=-1),
    "entropy": _entropy,
    "gain_ratio": _entropy,
}


def impurity(criterion: str, sums: Floats) -> Floats:
    """Impurity of each row of sums; squared error leaves out sum(w y²), which no split changes."""
    if criterion == "squared_error":
        return -((sums[..., 1] / sums[..., 0]) ** 2)
    return IMPURITIES[criterion](sums / sums.sum(axis=-1, keepdims=True))


def totals(criterion: str, sums: Floats) -> Floats:
    return sums[..., 0] if criterion == "squared_error" else sums.sum(axis=-1)


def gains(criterion: str, node: Floats, branches: Floats) -> Floats:
    """Decrease of candidates whose branches' sums are branches[C, V, width]."""
    share = totals(criterion, branches) / totals(criterion, node)
    return impurity(criterion, node) - (share * impurity(criterion, branches)).sum(axis=-1)


def scores(criterion: str, node: Floats, branches: Floats, gain: Floats) -> Floats:
    if criterion != "gain_ratio":
        return gain
    share = branches.sum(axis=-1) / node.sum()
    return gain / -(share * np.log2(share)).sum(axis=-1)


@dataclass
class Candidates:
    """The candidates of one kind at one column of one node."""

    column: int
    kind: str
    to: NDArray[np.int64]  # [C, m]: branch of each run
    gain: Floats
    score: Floats


def _prefixes(order: NDArray[np.int64], missing_last: bool) -> NDArray[np.int64]:
    """Prefixes of the known runs against the rest, missing on each side; and known against missing."""
    n_known = len(order)
    length = np.arange(1, n_known)[:, None]
    right = (np.argsort(order)[None, :] >= length).astype(np.int64)
    if not missing_last:
        return right
    sides = [np.insert(right, n_known, side, axis=1) for side in (0, 1)]
    return np.vstack([*sides, np.arange(n_known + 1) == n_known])


def _binary(kind: str, runs: Floats, missing_last: bool, criterion: str) -> NDArray[np.int64]:
    m = len(runs)
    n_known = m - missing_last
    if kind == "threshold":
        return _prefixes(np.arange(n_known), missing_last)
    if kind == "one_vs_rest":
        return 1 - np.eye(m, dtype=np.int64)
    if m <= 8:
        return np.array([[0, *to] for to in product((0, 1), repeat=m - 1) if any(to)])
    if criterion == "squared_error":
        share = runs[:n_known, 1] / runs[:n_known, 0]
    else:
        k = 1 if runs.shape[1] == 2 else int(runs.sum(axis=0).argmax())
        share = runs[:n_known, k] / runs[:n_known].sum(axis=1)
    return _prefixes(np.argsort(share, kind="stable"), missing_last)


def column_candidates(problem: GrowProblem, column: int, rows: NDArray[np.bool_]) -> Iterator[Candidates]:
    """The candidates of a column at the node that holds these rows, those that break min_leaf left out."""
    values = problem.columns[column][rows].astype(float)
    values[problem.missing(column)[rows]] = np.inf  # missing is last
    codes, run_of_row = np.unique(values, return_inverse=True)
    m = len(codes)
    if m < 2:
        return
    missing_last = bool(np.isinf(codes[-1]))
    sums = problem.sums()[rows]
    runs = np.zeros((m, sums.shape[1]))
    np.add.at(runs, run_of_row, sums)
    n_rows = np.bincount(run_of_row, minlength=m)
    least = problem.min_leaf_share * problem.weights().sum() * (1 - 1e-12)
    node = sums.sum(axis=0)
    for kind, mask in KINDS.items():
        if not problem.kinds[column] & mask:
            continue
        if kind == "multiway":
            to = np.arange(m)[None, :]
        else:
            to = _binary(kind, runs, missing_last, problem.criterion)
        one_hot = to[:, None, :] == np.arange(to.max(initial=1) + 1)[None, :, None]  # [C, V, m]
        branches = one_hot @ runs
        large = (one_hot @ n_rows >= problem.min_leaf_rows) & (totals(problem.criterion, branches) >= least)
        allowed = large.sum(axis=1) >= 2
        if not allowed.any():
            continue
        to, branches = to[allowed], branches[allowed]
        gain = gains(problem.criterion, node, branches)
        if kind == "threshold" and problem.parameters.get("threshold_penalty"):
            n_thresholds = m - missing_last - 1
            penalty = np.log2(n_thresholds) / problem.weights()[rows].sum() if n_thresholds else 0.0
            gain = gain - penalty
        yield Candidates(column, kind, to, gain, scores(problem.criterion, node, branches, gain))


def branch_of_rows(problem: GrowProblem, tree: _core.Tree, node: int) -> NDArray[np.int64]:
    """The branch of every row of the table by this node's test, from raw values."""
    column = int(tree.column[node])
    keys = tree.keys[tree.key_begin[node] : tree.key_begin[node + 1]]
    to = tree.to[tree.to_begin[node] : tree.to_begin[node + 1]]
    values = problem.columns[column].astype(float)
    if tree.kind[node] == 1:
        branch = to[(keys[None, :] < values[:, None]).sum(axis=1)]
    else:
        where = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
        branch = np.where(keys[where] == values, to[where], tree.other[node])
    return np.where(problem.missing(column), tree.missing[node], branch)


def rows_of_nodes(problem: GrowProblem, tree: _core.Tree) -> list[NDArray[np.bool_]]:
    reached = [np.ones(len(problem.target), bool)] + [np.zeros(0, bool)] * (tree.n_nodes - 1)
    for node in range(tree.n_nodes):
        children = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]]
        if len(children):
            branch = branch_of_rows(problem, tree, node)
        for v, child in enumerate(children):
            reached[child] = reached[node] & (branch == v)
    return reached


def check_node_figures(problem: GrowProblem, tree: _core.Tree, node: int, rows: NDArray[np.bool_]) -> None:
    weights, target = problem.weights()[rows], problem.target[rows]
    assert tree.rows[node] == rows.sum() > 0
    unit = 1e-15 * problem.weights().sum()  # weights are whole numbers of such a unit
    np.testing.assert_allclose(tree.weight[node], weights.sum(), rtol=1e-12, atol=unit)
    if problem.n_classes == 0:
        mean = np.average(target, weights=weights)
        scale = np.ptp(problem.target) ** 2 + 1e-300
        np.testing.assert_allclose(tree.value[node, 0], mean, rtol=1e-9, atol=1e-10 * scale**0.5)
        variance = np.average((target - mean) ** 2, weights=weights)
        np.testing.assert_allclose(tree.value[node, 1], variance, rtol=1e-9, atol=1e-10 * scale)
        return
    by_class = problem.sums()[rows].sum(axis=0)
    np.testing.assert_allclose(tree.value[node], by_class, rtol=1e-12, atol=unit)
    assert by_class[tree.label[node]] >= by_class.max() * (1 - 1e-12)
    expected = impurity(problem.criterion, by_class)
    np.testing.assert_allclose(tree.impurity[node], expected, rtol=1e-9, atol=1e-12)


def check_choice(problem: GrowProblem, tree: _core.Tree, node: int, rows: NDArray[np.bool_]) -> None:
    """The node's test is one of the candidates, best in its column, and no column offers a better one."""
    offered = [c for j in range(len(problem.columns)) for c in column_candidates(problem, j, rows)]
    if problem.parameters.get("average_gain_guard"):
        gain = {c.column: c.gain.max() for c in offered}  # guarded problems have one kind a column
        useful = [g for g in gain.values() if g > NEAR]
        if any(0 < g <= NEAR for g in gain.values()) or not useful:
            return  # too near to the edge of the guard to say which side is right
        needed = sum(useful) / len(useful) - 1e-3
        if any(abs(g - needed) < NEAR for g in useful):
            return
        offered = [c for c in offered if gain[c.column] >= max(needed, NEAR)]
    if problem.criterion in MUST_GAIN:
        offered = [c for c in offered if c.gain.max() > NEAR]
    pure = np.ptp(problem.target[rows]) == 0
    if tree.column[node] < 0:
        assert pure or not offered, f"node {node} is a leaf, but could be split"
        return
    assert not pure, f"node {node} is pure, but was split"
    # A candidate of a column stands for it by its gain; those within NEAR of the best gain may.
    at_least = [c.score[c.gain >= c.gain.max() - NEAR].min() for c in offered]
    branch = branch_of_rows(problem, tree, node)[rows]
    values = problem.columns[tree.column[node]][rows].astype(float)
    values[problem.missing(int(tree.column[node]))[rows]] = np.inf
    _, first = np.unique(values, return_index=True)
    chosen = []
    for c in offered:
        if c.column != tree.column[node] or c.to.max() + 1 != len(np.unique(branch)):
            continue
        same = (c.to == branch[first]).all(axis=1) | (
            (c.to == 1 - branch[first]).all(axis=1) if c.to.max() == 1 else False
        )
        chosen += [c.score[i] for i in np.flatnonzero(same & (c.gain >= c.gain.max() - NEAR))]
    assert chosen, f"the test of node {node} is not a best candidate of its column"
    assert max(chosen) >= max(at_least) - NEAR, f"node {node}: {max(chosen)} chosen, {max(at_least)} offered"
    np.testing.assert_allclose(tree.score[node], chosen, rtol=1e-7, atol=NEAR)


def check_tree(problem: GrowProblem, tree: _core.Tree) -> None:
    """Every node's figures and choice are right; a leaf is pure or has no candidate (that gains)."""
    for node, rows in enumerate(rows_of_nodes(problem, tree)):
        check_node_figures(problem, tree, node, rows)
        check_choice(problem, tree, node, rows)
