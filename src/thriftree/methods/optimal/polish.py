"""Polish: with the structure of a tree as it is, thresholds and subsets are chosen anew among all."""

from __future__ import annotations

from thriftree.learning.limits import Limits
from thriftree.methods.optimal.number_polish import recut
from thriftree.methods.optimal.number_problem import NumberProblem
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.ranks import AllThresholds
from thriftree.methods.optimal.regrouped import regrouped
from thriftree.methods.optimal.trimmed import trimmed


def polished(problem: Problem, outline: Outline, limits: Limits, *, quick: bool = False) -> Outline:
    """An outline that is no worse. The core polishes thresholds, subsets of categories are polished here."""
    if not outline.asked:
        return outline
    seen = problem.seen
    best = outline
    has_thresholds = any(seen[j].ordered and seen[j].n_values > 2 for j in range(len(seen)))
    if has_thresholds and isinstance(problem, NumberProblem):
        best = recut(problem, outline, limits, quick=quick)
    elif has_thresholds:
        best = trimmed(problem, AllThresholds(problem, outline.asked).polished(outline, limits, quick=quick))
    return min(outline, regrouped(problem, best), key=problem.objective)
