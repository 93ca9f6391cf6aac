"""The core's set of nearly best trees over given tests, and its trees as outlines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.limits import Limits
from thriftree.methods.optimal.candidates import Candidates
from thriftree.methods.optimal.core_search import heard, told
from thriftree.methods.optimal.outline import LEAF, Outline, from_preorder
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import INTERRUPTED, MOST_ALL_TESTS, OPTIMAL, Rounds
from thriftree.methods.optimal.solve import Task

_BLOCK: Final = 64  # trees that are asked for at once


@dataclass(frozen=True)
class SearchedTests:
    """Tests to make trees of, and in words which they are."""

    candidates: Candidates
    words: str


def searched_tests(task: Task, problem: Problem, limits: Limits) -> SearchedTests:
    """The tests that an optimal tree of these rows is searched over. Raises TimeoutError at the limit."""
    rounds = Rounds(problem, task.plan, task.prices, task.settings, limits)
    if not rounds.all_are_known():
        if task.settings.thresholds == "all":
            raise ValueError(
                f'thresholds="all" takes tables of at most {MOST_ALL_TESTS} tests here: take '
                'thresholds="auto", or round the numbers'
            )
        rounds.run()
        if rounds.status != OPTIMAL:
            stop(rounds.status, limits)
    return SearchedTests(rounds.candidates, rounds.solution().proved_for)


def stop(status: str, limits: Limits) -> None:
    """Raises what fits a search that was ended before anything is known of the set."""
    if status == INTERRUPTED or limits.interrupt is not None:
        raise limits.interrupt or KeyboardInterrupt
    if status == "memory_limit":
        raise MemoryError(
            "memory_limit_mb leaves no room to find the best tree, and so none of those near it: raise it, "
            "or ask for less (a smaller max_depth, a larger leaf_penalty)"
        )
    raise TimeoutError(
        "time_limit_s ended before the best tree was proved, so that nothing is known of those near it: "
        "raise it, or ask for less (a smaller max_depth, a larger leaf_penalty)"
    )


@dataclass(frozen=True, eq=False)
class NearSet:
    """All trees over some tests within a slack of the best, as outlines. Costs are in the core's units."""

    problem: Problem
    candidates: Candidates
    core: Any  # _core.NearOptimal; None where rows have no tests, so that a leaf is the only tree

    @classmethod
    def of(
        cls,
        problem: Problem,
        candidates: Candidates,
        limits: Limits,
        *,
        slack: float = 0.0,
        objective: float | None = None,
    ) -> NearSet:
        """The set of the trees at most `slack` above the best or, if it is given, of at most `objective`,
        both in people's units.
        """
        if not candidates.tests:
            return cls(problem, candidates, None)
        scale = problem.total / problem.cost_unit
        core = _core.near_optimal(
            **told(problem, candidates, limits),
            slack=slack * scale,
            objective=None if objective is None else objective * scale,
        )
        heard(core.status, limits)
        if not core.has_trees and core.status != OPTIMAL:
            stop(core.status, limits)
        return cls(problem, candidates, core)

    @property
    def status(self) -> str:
        """ "optimal", or what ended the search when it had the trees of a smaller slack."""
        return OPTIMAL if self.core is None else str(self.core.status)

    @property
    def best(self) -> float:
        """The least objective, in people's units."""
        core = self.problem.objective(LEAF) if self.core is None else self.core.best.objective
        return self.problem.risk(core)

    @property
    def slack(self) -> float:
        """The slack whose trees these are, in people's units."""
        return 0.0 if self.core is None else self.problem.risk(self.core.slack)

    def count(self) -> int:
        """How many trees there are."""
        if self.core is None:
            return 1
        return int(self.core.count()) if self.core.has_trees else 0

    def asked(self) -> Candidates:
        """The tests that trees of the set ask; none of another test is in it."""
        if self.core is None or not self.core.has_trees:
            return Candidates((), False)
        tests = self.candidates.tests
        return Candidates(tuple(tests[i] for i in self.core.tests_asked().tolist()), False)

    def histogram(self) -> tuple[NDArray[np.float64], list[int]]:
        """Objectives, rising, and how many trees have each."""
        if self.core is None:
            return np.array([self.best]), [1]
        if not self.core.has_trees:
            return np.empty(0), []
        costs, leaves, counts = self.core.histogram()
        scale = self.problem.cost_unit / self.problem.total
        objectives = costs * self.core.cost_unit + self.problem.core_penalty * leaves
        return objectives * scale, counts

    def outlines(self, begin: int, end: int) -> Iterator[tuple[float, Outline]]:
        """The trees of these ranks with their objectives; they are made as they are asked for."""
        for first in range(begin, end, _BLOCK):
            yield from self._made(lambda first=first: self.core.trees(first, min(_BLOCK, end - first)))

    def drawn(self, n: int, seed: Sequence[int]) -> list[tuple[float, Outline]]:
        """Trees drawn with replacement, each as likely as any other."""
        if self.core is None:
            return list(self._made(lambda: None)) * n
        return list(self._made(lambda: self.core.sample(n, list(seed))))

    def outline(self, tests: Sequence[int]) -> Outline:
        """The tree of these tests in preorder, -1 at leaves."""
        return from_preorder([None if t < 0 else self.candidates.tests[t] for t in tests])

    def _made(self, trees: Any) -> Iterator[tuple[float, Outline]]:
        if self.core is None:
            yield self.best, LEAF
            return
        tests, begins, costs, leaves = trees()
        for begin, end, cost, n_leaves in zip(begins[:-1], begins[1:], costs, leaves, strict=True):
            outline = self.outline(tests[begin:end].tolist())
            mistakes_and_tests = float(cost) * self.core.cost_unit
            yield self.problem.risk(mistakes_and_tests + self.problem.core_penalty * int(n_leaves)), outline


def without(candidates: Candidates, columns: Iterable[int]) -> Candidates:
    """The tests of other columns."""
    gone = set(columns)
    return Candidates(tuple(t for t in candidates.tests if t.column not in gone), candidates.complete)
