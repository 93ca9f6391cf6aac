"""What a bound may use: time and memory.

A bound is an iterator of numbers, each of them proved. Before every piece of work it looks at the clock, and
it books arrays before it makes them. Both raise where nothing is left: what was proved by then stays proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from math import inf
from time import monotonic

_SHARE = 0.5  # of the memory left that a table of many rows takes; the rest is for what is made of it


def _never() -> None:
    """The look of a call without limits."""


class Allowance:
    """Time and memory for one call, and the part of the time that is this bound's."""

    def __init__(
        self, look: Callable[[], None] = _never, *, is_limited: bool = False, n_bytes: float = inf
    ) -> None:
        """`look` raises TimeoutError where the call is to end. `is_limited`: its time has a limit, so that
        every bound ends with its part of the time.
        """
        self._look, self._is_limited = look, is_limited
        self._left = [n_bytes]  # shared by all parts, as is:
        self._fell_short = [False]  # whether something was left out for lack of memory
        self._ends_at = inf

    def until(self, ends_at: float) -> Allowance:
        """The same, for a bound whose part of the time ends then, on time.monotonic."""
        part = copy(self)
        part._ends_at = ends_at
        return part

    def look(self) -> None:
        """Raises TimeoutError where no time is left."""
        self._look()
        if self._is_limited and monotonic() >= self._ends_at:
            raise TimeoutError

    def has_time(self, seconds: float = 0.0) -> bool:
        """Whether to begin something that is not needed and may take so long: there is time in this bound's
        part. Raises TimeoutError where there is none and the call's time is limited.
        """
        self._look()
        is_over = monotonic() + seconds >= self._ends_at
        if is_over and self._is_limited:
            raise TimeoutError
        return not is_over

    @property
    def n_bytes_left(self) -> float:
        """Memory that is not booked."""
        return self._left[0]

    def at_once(self, bytes_each: float, most: int) -> int:
        """How many rows of a table fit, `most` at most. Raises MemoryError where none does."""
        fitting = _SHARE * self._left[0] / bytes_each
        if fitting < 1:
            raise MemoryError(f"{bytes_each:.0f} bytes of {self._left[0]:.0f} that are left")
        return int(min(max(1, most), fitting))

    def leave_out(self) -> None:
        """Notes that a bound goes on without something that does not fit."""
        self._fell_short[0] = True

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Raises MemoryError on leaving if something was left out inside."""
        self._fell_short[0] = False
        yield
        if self._fell_short[0]:
            raise MemoryError

    @contextmanager
    def holding(self, n_bytes: float) -> Iterator[None]:
        """Books memory for what is made inside. Raises MemoryError where it does not fit."""
        with self.growing() as book:
            book(n_bytes)
            yield

    @contextmanager
    def growing(self) -> Iterator[Callable[[float], None]]:
        """Lends a function that books more memory, all of which is free again on leaving."""
        booked = 0.0

        def book(n_bytes: float) -> None:
            nonlocal booked
            self.book(n_bytes)
            booked += n_bytes

        try:
            yield book
        finally:
            self._left[0] += booked

    def book(self, n_bytes: float) -> None:
        """Books memory for as long as the call lasts. Raises MemoryError where it does not fit."""
        if n_bytes > self._left[0]:
            raise MemoryError(f"{n_bytes:.0f} bytes of {self._left[0]:.0f} that are left")
        self._left[0] -= n_bytes


UNLIMITED = Allowance()
