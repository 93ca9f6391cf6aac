"""The one loop of fit, measure and choose: candidates, by parts of the rows, while the limits last.

A candidate is whatever trees are grown from: a plan, a recipe with a path of trade-offs, an impurity with all
its tolerances, an estimator. A part is whatever rows they are grown from and measured on. The loop knows
neither: it is given the work on one of them, and it alone looks at the clock, ends for Ctrl-C, tells of
progress and starts processes. What is best, its callers choose.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

from joblib import Parallel, delayed  # type: ignore[import-untyped]

from thriftree.learning.limits import INTERRUPT, Limits, Step, warn_of_limit

C = TypeVar("C")
P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")


class Searched(Protocol):
    """What a search finds: it knows what ended it early, if anything did."""

    @property
    def stopped_by(self) -> str | None:
        """ "time_limit", "memory_limit" or "interrupt"."""


S = TypeVar("S", bound=Searched)

Outcome: TypeAlias = tuple[R, str | None]  # what was measured, and the limit that cut a tree of it short


class TuningLoop:
    """Work on candidates; notes what ended it early, if anything did: a limit, or Ctrl-C."""

    def __init__(
        self, limits: Limits, *, candidate_step: Step = nullcontext, part_step: Step = nullcontext
    ) -> None:
        self.limits = limits
        self.stopped_by: str | None = None
        self._candidate_step = candidate_step
        self._part_step = part_step

    def each(self, candidates: Sequence[C], work: Callable[[C], Outcome[R]]) -> list[R]:
        """What comes of each candidate: of the first in any case, of the others while the limits last. The
        trees of the last may have been cut short.
        """
        return [result for result, _ in self._outcomes(candidates, work, must=True)]

    def one_by_one(
        self, candidates: Sequence[C], work: Callable[[C], Outcome[R]], *, n_processes: int | None = None
    ) -> Iterator[R]:
        """What comes of each candidate, as soon as it is there, while the limits last; maybe of none."""
        if self._has_ended():
            return
        if n_processes in (None, 1):
            yield from (result for result, _ in self._outcomes(candidates, work))
            return
        ready = Parallel(n_jobs=n_processes, return_as="generator")(map(delayed(work), candidates))
        try:
            yield from (result for result, _ in self._outcomes(candidates, lambda _: next(ready)))
        finally:
            with warnings.catch_warnings():  # that work is left undone is meant, where a limit ends it
                warnings.filterwarnings("ignore", ".*adjusting the input task iterator")
                ready.close()

    def by_part(
        self, parts: Iterable[P], candidates: Sequence[C], work: Callable[[P, C], Outcome[R]]
    ) -> list[list[R]]:
        """Part by part, what comes of each candidate. A part that is cut short counts for nothing, unless it
        is the first: of that the candidates count whose trees were grown to their end. So all lists are as
        long as the first.
        """
        done: list[list[R]] = []
        each_part = iter(parts)
        while self.stopped_by is None:  # to make another part takes time, too
            part = self._done(partial(next, each_part, None))
            if part is None or self._has_ended():
                break
            outcomes: list[Outcome[R]] = []
            row = self._outcomes(candidates, partial(work, part))
            self._done(partial(outcomes.extend, row), step=self._part_step)
            whole = [result for result, stopped_by in outcomes if stopped_by is None]
            if len(whole) == len(candidates) or not done:
                done.append(whole)
        return [row for row in done if row]

    def _outcomes(
        self, candidates: Sequence[C], work: Callable[[C], Outcome[R]], *, must: bool = False
    ) -> Iterator[Outcome[R]]:
        """`must`: there is an outcome of the first, whatever happens."""
        for number, candidate in enumerate(candidates):
            if number and self._has_ended():
                return
            first = must and not number
            outcome = self._done(partial(work, candidate), must=first, step=self._candidate_step)
            if outcome is None:
                return
            self.stopped_by = self.stopped_by or outcome[1]
            yield outcome

    def _done(self, work: Callable[[], T], *, must: bool = False, step: Step = nullcontext) -> T | None:
        """What comes of the work; None if Ctrl-C ended it, unless it must be done: then again, without
        time.
        """
        again: Callable[[], T | None] = work if must else lambda: None
        done = self.limits.attempt(work, again, step=step)
        if self.limits.interrupt is not None:
            self.stopped_by = INTERRUPT
        return done

    def _has_ended(self) -> bool:
        self.stopped_by = self.stopped_by or self.limits.stopped_by
        return self.stopped_by is not None


def found_any_time(search: Callable[[], T], limits: Limits) -> T:
    """What a search without an estimator finds. Ctrl-C is raised with what it has as `partial`."""
    with limits.any_time():
        found = limits.attempt(search, search)
        limits.hand_over(found)
    return found


def searched_any_time(
    search: Callable[[], S], limits: Limits, caller: str, there_is: str, remedy: str, *, stacklevel: int
) -> S:
    """As `found_any_time`; a limit is warned of."""
    found = found_any_time(search, limits)
    if found.stopped_by is not None:
        warn_of_limit(found.stopped_by, caller, remedy, there_is=there_is, stacklevel=stacklevel)
    return found


class Meter:
    """Tells a function `progress` how many of `total` steps are done, after each."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self._progress, self._done, self._total = progress, 0, total

    @contextmanager
    def step(self) -> Iterator[None]:
        """One step."""
        yield
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
