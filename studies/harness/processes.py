"""Work on several processes: each piece may take so long, and one that fails says why and stops no other."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

_GRACE_S = 5.0  # for a process to end by itself before it is killed


@dataclass(frozen=True)
class WorkResult(Generic[Result]):
    """What came of one piece of work: a value, or an error that says why there is none."""

    value: Result | None
    error: str | None = None  # None: there is a value
    traceback: str = ""
    timed_out: bool = False
    seconds: float = 0.0  # on the clock


def attempt(work: Callable[[Task], Result], task: Task) -> WorkResult[Result]:
    """Do it here. Ctrl-C is not an error of the work."""
    start = time.perf_counter()
    try:
        value = work(task)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return WorkResult(None, message, traceback.format_exc(), seconds=time.perf_counter() - start)
    return WorkResult(value, seconds=time.perf_counter() - start)


def finished(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, limit_s: float | None = None
) -> Iterator[tuple[Task, WorkResult[Result]]]:
    """Every task with its result, in the order in which they end.

    `work` must be a module's own function: processes import it. A task is taken from `tasks` when a process
    is free for it. One process without a limit is this one.
    """
    if jobs == 1 and limit_s is None:
        yield from ((task, attempt(work, task)) for task in tasks)
        return
    team = _Team(work, limit_s)
    try:
        yield from team.finished(iter(tasks), jobs)
    finally:
        team.end()


class _Team:
    """Worker processes, each busy with one task at a time; one that hangs or dies is replaced."""

    def __init__(self, work: Callable[[Any], Any], limit_s: float | None) -> None:
        self._work = work
        self._limit_s = limit_s
        self._busy: list[_Worker] = []

    def finished(self, tasks: Iterator[Any], jobs: int) -> Iterator[tuple[Any, WorkResult[Any]]]:
        for task in tasks:
            self._busy.append(_Worker(self._work, task, self._limit_s))
            if len(self._busy) == jobs:
                break
        while self._busy:
            for worker in self._next():
                task, result = worker.task, worker.result
                assert result is not None
                following = next(tasks, None)
                if following is None:
                    self._busy.remove(worker)
                    worker.end()
                elif worker.alive:
                    worker.give(following)
                else:
                    self._busy[self._busy.index(worker)] = _Worker(self._work, following, self._limit_s)
                yield task, result

    def _next(self) -> list[_Worker]:
        """Wait until some worker has a result."""
        while True:
            left = [worker.seconds_left for worker in self._busy]
            connection.wait([worker.pipe for worker in self._busy], min(left))
            done = [worker for worker in self._busy if worker.ended()]
            if done:
                return done

    def end(self) -> None:
        for worker in self._busy:
            worker.kill()
        self._busy.clear()


class _Worker:
    """One process and what it does now."""

    def __init__(self, work: Callable[[Any], Any], task: Any, limit_s: float | None) -> None:
        # Fresh processes: a fork would copy the locks of libraries that keep threads, as LightGBM does.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self._process.start()
        theirs.close()
        self._limit_s = limit_s
        self.alive = True
        self.give(task)

    def give(self, task: Any) -> None:
        self.task = task
        self.result: WorkResult[Any] | None = None  # of `task`, once it ended
        self._began: float | None = None  # None: the process is still starting, which no task pays for
        self.pipe.send(task)

    @property
    def seconds_left(self) -> float:
        if self._limit_s is None or self._began is None:
            return 60.0  # then look again
        return max(0.0, self._began + self._limit_s - time.perf_counter())

    def ended(self) -> bool:
        """Whether there is a result now."""
        try:
            while self.result is None and self.pipe.poll():
                message = self.pipe.recv()
                if message is None:
                    self._began = time.perf_counter()
                else:
                    self.result = message
        except (EOFError, ConnectionResetError):
            self._process.join(_GRACE_S)
            self.alive = False
            self.result = WorkResult(None, f"the process ended with code {self._process.exitcode}")
        if self.result is None and self._began is not None and self.seconds_left == 0:
            self.kill()
            self.alive = False
            message = f"more than {self._limit_s:g} s"
            self.result = WorkResult(None, message, timed_out=True, seconds=self._limit_s or 0.0)
        return self.result is not None

    def end(self) -> None:
        """Let it go, now that it has nothing to do."""
        if self.alive:
            self.pipe.send(None)
            self._process.join(_GRACE_S)
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(pipe: connection.Connection[Any, Any], work: Callable[[Any], Any]) -> None:
    """A worker: for each task that arrives None, as it begins, and then the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that began the study
    try:
        while (task := pipe.recv()) is not None:
            pipe.send(None)
            pipe.send(attempt(work, task))
    except (EOFError, BrokenPipeError):
        return  # nobody is waiting any more
