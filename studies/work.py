"""Many independent pieces of work on several processes, with a line of progress on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TextIO, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int,
    screen: TextIO | None = None,
    keep: Callable[[Task, Result], None] | None = None,
) -> list[Result]:
    """The results in the order of the tasks. `work` must be a module's own function: processes import it.

    `keep` is called with each result as soon as there is one, here and not in its process.
    """
    progress = _Progress(len(tasks), screen or sys.stderr)
    results: dict[int, Result] = {}
    try:
        for number, result in _finished(work, tasks, jobs):
            results[number] = result
            if keep is not None:
                keep(tasks[number], result)
            progress.show(len(results), str(tasks[number]))
    finally:
        progress.clear()
    return [results[number] for number in range(len(tasks))]


def _finished(
    work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int
) -> Iterator[tuple[int, Result]]:
    if jobs == 1:
        yield from ((number, work(task)) for number, task in enumerate(tasks))
        return
    # Fresh processes: a fork would copy the locks of libraries that keep threads, as LightGBM does.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        numbers = {pool.submit(work, task): number for number, task in enumerate(tasks)}
        try:
            for future in as_completed(numbers):
                yield numbers[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Progress:
    """One line that is written over; nothing where the output is no terminal."""

    def __init__(self, total: int, screen: TextIO) -> None:
        self._total = total
        self._screen = screen if screen.isatty() else None
        self._start = time.perf_counter()
        self.show(0, "starting")

    def show(self, done: int, what: str) -> None:
        if self._screen is None:
            return
        seconds = time.perf_counter() - self._start
        filled = 30 * done // self._total
        left = f", {seconds / done * (self._total - done):.0f} s left" if done else ""
        bar = "█" * filled + "·" * (30 - filled)
        self._screen.write(f"\r\x1b[K{bar} {done}/{self._total} · {seconds:.0f} s{left} · {what}"[:110])
        self._screen.flush()

    def clear(self) -> None:
        if self._screen is not None:
            self._screen.write("\r\x1b[K")
            self._screen.flush()
