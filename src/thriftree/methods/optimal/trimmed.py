"""An outline of any origin cut down to the shape that is allowed, and pruned for the objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from thriftree.learning.targets import Floats
from thriftree.methods.optimal.binary_tests import BinaryTest
from thriftree.methods.optimal.outline import LEAF, Outline, joined
from thriftree.methods.optimal.problem import Problem


class _Best(NamedTuple):
    """The best part of a node with so many leaves."""

    cost: int
    outline: Outline


_ByLeaves = Mapping[int, _Best]  # the cost falls as the leaves become more


class _Node(NamedTuple):
    """What comes to a node: its rows, their weight, and what a leaf of them costs."""

    rows: int
    weight: int
    cost: int


def trimmed(problem: Problem, outline: Outline) -> Outline:
    """Of the trees that collapsing makes of this outline, the one of least objective that the problem's shape
    admits; of equals the one of fewest leaves. A test that all rows answer alike is left out.
    """
    return trimmed_with_cost(problem, outline)[0]


def trimmed_with_cost(
    problem: Problem, outline: Outline, class_weights: Floats | None = None
) -> tuple[Outline, float]:
    """The same, and what its mistakes and tests cost. With prices a part is cut off where it is not worth
    them: as long as something is cut, since an order then holds less. `class_weights` are those of each node,
    where a tree knows them: rows that count alike then need not be led down the outline again.
    """
    if problem.prices is None:
        return _trimmed(problem, outline, class_weights)
    most, before = problem.shape.max_leaves, None
    now = outline if most is None or outline.n_leaves <= most else _trimmed(problem, outline)[0]
    while now.asked and now != before:
        before, (now, _) = now, problem.evaluated(now, cut=True)
    best = min(LEAF, now, key=problem.objective)
    return best, problem.cost(best)


def _trimmed(problem: Problem, outline: Outline, class_weights: Floats | None = None) -> tuple[Outline, int]:
    found: dict[int, _ByLeaves] = {}
    nodes = _nodes(problem, outline, class_weights)
    depth = outline.depths
    for node in reversed(range(len(outline.tests))):
        found[node] = _best_of(problem, outline, node, depth[node], nodes, found)
        for child in (outline.left[node], outline.right[node]):
            found.pop(child, None)
    penalty = problem.core_penalty
    leaves = min(found[0], key=lambda n: (found[0][n].cost + penalty * n, n))
    best = found[0][leaves]
    return best.outline, best.cost


def _nodes(problem: Problem, outline: Outline, class_weights: Floats | None) -> list[_Node]:
    """What comes to each node. Weights that add up to the rows' number are the rows of each class."""
    n_rows = len(problem.rows)
    if class_weights is not None and problem.weights is None and class_weights[0].sum() == n_rows:
        counts = class_weights.astype(np.int64)
        rows = counts.sum(axis=1).tolist()
        return list(map(_Node, rows, rows, problem.leaf_costs(counts).tolist()))
    nodes: dict[int, _Node] = {}
    for node, here in problem.walk(outline):
        weight = len(here) if problem.weights is None else int(problem.weights[here].sum())
        nodes[node] = _Node(len(here), weight, problem.cost_at(here))
    return [nodes[node] for node in range(len(outline.tests))]


def _best_of(
    problem: Problem,
    outline: Outline,
    node: int,
    depth: int,
    nodes: list[_Node],
    found: dict[int, _ByLeaves],
) -> _ByLeaves:
    test, shape = outline.tests[node], problem.shape
    leaf = {1: _Best(nodes[node].cost, LEAF)}
    if test is None or not nodes[node].rows:
        return leaf
    sides = outline.left[node], outline.right[node]
    empty = [not nodes[side].rows for side in sides]
    if any(empty):
        return found[sides[empty.index(False)]]
    deep = shape.max_depth is not None and depth >= shape.max_depth
    if deep or not all(problem.admits(nodes[side].rows, nodes[side].weight) for side in sides):
        return leaf
    return _pruned(problem, {**leaf, **_joined(problem, test, found[sides[0]], found[sides[1]])})


def _joined(problem: Problem, test: BinaryTest, left: _ByLeaves, right: _ByLeaves) -> dict[int, _Best]:
    best: dict[int, tuple[int, Outline, Outline]] = {}
    most = problem.shape.max_leaves
    for n_left, on_left in left.items():
        for n_right, on_right in right.items():
            leaves, cost = n_left + n_right, on_left.cost + on_right.cost
            if (most is None or leaves <= most) and (leaves not in best or cost < best[leaves][0]):
                best[leaves] = cost, on_left.outline, on_right.outline
    return {n: _Best(cost, joined(test, *parts)) for n, (cost, *parts) in best.items()}


def _pruned(problem: Problem, by_leaves: dict[int, _Best]) -> _ByLeaves:
    """Those that more leaves make cheaper; without a limit on leaves the one of least objective alone."""
    if problem.shape.max_leaves is None:
        penalty = problem.core_penalty
        n = min(by_leaves, key=lambda leaves: (by_leaves[leaves].cost + penalty * leaves, leaves))
        return {n: by_leaves[n]}
    kept: dict[int, _Best] = {}
    least: int | None = None
    for n in sorted(by_leaves):
        if least is None or by_leaves[n].cost < least:
            kept[n], least = by_leaves[n], by_leaves[n].cost
    return kept
