"""Parts in this process, worked on by threads: the engine that all tests run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from thriftree.distributed.parts import TablePart

_LOOK_S: Final = 0.05  # between looks for Ctrl-C while threads work


class LocalParts:
    """Contents in memory; ``fit`` takes it in place of X, if they are `TablePart`s.

    >>> LocalParts([1, 2, 3]).keep(pow, 2).reduce(int, lambda a, b: a + b)
    14
    """

    def __init__(self, contents: Sequence[Any], n_threads: int = 2) -> None:
        if not contents:
            raise ValueError("a table in parts needs at least one part: give a list of TablePart")
        self._contents = [
            replace(content, index=i) if isinstance(content, TablePart) else content
            for i, content in enumerate(contents)
        ]
        self._n_threads = n_threads

    @property
    def n_parts(self) -> int:
        """How many there are."""
        return len(self._contents)

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """function(content, *arguments) of every part, in order of parts."""
        if self._n_threads == 1 or self.n_parts == 1:
            return [function(content, *arguments) for content in self._contents]
        pool = ThreadPoolExecutor(self._n_threads)
        try:
            answers = [pool.submit(function, content, *arguments) for content in self._contents]
            _await(answers)
            return [answer.result() for answer in answers]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def reduce(self, function: Callable[..., Any], add: Callable[[Any, Any], Any], *arguments: Any) -> Any:
        """The answers of all parts, brought together."""
        answers = iter(self.map(function, *arguments))
        total = next(answers)
        for answer in answers:
            total = add(total, answer)
        return total

    def keep(self, function: Callable[..., Any], *arguments: Any) -> LocalParts:
        """Parts of what the function makes of each."""
        return LocalParts(self.map(function, *arguments), self._n_threads)

    def order(self) -> list[int]:
        """How many rows lie before each part."""
        lengths = (len(part.y) for part in self._contents)
        return list(accumulate(lengths, initial=0))[:-1]

    def close(self) -> None:
        """Nothing to do: memory goes with the object."""


def _await(answers: Sequence[Future[Any]]) -> None:
    """Until all are there or one failed, awake often enough for Ctrl-C."""
    waiting = set(answers)
    while waiting:
        done, waiting = wait(waiting, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        for answer in done:
            answer.result()
