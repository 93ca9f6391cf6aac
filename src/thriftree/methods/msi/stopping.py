"""When a compression ends before its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from thriftree.learning.limits import Limits

#: Called between pieces of work with the seconds that the next may take; raises if it must not begin.
Look: TypeAlias = Callable[[float], None]


class Stopping:
    """The clock of a fit, and the word to its threads that nobody waits for them any more."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left_alone = False

    def look(self, seconds: float = 0.0) -> None:
        """Raises TimeoutError where the next piece of work would not end in time, or in vain."""
        if self._left_alone:
            raise TimeoutError
        self._limits.look(seconds)

    @contextmanager
    def ends_threads(self) -> Iterator[None]:
        """A block that threads work for; once it is left, they stop at their next look."""
        try:
            yield
        finally:
            self._left_alone = True
