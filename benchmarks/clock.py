"""CPU time, all threads of the process together."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_SLOW_S = 3.0


@dataclass(frozen=True)
class Timed(Generic[T]):
    """What a piece of work returned, and its least CPU time in seconds."""

    result: T
    seconds: float


def cpu_time(work: Callable[[], T], *, repeats: int = 3) -> Timed[T]:
    """Least CPU time of some runs. Work of more than a few seconds runs once: there noise weighs little."""
    return _least(work, repeats, 1)


def cpu_time_in_batches(work: Callable[[], T], *, batch: int, repeats: int = 5) -> Timed[T]:
    """The same for work of milliseconds: the mean of a batch of runs, least over some batches."""
    return _least(work, repeats, batch)


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
