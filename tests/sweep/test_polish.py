"""A polished tree: never worse, no larger, and best test by test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.random_ranks import random_ranks
from sklearn.tree import DecisionTreeClassifier
from thoroughness import tries

from thriftree import _core

Nodes = tuple[np.ndarray, ...]  # column, cut, left, right, label


def grown(ranks: np.ndarray, labels: np.ndarray, **parameters: Any) -> Nodes:
    """scikit-learn's tree over ranks, in the form of the core."""
    tree = DecisionTreeClassifier(random_state=0, **parameters).fit(ranks.T, labels).tree_
    column = np.where(tree.children_left < 0, -1, tree.feature)
    label = tree.value[:, 0].argmax(axis=1)
    cut = np.floor(tree.threshold)
    arrays = (column, cut, tree.children_left, tree.children_right, label)
    return tuple(array.astype(np.int32) for array in arrays)


def nodes_of(result: _core.SweepResult) -> Nodes:
    return result.column, result.cut, result.left, result.right, result.label


def leaves_of(nodes: Nodes, ranks: np.ndarray, start: int = 0) -> np.ndarray:
    column, cut, left, right, _ = nodes
    at = np.full(ranks.shape[1], start)
    while (column[at] >= 0).any():
        test = column[at]
        goes_left = ranks[np.maximum(test, 0), np.arange(len(at))] <= cut[at]
        at = np.where(test < 0, at, np.where(goes_left, left[at], right[at]))
    return at


def depth_of(nodes: Nodes, node: int = 0) -> int:
    column, _, left, right, _ = nodes
    return 0 if column[node] < 0 else 1 + max(depth_of(nodes, left[node]), depth_of(nodes, right[node]))


