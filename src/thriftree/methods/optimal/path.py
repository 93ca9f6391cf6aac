"""The trees along a path of leaf penalties, found quickly: what cross-validation of the penalty compares."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

import numpy as np

from thriftree.costs import TestCosts
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.learning.targets import Floats
from thriftree.methods.optimal.candidates import generated, most_tests
from thriftree.methods.optimal.core_search import PROOF, HowToSearch, search_path
from thriftree.methods.optimal.greedy import greedy_outlines
from thriftree.methods.optimal.outline import LEAF, Outline
from thriftree.methods.optimal.polish import polished
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.trimmed import trimmed

_QUICK: Final = HowToSearch(lookahead=3, beam=1)
_EXACT_DEPTH: Final = 3
_MOST_TESTS: Final = 100  # beside those of the greedy trees: many trees are searched to choose one number
_SMALLEST: Final = 1e-6  # penalty, as a share of the risk of one leaf, that stands for none
_MOST_ROUNDS: Final = 4  # of looking between the penalties whose trees are known


class QuickPath:
    """A tree for each penalty: the best of the greedy ones and of a search by look-ahead (of a proof up to
    depth 3), polished. They are close to the best, and a proof takes many times as long.
    """

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        prices: TestCosts | None,
        limits: Limits,
        found: list[Outline] | None = None,
    ) -> None:
        """The greedy trees join `found` as soon as they are there. Raises TimeoutError at the limit."""
        self._problem, self._limits = problem, limits
        self._greedy: list[Outline] = []
        for grown, *_ in greedy_outlines(problem, plan, prices, limits):
            self._greedy.append(grown)
            if found is not None:
                found.append(grown)
        most = min(
            _MOST_TESTS,
            most_tests(len(problem.rows), problem.shape.max_depth, of_numbers=not problem.n_classes),
        )
        self._candidates = generated(problem, self._greedy, most, limits)
        depth = problem.shape.max_depth
        self._how = PROOF if depth is not None and depth <= _EXACT_DEPTH else _QUICK
        self._polished: dict[Outline, Outline] = {}

    def trees(self, penalties: Sequence[float]) -> list[Outline]:
        """The tree of each penalty. Raises TimeoutError where no time is left."""
        self._limits.look()
        found = search_path(self._problem, self._candidates, self._limits, penalties, self._how)
        return [self._best(penalty, one.outline) for penalty, one in zip(penalties, found, strict=True)]

    def _best(self, penalty: float, outline: Outline) -> Outline:
        self._limits.look()
        problem = self._problem.at(penalty)
        ways = [*(trimmed(problem, one) for one in self._greedy), outline]
        if not self._candidates.complete and outline != LEAF:
            if outline not in self._polished:
                self._polished[outline] = polished(problem, outline, self._limits, quick=True)
            ways.append(trimmed(problem, self._polished[outline]))
        return min(ways, key=problem.objective)


def penalties_to_try(
    problem: Problem, plan: Plan, prices: TestCosts | None, limits: Limits, found: list[Outline]
) -> Floats:
    """Rising penalties, each of which stands for a tree of all rows: the geometric mean of those between
    which that tree is the best (as Breiman et al. 1984, section 3.4.2, have it for alpha).

    The best risk is a concave function of the penalty, in straight pieces. Two trees that are best at two
    penalties cost the same where their lines cross; if no other tree is better there, none is between.
    The trees join `found` as soon as they are there: the time may end before the penalties are known.
    """
    alone = max(0.0, problem.risk(problem.cost_at()))
    if alone == 0:
        return np.zeros(1)
    path = QuickPath(problem, plan, prices, limits, found)
    sizes, tried = {(1, alone)}, set[float]()
    ahead = [_SMALLEST * alone]
    for _ in range(_MOST_ROUNDS):
        trees = path.trees(ahead)
        found += trees
        tried.update(ahead)
        sizes |= {(one.n_leaves, problem.risk(problem.cost(one))) for one in trees}
        slopes = _slopes(sorted(sizes))
        ahead = [slope for slope in slopes if slope not in tried]
        if not ahead:
            break
    if not slopes:
        return np.array([alone])
    upper = [2 * max(alone, slopes[0]), *slopes]
    lower = [*slopes, slopes[-1] / 4]
    means = [sqrt(above * below) for above, below in zip(upper, lower, strict=True)]
    return np.array(means[::-1])


def _slopes(sizes: list[tuple[int, float]]) -> list[float]:
    """The falling penalties at which the best tree changes, of trees by leaves and risk: the slopes of the
    lower hull.
    """
    hull: list[tuple[int, float]] = []
    for n, risk in sizes:
        if hull and (risk >= hull[-1][1] or n == hull[-1][0]):
            continue
        while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], (n, risk)):
            hull.pop()
        hull.append((n, risk))
    return [_slope(one, other) for one, other in pairwise(hull)]


def _slope(one: tuple[int, float], other: tuple[int, float]) -> float:
    return (one[1] - other[1]) / (other[0] - one[0])
