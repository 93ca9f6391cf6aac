"""What a call may use: threads, time and memory; how it ends for Ctrl-C; and how it says what stopped it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Protocol, TypeAlias, TypeVar

from joblib import cpu_count, effective_n_jobs  # type: ignore[import-untyped]
from threadpoolctl import ThreadpoolController

SHARE_TO_GROW: Final = 0.8  # of a search's time limit; the rest is for measuring, choosing and keeping
INTERRUPT: Final = "interrupt"  # what `stopped_by` says after Ctrl-C
Step: TypeAlias = Callable[[], AbstractContextManager[None]]  # what is told of some work, around it
T = TypeVar("T")


class LimitReachedWarning(UserWarning):
    """A fit stopped at `time_limit_s` or `memory_limit_mb`: the tree is valid, but not finished."""


@dataclass(eq=False)
class Limits:
    """The limits of one call, counted from its start, and Ctrl-C, which ends its time.

    Everything that a call does shares one of these. So whoever stops where no time is left stops for Ctrl-C
    too, and makes of it what a time limit makes: the best tree so far.
    """

    n_threads: int
    ends_at: float | None  # on time.monotonic
    memory_limit_mb: float | None
    interrupt: KeyboardInterrupt | None = field(default=None, init=False)  # that ended the time
    is_any_time: bool = field(default=False, init=False)  # whether Ctrl-C is kept to the end of the call
    held_bytes: int = field(default=0, init=False)  # by what outlives a single growth

    @classmethod
    def of(cls, n_jobs: int | None, time_limit_s: float | None, memory_limit_mb: float | None) -> Limits:
        """The limits of a call that starts now."""
        # Numbers of numpy may be of few bits.
        ends_at = None if time_limit_s is None else time.monotonic() + float(time_limit_s)
        most_mb = None if memory_limit_mb is None else float(memory_limit_mb)
        return cls(threads_of(n_jobs), ends_at, most_mb)

    @classmethod
    def of_search(
        cls, n_jobs: int | None, time_limit_s: float | None, memory_limit_mb: float | None
    ) -> Limits:
        """The limits of a call that measures and chooses what it grows: the time to grow ends sooner."""
        time_to_grow_s = None if time_limit_s is None else SHARE_TO_GROW * time_limit_s
        return cls.of(n_jobs, time_to_grow_s, memory_limit_mb)

    @property
    def seconds_left(self) -> float | None:
        """Time until the limit; None if there is none."""
        if self.interrupt is not None:
            return 0.0
        return None if self.ends_at is None else max(0.0, self.ends_at - time.monotonic())

    @property
    def memory_left_mb(self) -> float | None:
        """Memory beside what the call holds; None if there is no limit."""
        if self.memory_limit_mb is None:
            return None
        return max(0.0, self.memory_limit_mb - self.held_bytes / 2**20)

    @property
    def stopped_by(self) -> str | None:
        """What leaves no time, if anything does: "time_limit" or "interrupt"."""
        if self.seconds_left != 0:
            return None
        return "time_limit" if self.interrupt is None else INTERRUPT

    def reached(self, error: TimeoutError | MemoryError) -> str:
        """The limit that ended a search with this error: Ctrl-C looks like a lack of time."""
        return self.stopped_by or ("memory_limit" if isinstance(error, MemoryError) else "time_limit")

    def look(self, seconds: float = 0.0) -> None:
        """Raises TimeoutError where no time is left, or no more than the `seconds` that what comes next may
        take.
        """
        left = self.seconds_left
        if left is not None and left <= seconds:
            raise TimeoutError

    def end(self) -> None:
        """From now on no time is left."""
        self.ends_at = time.monotonic()

    @contextmanager
    def within(self, share: float) -> Iterator[None]:
        """Inside, the time ends when this share of what is left is over."""
        ends_at, left = self.ends_at, self.seconds_left
        if ends_at is not None and left is not None:
            self.ends_at = ends_at - (1 - share) * left
        try:
            yield
        finally:
            self.ends_at = ends_at

    @contextmanager
    def holding(self, n_bytes: int) -> Iterator[None]:
        """Inside, so much more is held."""
        self.held_bytes += n_bytes
        try:
            yield
        finally:
            self.held_bytes -= n_bytes

    def matrix_threads(self) -> AbstractContextManager[object]:
        """Inside, BLAS takes no more threads than the call may."""
        limited: AbstractContextManager[object] = _matrix_libraries().limit(
            limits=self.n_threads, user_api="blas"
        )
        return limited

    @contextmanager
    def any_time(self) -> Iterator[None]:
        """Inside, Ctrl-C ends the time that is left, and nothing else; it is raised again on leaving, when
        what there is has been kept. A second one is raised at once.
        """
        self.is_any_time = True
        try:
            yield
        finally:
            self.is_any_time = False
        if self.interrupt is not None:
            raise self.interrupt

    def note(self, interrupt: KeyboardInterrupt) -> None:
        """Ends the time. The first inside `any_time` is kept, any other is raised."""
        if not self.is_any_time or self.interrupt is not None:
            raise interrupt
        self.interrupt = interrupt

    def attempt(self, work: Callable[[], T], otherwise: Callable[[], T], *, step: Step = nullcontext) -> T:
        """What `work` gives or, where Ctrl-C ends it, what `otherwise` gives without time: often the same
        work. `step` is around the work; what is done when Ctrl-C comes at its end is done.
        """
        done: list[T] = []
        try:
            with step():
                done.append(work())
        except KeyboardInterrupt as interrupt:
            self.note(interrupt)
            if not done:
                return otherwise()
        return done[0]

    def hand_over(self, partial: object) -> None:
        """What is there when Ctrl-C is raised again, as its attribute `partial`."""
        if self.interrupt is not None:
            self.interrupt.partial = partial  # type: ignore[attr-defined]


@cache
def _matrix_libraries() -> ThreadpoolController:
    return ThreadpoolController()


def threads_of(n_jobs: int | None) -> int:
    """Threads for `n_jobs`, by joblib's conventions: at most as many as there are CPUs for this process, and
    one inside a worker, so that none are too many.
    """
    if n_jobs == 1:
        return 1
    threads = int(effective_n_jobs(n_jobs))
    return threads if threads == 1 else min(threads, int(cpu_count()))  # which reads files to count


SMALLER_TREE = "ask for a smaller tree (max_leaves, min_leaf) or coarser codes (max_bins=255)"


def warn_of_limit(
    stopped_by: str,
    caller: str,
    remedy: str = SMALLER_TREE,
    *,
    there_is: str = "the tree is valid, but not grown and pruned to the end",
    stacklevel: int = 4,
) -> None:
    """Says which limit the call reached, what there is all the same, and what else than raising it helps."""
    what = {"time_limit": "time_limit_s", "memory_limit": "memory_limit_mb"}[stopped_by]
    warnings.warn(
        f"{caller} stopped at its {what}: {there_is}. Raise {what}, or {remedy}",
        LimitReachedWarning,
        stacklevel=stacklevel,
    )


class Searched(Protocol):
    """What a search finds: it knows what ended it early, if anything did."""

    @property
    def stopped_by(self) -> str | None:
        """ "time_limit", "memory_limit" or "interrupt"."""


S = TypeVar("S", bound=Searched)


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
