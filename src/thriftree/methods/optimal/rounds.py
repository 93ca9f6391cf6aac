"""Generate tests, search, polish on the exact values, add what was found, search again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, TypeAlias

from thriftree.costs import TestCosts
from thriftree.learning.growth import Plan
from thriftree.learning.limits import Limits
from thriftree.methods.optimal.candidates import Candidates, are_few, every_test, generated, most_tests
from thriftree.methods.optimal.core_search import PROOF, Found, HowToSearch, search
from thriftree.methods.optimal.greedy import greedy_outlines, large_outline
from thriftree.methods.optimal.outline import LEAF, Outline
from thriftree.methods.optimal.polish import polished
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.ranks import AllThresholds
from thriftree.methods.optimal.trimmed import trimmed

Tell: TypeAlias = Callable[[float, float, float], None]  # seconds, incumbent, bound, as people know them

OPTIMAL: Final = "optimal"
HEURISTIC: Final = "heuristic"
INTERRUPTED: Final = "interrupted"
_EXACT_DEPTH: Final = 3  # down to which a proof takes no longer than a look-ahead
_LOOKAHEAD: Final = HowToSearch(lookahead=3, beam=2)
_MOST_QUICK_ROUNDS: Final = 6
_MOST_PROOFS: Final = 4
MOST_ALL_TESTS: Final = 256  # that a search over all thresholds takes as given tests
_DEEPEST_SWEEP: Final = 3


@dataclass(frozen=True)
class Settings:
    """Which tests there are, and whether a proof is wanted."""

    thresholds: str = "auto"
    how: HowToSearch = PROOF


@dataclass(frozen=True)
class Solution:
    """The best tree that was found, in people's units. `lower_bound` is over tests that include its own."""

    outline: Outline
    objective: float
    lower_bound: float
    status: str
    proved_for: str
    history: tuple[tuple[float, float, float], ...]  # seconds, incumbent, bound
    stopped_by: str | None = None  # the limit that ended the polish of a tree that was proved already


