"""The one loop of fit, measure and choose: candidates, by parts of the rows, while the limits last.

A candidate is whatever trees are grown from: a plan, a recipe with a path of trade-offs, an impurity with all
its tolerances, an estimator. A part is whatever rows they are grown from and measured on. The loop knows
neither: it is given the work on one of them, and it alone looks at the clock, tells of progress and starts
processes. What is best, its callers choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TypeAlias, TypeVar

from joblib import Parallel, delayed  # type: ignore[import-untyped]

from thriftree.learning.limits import Limits

C = TypeVar("C")
P = TypeVar("P")
R = TypeVar("R")

Outcome: TypeAlias = tuple[R, str | None]  # what was measured, and the limit that cut a tree of it short
Step: TypeAlias = Callable[[], AbstractContextManager[None]]


class Loop:
    """Work on candidates; notes the limit that ended it, if one did."""

    def __init__(
        self, limits: Limits, *, candidate_step: Step = nullcontext, part_step: Step = nullcontext
    ) -> None:
        self.limits = limits
        self.stopped_by: str | None = None
        self._candidate_step = candidate_step
        self._part_step = part_step

    def each(
        self, candidates: Sequence[C], work: Callable[[C], Outcome[R]], *, n_processes: int | None = None
    ) -> list[R]:
        """What comes of each candidate: of the first in any case, of the others while the limits last. The
        trees of the last may have been cut short.
        """
        if n_processes not in (None, 1):
            ready = Parallel(n_jobs=n_processes, return_as="generator")(map(delayed(work), candidates))
            return [result for result, _ in self._outcomes(candidates, lambda _: next(ready))]
        return [result for result, _ in self._outcomes(candidates, work)]

    def by_part(
        self,
        parts: Iterable[P],
        candidates: Sequence[C],
        work: Callable[[P, C], Outcome[R]],
        *,
        begins: bool = False,
    ) -> list[list[R]]:
        """Part by part, what comes of each candidate. A part that a limit cuts short counts for nothing,
        unless it is the first: of that the candidates count whose trees were grown to their end. So all lists
        are as long as the first.

        `begins`: the first candidate is measured on the first part even if no time is left.
        """
        done: list[list[R]] = []
        for part in parts:
            must = begins and not done
            if self._has_ended() and not must:
                break
            with self._part_step():
                outcomes = list(self._outcomes(candidates, partial(work, part)))
            whole = [result for result, stopped_by in outcomes if stopped_by is None]
            if len(whole) == len(candidates) or not done:
                done.append(whole or [result for result, _ in outcomes[: int(must)]])
        return [row for row in done if row]

    def _outcomes(self, candidates: Sequence[C], work: Callable[[C], Outcome[R]]) -> Iterator[Outcome[R]]:
        for number, candidate in enumerate(candidates):
            if number and self._has_ended():
                return
            with self._candidate_step():
                outcome = work(candidate)
            self.stopped_by = self.stopped_by or outcome[1]
            yield outcome

    def _has_ended(self) -> bool:
        if self.stopped_by is None and self.limits.seconds_left == 0:
            self.stopped_by = "time_limit"
        return self.stopped_by is not None


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
