"""Polish of category tests: with the rest of the tree as it is, every category takes the cheaper branch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thriftree.methods.optimal.outline import Outline, in_preorder
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.trimmed import trimmed


def regrouped(problem: Problem, outline: Outline) -> Outline:
    """An outline that is no worse: the subsets of its category tests chosen anew, each given the others."""
    best, value = outline, problem.objective(outline)
    for node in range(len(outline.tests)):
        if node >= len(best.tests):
            break
        test = best.tests[node]
        if test is None or problem.seen[test.column].ordered:
            continue
        tried = trimmed(problem, _regrouped_at(problem, best, node))
        if (found := problem.objective(tried)) < value:
            best, value = tried, found
    return best


def _regrouped_at(problem: Problem, outline: Outline, node: int) -> Outline:
    test = outline.tests[node]
    assert test is not None
    column, rows = problem.seen[test.column], dict(problem.walk(outline))[node]
    costs = [
        np.bincount(
            column.codes[rows],
            weights=losses_below(problem, outline, side, rows),
            minlength=column.n_codes,
        )
        for side in (outline.left[node], outline.right[node])
    ]
    # A category that costs the same on both sides stays where it is.
    left = np.where(costs[0] == costs[1], test.mask, costs[0] < costs[1])
    changed = column.test(left)
    seen_left = left & column.occurs
    tests, lefts, rights = list(outline.tests), list(outline.left), list(outline.right)
    tests[node] = changed
    if not changed.mask[seen_left].all() or not seen_left.any():
        lefts[node], rights[node] = rights[node], lefts[node]
    return in_preorder(tests, lefts, rights)


def losses_below(problem: Problem, outline: Outline, top: int, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """What each row costs if it goes down from `top`, whose leaves say what they say now."""
    said = {
        node: problem.answer_at(own) for node, own in problem.walk(outline) if outline.tests[node] is None
    }
    lost = np.zeros(len(problem.rows), dtype=np.float64)
    for node, here in problem.walk(outline, top, rows):
        if node in said:
            lost[here] = problem.losses(here, said[node])
    return lost[rows]