@dataclass
class Rounds:
    """One search for the best tree; what it has found is there at any time."""

    problem: Problem
    plan: Plan  # of the greedy trees
    prices: TestCosts | None  # that the enhanced tree chooses by
    settings: Settings
    limits: Limits
    tell: Tell | None = None

    best: Outline = field(default=LEAF, init=False)
    value: float = field(default=inf, init=False)  # of `best`, in the core's units
    bound: float | None = field(default=None, init=False)  # over the tests of `candidates`; None: not known
    status: str = field(default=HEURISTIC, init=False)
    candidates: Candidates = field(default=Candidates((), False), init=False)
    proved_for: str = field(default="", init=False)
    history: list[tuple[float, float, float]] = field(default_factory=list, init=False)
    stopped_by: str | None = field(default=None, init=False)  # a limit, in `_run`

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._consider(LEAF)

    def run(self, warm: Sequence[Outline] = ()) -> Solution:
        """Searches until nothing improves, or a limit or Ctrl-C ends it. The result is no worse than what
        pruning makes of the trees it begins with: of the first, where there is no time.
        """
        try:
            self._run(warm)
        except KeyboardInterrupt as interrupt:
            self.limits.note(interrupt)
        except TimeoutError:
            self.stopped_by = "time_limit"
        except MemoryError:
            self.stopped_by = "memory_limit"
        if self.stopped_by is not None and self.status != OPTIMAL:  # what is proved stays proved
            self.status = self.stopped_by
        if self.limits.interrupt is not None:
            self.status = INTERRUPTED
        elif self.limits.stopped_by is not None and self.status == HEURISTIC:
            self.status = "time_limit"
        return self.solution()

    def solution(self) -> Solution:
        """What there is now."""
        problem = self.problem
        objective = problem.risk(self.value)
        proved = self.status == OPTIMAL and problem.prices is None
        bound = min(problem.bound(self.value if proved else self._least(), self.value), objective)
        words = self.proved_for or f"the {len(self.candidates.tests)} generated tests"
        history = tuple(self.history)
        return Solution(self.best, objective, bound, self.status, words, history, self.stopped_by)

    def _run(self, warm: Sequence[Outline]) -> None:
        for outline in dict.fromkeys(warm):
            self._consider(trimmed(self.problem, outline))
            self.limits.look()
        sweeps = not self.all_are_known() and self.settings.thresholds == "all"
        outlines = list(warm)
        if not self._proof_alone(sweeps):
            outlines += self._greedy()
        if not self.candidates.complete and not (sweeps and self._all_ordered()):
            self.candidates = generated(self.problem, outlines, self._most_tests, self.limits)
        self.candidates = self.candidates.with_tests(self.best.asked)
        if sweeps:
            self._sweep()
            return
        if self.candidates.complete:
            self.proved_for = "all thresholds"
        if self.settings.how != PROOF or not self._is_flat():
            self._quick_rounds()
        if self.settings.how == PROOF:
            self._proofs()

    def all_are_known(self) -> bool:
        """Whether the tests are so few that all of them are searched; then they are `candidates`."""
        every = self.settings.thresholds == "all"
        if every and not self.problem.n_classes:
            self.candidates = every_test(self.problem)
            self.proved_for = "all thresholds"
        elif are_few(self.problem, MOST_ALL_TESTS if every else self._most_tests):
            self.candidates = generated(self.problem, (), MOST_ALL_TESTS, self.limits)
            if self.candidates.complete:
                self.proved_for = "all thresholds"
        return self.candidates.complete

    @property
    def _most_tests(self) -> int:
        problem = self.problem
        return most_tests(len(problem.rows), problem.shape.max_depth, of_numbers=not problem.n_classes)

    def _proof_alone(self, sweeps: bool) -> bool:
        """Whether a proof over all tests is sure to come to its end, so that it needs no other trees."""
        unlimited = self.limits.ends_at is None and self.limits.memory_limit_mb is None
        all_known = self.candidates.complete or (sweeps and self._all_ordered())
        return all_known and self.settings.how == PROOF and unlimited and self.problem.can_be_proved

    def _all_ordered(self) -> bool:
        """Whether all tests are thresholds, which a sweep looks at by itself."""
        seen = self.problem.seen
        return all(seen[j].ordered for j in range(len(seen)))

    def _is_flat(self) -> bool:
        depth = self.problem.shape.max_depth
        return self.candidates.complete or (depth is not None and depth <= _EXACT_DEPTH)

    def _greedy(self) -> list[Outline]:
        grown: list[Outline] = []
        for outline, pruned, value in greedy_outlines(self.problem, self.plan, self.prices, self.limits):
            grown.append(outline)
            self._consider(pruned, value)
            self.limits.look()
        if not self.candidates.complete:
            grown.append(large_outline(self.problem, self.plan, self.limits))
        return grown

    def _quick_rounds(self) -> None:
        """Searches by look-ahead, each followed by polish, until neither improves."""
        how = _LOOKAHEAD if self.settings.how == PROOF else self.settings.how
        for _ in range(_MOST_QUICK_ROUNDS):
            self.limits.look()
            before = self.value
            found = self._searched(how)
            self._consider(found.outline, found.objective)
            if self.candidates.complete or not (self._polish() or self.value < before):
                return

    def _proofs(self) -> None:
        """Searches to the end; polish that finds better gives the next its thresholds."""
        for number in range(_MOST_PROOFS):
            self.limits.look()
            found = self._searched(PROOF)
            self.bound, self.status = found.lower_bound, found.status
            self._consider(found.outline, found.objective)
            if found.status != OPTIMAL or self.candidates.complete or number + 1 == _MOST_PROOFS:
                return
            if not self._polish():
                return
            self.status = HEURISTIC  # until the next proof, which is over tests that have the new ones

    def _searched(self, how: HowToSearch) -> Found:
        offset = time.monotonic() - self._began
        found = search(
            self.problem, self.candidates, self.limits, how, self.best, progress=self._progress(offset)
        )
        self._record(found, offset)
        return found

    def _sweep(self) -> None:
        """Every threshold of numbers; categories have the tests that were generated."""
        depth = self.problem.shape.max_depth
        if depth is None or depth > _DEEPEST_SWEEP:
            raise ValueError(
                f'thresholds="all" proves trees of max_depth <= {_DEEPEST_SWEEP}, and max_depth is {depth}: '
                'lower it, or take thresholds="auto"'
            )
        if self.problem.prices is not None:
            raise ValueError(
                'thresholds="all" looks at every threshold without prices, and this table has more than '
                f'{MOST_ALL_TESTS} tests: take thresholds="auto", or price_weight=0 and no budget'
            )
        self.limits.look()
        of_categories = [t for t in self.candidates.tests if not self.problem.seen[t.column].ordered]
        ranks = AllThresholds(self.problem, of_categories, every_column=True)
        self.proved_for = "all thresholds"
        if of_categories:
            self.proved_for += f", and {len(of_categories)} generated tests of categories"
        offset = time.monotonic() - self._began
        found = ranks.swept(depth, self.limits, self.value, self._progress(offset))
        self._record(found, offset)
        self.bound, self.status = found.lower_bound, found.status
        self._consider(found.outline)

    def _polish(self) -> bool:
        """Whether thresholds were found that make the best tree better; they join the tests."""
        if self.best == LEAF:
            return False
        self.limits.look()
        before = self.value
        self._consider(polished(self.problem, self.best, self.limits))
        if not self.value < before:
            return False
        self.bound = None
        self.candidates = self.candidates.with_tests(self.best.asked)
        return True

    def _consider(self, outline: Outline, value: float | None = None) -> bool:
        """Takes the outline if it is better than the best so far, or as good with fewer leaves. `value` is
        its objective, where it is known.
        """
        value = self.problem.objective(outline) if value is None else value
        rounding = 1e-12 * abs(self.value) if self.value < inf else 0.0
        better = value < self.value - rounding
        if better or (value <= self.value + rounding and outline.n_leaves < self.best.n_leaves):
            self.best, self.value = outline, min(value, self.value)
            seconds = time.monotonic() - self._began
            self._note(seconds, self.value, self._least())
            if self.tell is not None:
                self.tell(*self.history[-1])
        return better

    def _least(self) -> float:
        """What no tree is below: what was proved, or the penalty of one leaf."""
        least = self.problem.least_objective
        return least if self.bound is None else max(self.bound, least)

    def _record(self, found: Found, offset: float) -> None:
        for seconds, incumbent, bound in found.history:
            self._note(offset + seconds, incumbent, bound)

    def _note(self, seconds: float, incumbent: float, bound: float) -> None:
        risk, least = self.problem.risk, max(bound, self.problem.least_objective)
        self.history.append((seconds, risk(min(incumbent, self.value)), risk(least)))

    def _progress(self, offset: float) -> Tell | None:
        tell = self.tell
        if tell is None:
            return None
        risk = self.problem.risk

        def told(seconds: float, incumbent: float, bound: float) -> None:
            least = max(bound, self.problem.least_objective)
            tell(offset + seconds, risk(min(incumbent, self.value)), risk(least))

        return told