class Task:
    """A random table with an objective, and the cost of trees on it."""

    def __init__(self, rng: np.random.Generator, n_rows: int) -> None:
        self.n_classes = int(rng.integers(2, 5))
        self.ranks = np.stack(random_ranks(rng, n_rows, int(rng.integers(2, 5)))).astype(np.int32)
        noise = rng.random(n_rows) < 0.3
        self.labels = ((self.ranks[0] // 3 + self.ranks[-1] + noise) % self.n_classes).astype(np.int32)
        self.weights = rng.integers(0 if rng.random() < 0.3 else 1, 4, n_rows)
        self.costs = rng.integers(0, 4, (self.n_classes, self.n_classes))
        if rng.random() < 0.6:
            self.costs = 1 - np.eye(self.n_classes, dtype=int)
        self.min_leaf = int(rng.choice([1, 1, 3]))
        self.penalty = float(rng.choice([0, 0.5, 2]))

    def polish(self, nodes: Nodes, **parameters: Any) -> _core.SweepResult:
        return _core.polish_tree(
            self.ranks,
            *nodes,
            self.labels,
            self.n_classes,
            weights=self.weights,
            error_costs=self.costs.astype(np.int64),
            leaf_penalty=self.penalty,
            min_leaf=self.min_leaf,
            **parameters,
        )

    def row_costs(self, nodes: Nodes, start: int = 0) -> np.ndarray:
        leaves = leaves_of(nodes, self.ranks, start)
        costs: np.ndarray = self.weights * self.costs[self.labels, nodes[4][leaves]]
        return costs

    def objective(self, nodes: Nodes) -> float:
        return float(self.row_costs(nodes).sum() + self.penalty * (nodes[0] < 0).sum())


def tasks(seed: int, n: int) -> list[tuple[Task, Nodes]]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        task = Task(rng, int(rng.integers(5, 120)))
        limits = {"max_depth": int(rng.integers(1, 6)), "min_samples_leaf": task.min_leaf}
        made.append((task, grown(task.ranks, task.labels, **limits)))
    return made


def test_a_polished_tree_is_never_worse_and_no_larger() -> None:
    for i, (task, nodes) in enumerate(tasks(0, tries(1500, 80))):
        before = task.objective(nodes)
        results = [task.polish(nodes, depth2=depth2, n_threads=1 + i % 3) for depth2 in (False, True)]
        for result in results:
            after = nodes_of(result)
            assert result.status == "heuristic"
            assert result.objective == pytest.approx(task.objective(after))
            assert result.objective <= before + 1e-9
            assert result.leaves <= (nodes[0] < 0).sum()
            assert depth_of(after) <= depth_of(nodes)
            sizes = np.bincount(leaves_of(after, task.ranks), minlength=len(after[0]))[after[0] < 0]
            assert (sizes >= min(task.min_leaf, len(task.labels))).all()
            again = task.polish(after, depth2=result is results[1])
            assert (again.objective, again.leaves) == (result.objective, result.leaves)


def test_no_other_test_of_any_node_is_better_given_the_rest() -> None:
    for task, nodes in tasks(1, tries(400, 25)):
        after = nodes_of(task.polish(nodes, depth2=False))
        leaves = leaves_of(after, task.ranks)
        column, _, left, right, _ = after
        for node in np.flatnonzero(column >= 0):
            below = subtree_nodes(after, int(node))
            here = np.isin(leaves, below)
            on_left, on_right = task.row_costs(after, left[node]), task.row_costs(after, right[node])
            now = task.row_costs(after)[here].sum()
            for ranks in task.ranks:
                for cut in np.unique(ranks[here])[:-1]:
                    goes_left = here & (ranks <= cut)
                    cost = on_left[goes_left].sum() + on_right[here & ~goes_left].sum()
                    if cost < now:
                        assert not keeps_leaves(task, after, int(node), here, goes_left)


def subtree_nodes(nodes: Nodes, node: int) -> list[int]:
    column, _, left, right, _ = nodes
    if column[node] < 0:
        return [node]
    return [node, *subtree_nodes(nodes, left[node]), *subtree_nodes(nodes, right[node])]


def keeps_leaves(task: Task, nodes: Nodes, node: int, here: np.ndarray, goes_left: np.ndarray) -> bool:
    """Whether every leaf below the node stays large enough if its rows go so."""
    _, _, left, right, _ = nodes
    at = np.where(
        goes_left, leaves_of(nodes, task.ranks, left[node]), leaves_of(nodes, task.ranks, right[node])
    )
    sizes = np.bincount(at[here], minlength=len(nodes[0]))
    below = [i for i in subtree_nodes(nodes, node) if nodes[0][i] < 0]
    return bool((sizes[below] >= task.min_leaf).all())


def test_a_tree_of_depth_2_becomes_the_best_one_with_its_leaves() -> None:
    for task, nodes in tasks(2, tries(600, 40)):
        if depth_of(nodes) != 2 or task.objective(nodes) == 0:
            continue
        result = task.polish(nodes)
        best = _core.sweep_tree(
            task.ranks,
            task.labels,
            task.n_classes,
            weights=task.weights,
            error_costs=task.costs.astype(np.int64),
            leaf_penalty=task.penalty,
            max_leaves=int((nodes[0] < 0).sum()),
            min_leaf=task.min_leaf,
        )
        assert result.objective == best.objective


def test_a_polish_that_is_cut_off_gives_a_tree_that_is_no_worse() -> None:
    for task, nodes in tasks(3, 10):
        for seconds in (0.0, 1e-5, 1e-4):
            result = task.polish(nodes, limits=_core.Limits(time_limit_s=seconds))
            assert result.status in {"heuristic", "time_limit"}
            assert result.objective == pytest.approx(task.objective(nodes_of(result)))
            assert result.objective <= task.objective(nodes) + 1e-9
    small = task.polish(nodes, limits=_core.Limits(memory_limit_mb=0))
    assert small.status == "memory_limit"
    assert small.objective == pytest.approx(task.objective(nodes))


def test_pairs_of_columns_are_looked_at_where_memory_suffices() -> None:
    """Two tests together tell the classes apart, and none alone: only a search of pairs finds them. Without
    memory for it the polish goes on test by test.
    """
    rng = np.random.default_rng(12)
    ranks = rng.integers(0, 2, (120, 400)).astype(np.int32)
    labels = (ranks[40] ^ ranks[90]).astype(np.int32)
    nodes = grown(ranks[:20], labels, max_depth=2)
    before = int((nodes[4][leaves_of(nodes, ranks)] != labels).sum())
    whole = _core.polish_tree(ranks, *nodes, labels, 2)
    few_mb = _core.polish_tree(ranks, *nodes, labels, 2, limits=_core.Limits(memory_limit_mb=4))
    assert (whole.cost, whole.status) == (0, "heuristic")
    assert (0 < few_mb.cost <= before, few_mb.status) == (True, "heuristic")


def test_leaves_that_are_too_small_are_merged() -> None:
    ranks = np.arange(6, dtype=np.int32)[None, :]
    labels = np.array([1, 0, 0, 0, 0, 0], np.int32)
    nodes = grown(ranks, labels)
    result = _core.polish_tree(ranks, *nodes, labels, 2, min_leaf=2)
    assert (result.leaves, result.cost) == (1, 1)


BROKEN = {
    "no nodes": ([], [], [], [], []),
    "lengths": ([-1], [0], [-1], [-1], [0, 0]),
    "column": ([1, -1, -1], [0, 0, 0], [1, -1, -1], [2, -1, -1], [0, 0, 1]),
    "a loop": ([0, -1, -1], [0, 0, 0], [0, -1, -1], [2, -1, -1], [0, 0, 1]),
    "one child twice": ([0, -1, -1], [0, 0, 0], [1, -1, -1], [1, -1, -1], [0, 0, 1]),
    "label": ([0, -1, -1], [0, 0, 0], [1, -1, -1], [2, -1, -1], [0, 0, 2]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_tree_is_refused(name: str) -> None:
    nodes = [np.array(values, np.int32) for values in BROKEN[name]]
    with pytest.raises(ValueError, match=r"node|leaf"):
        _core.polish_tree(np.array([[0, 1]], np.int32), *nodes, np.array([0, 1], np.int32), 2)
