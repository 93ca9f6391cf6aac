"""Parts that this process loads one after the other; what is kept lies in memory as far as it is spare, else
in a file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, islice
from typing import Any, Final
from weakref import WeakSet

from thriftree.distributed.memory import spare_bytes
from thriftree.distributed.spill import SpillFile, n_bytes_of

Load = Callable[[], Any]
_LOOK_S: Final = 0.05  # between looks at the clock and for Ctrl-C while a thread works
_SHARE: Final = 0.25  # of the memory that is left when contents are made that they may take
_BESIDE: Final = 2  # times what a content's arrays take, with what is made of them while trees grow


class LoadedParts:
    """Contents that are loaded when a function is to see them, and forgotten afterwards."""

    def __init__(
        self,
        loads: Sequence[Load],
        n_rows: Callable[[], list[int]],
        *,
        n_threads: int = 1,
        file: SpillFile | None = None,
    ) -> None:
        self._loads = list(loads)
        self._n_rows = n_rows
        self._n_threads = n_threads
        self._file = file  # that the contents lie in, if they were kept
        self._kept: WeakSet[LoadedParts] = WeakSet()  # what was made of these
        self._look: Callable[[], None] = _do_not_look

    @property
    def n_parts(self) -> int:
        """How many there are."""
        return len(self._loads)

    @contextmanager
    def watched(self, look: Callable[[], None]) -> Iterator[None]:
        """Inside, `look` is called while parts are waited for, and may raise; what is kept is not watched."""
        self._look = look
        try:
            yield
        finally:
            self._look = _do_not_look

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """function(content, *arguments) of every part, in order of parts."""
        return list(self._answers(function, arguments))

    def reduce(self, function: Callable[..., Any], add: Callable[[Any, Any], Any], *arguments: Any) -> Any:
        """The answers of all parts, each added as soon as those before it are there."""
        answers = self._answers(function, arguments)
        total = next(answers)
        for answer in answers:
            total = add(total, answer)
        return total

    def keep(self, function: Callable[..., Any], *arguments: Any) -> LoadedParts:
        """Parts of what the function makes of each: the first ones stay in memory, as many as a share of it
        holds, the others lie in a file and are mapped when they are asked for.
        """
        file, spare = SpillFile(), spare_bytes() * _SHARE
        loads: list[Load] = []
        try:
            for content, n_bytes in self._answers(partial(_measured, function), arguments):
                spare -= _BESIDE * n_bytes
                loads.append(
                    partial(_same, content) if spare > 0 else partial(file.read, file.write(content))
                )
        except BaseException:
            file.close()
            raise
        kept = LoadedParts(loads, self._n_rows, n_threads=self._n_threads, file=file)
        self._kept.add(kept)
        return kept

    def order(self) -> list[int]:
        """How many rows lie before each part."""
        return list(accumulate(self._n_rows(), initial=0))[:-1]

    def close(self) -> None:
        """Gives back the space of what was kept, also of parts that were made of these."""
        for kept in self._kept:
            kept.close()
        self._loads = []
        if self._file is not None:
            self._file.close()

    def _answers(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Any]:
        """In order of parts. A thread works also where there is only one, so that Ctrl-C is heard at once."""
        todo = iter(self._loads)
        pool = ThreadPoolExecutor(self._n_threads, thread_name_prefix="thriftree-parts")
        running: deque[Future[Any]] = deque()
        try:
            for load in islice(todo, self._n_threads + 1):
                running.append(pool.submit(_applied, load, function, arguments))
            while running:
                answer = self._awaited(running.popleft())
                for load in islice(todo, 1):
                    running.append(pool.submit(_applied, load, function, arguments))
                yield answer
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _awaited(self, answer: Future[Any]) -> Any:
        self._look()
        while not answer.done():
            wait([answer], timeout=_LOOK_S)
            self._look()
        return answer.result()


def _applied(load: Load, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(load(), *arguments)


def _measured(function: Callable[..., Any], content: Any, *arguments: Any) -> tuple[Any, int]:
    made = function(content, *arguments)
    return made, n_bytes_of(made)


def _same(content: Any) -> Any:
    return content


def _do_not_look() -> None:
    pass
