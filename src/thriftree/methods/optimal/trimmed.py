"""An outline of any origin cut down to the shape that is allowed, and pruned for the objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree.methods.optimal.binary_tests import BinaryTest
from thriftree.methods.optimal.outline import LEAF, Outline, joined
from thriftree.methods.optimal.problem import Problem


class _Best(NamedTuple):
    """The best part of a node with so many leaves."""

    cost: int
    outline: Outline


_ByLeaves = Mapping[int, _Best]  # the cost falls as the leaves become more


def trimmed(problem: Problem, outline: Outline) -> Outline:
    """Of the trees that collapsing makes of this outline, the one of least objective that the problem's shape
    admits; of equals the one of fewest leaves. A test that all rows answer alike is left out.
    """
    return trimmed_with_cost(problem, outline)[0]


def trimmed_with_cost(problem: Problem, outline: Outline) -> tuple[Outline, float]:
    """The same, and what its mistakes and tests cost. With prices a part is cut off where it is not worth
    them: as long as something is cut, since an order then holds less.
    """
    if problem.prices is None:
        return _trimmed(problem, outline)
    most, before = problem.shape.max_leaves, None
    now = outline if most is None or outline.n_leaves <= most else _trimmed(problem, outline)[0]
    while now.asked and now != before:
        before, (now, _) = now, problem.evaluated(now, cut=True)
    best = min(LEAF, now, key=problem.objective)
    return best, problem.cost(best)


def _trimmed(problem: Problem, outline: Outline) -> tuple[Outline, int]:
    found: dict[int, _ByLeaves] = {}
    rows = dict(problem.walk(outline))
    depth = outline.depths
    for node in reversed(range(len(outline.tests))):
        found[node] = _best_of(problem, outline, node, depth[node], rows, found)
        for child in (outline.left[node], outline.right[node]):
            found.pop(child, None)
    penalty = problem.core_penalty
    leaves = min(found[0], key=lambda n: (found[0][n].cost + penalty * n, n))
    best = found[0][leaves]
    return best.outline, best.cost


def _best_of(
    problem: Problem,
    outline: Outline,
    node: int,
    depth: int,
    rows: dict[int, NDArray[np.intp]],
    found: dict[int, _ByLeaves],
) -> _ByLeaves:
    test, shape = outline.tests[node], problem.shape
    here = rows[node]
    leaf = {1: _Best(problem.cost_at(here), LEAF)}
    if test is None or not len(here):
        return leaf
    sides = outline.left[node], outline.right[node]
    empty = [not len(rows[side]) for side in sides]
    if any(empty):
        return found[sides[empty.index(False)]]
    deep = shape.max_depth is not None and depth >= shape.max_depth
    if deep or not all(_admits(problem, rows[side]) for side in sides):
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


def _admits(problem: Problem, rows: NDArray[np.intp]) -> bool:
    weight = len(rows) if problem.weights is None else int(problem.weights[rows].sum())
    return problem.admits(len(rows), weight)
