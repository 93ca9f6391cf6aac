"""CPU time, all threads of the process together."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")

_SLOW_S = 3.0


@dataclass(frozen=True)
class Timed(Generic[T]):
    """What a piece of work returned, and its least CPU time in seconds."""

    result: T
    seconds: float


def cpu_time(work: Callable[[], T], *, repeats: int = 3) -> Timed[T]:
    """Least CPU time of some runs. Work of more than a few seconds runs once: there noise weighs little."""
    return _least(work, repeats, 1)


def cpu_times_in_turn(
    ours: Callable[[], T], theirs: Callable[[], S], *, batch: int, repeats: int = 9
) -> tuple[Timed[T], Timed[S]]:
    """Two works of milliseconds, in turn, so that whatever the machine does meets both: the mean of a
    batch of runs, least over some batches.
    """
    our_best, their_best = _least(ours, 1, batch), _least(theirs, 1, batch)
    for _ in range(repeats - 1):
        our_best = min(our_best, _least(ours, 1, batch), key=lambda timed: timed.seconds)
        their_best = min(their_best, _least(theirs, 1, batch), key=lambda timed: timed.seconds)
    return our_best, their_best


def _least(work: Callable[[], T], repeats: int, batch: int) -> Timed[T]:
    least = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        for _ in range(batch):
            result = work()
        seconds = (time.process_time() - start) / batch
        least = min(least, seconds)
        if seconds > _SLOW_S:
            break
    return Timed(result, least)
