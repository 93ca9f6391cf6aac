"""How far a study is and how long it may still take: a bar on a terminal, else a line a minute."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable
from statistics import fmean
from typing import Any, Protocol, TextIO


class TimeLeft:
    """Guesses what is left from what was done: work of one kind takes about as long each time."""

    def __init__(self, kinds: Iterable[Hashable], jobs: int) -> None:
        self._jobs = jobs
        self._left: defaultdict[Hashable, int] = defaultdict(int)
        for kind in kinds:
            self._left[kind] += 1
        self._took: defaultdict[Hashable, list[float]] = defaultdict(list)

    def done(self, kind: Hashable, seconds: float) -> None:
        """One less."""
        self._left[kind] -= 1
        self._took[kind].append(seconds)

    def skip(self, kind: Hashable) -> None:
        """One less, which took no time."""
        self._left[kind] -= 1

    @property
    def seconds(self) -> float | None:
        """On the clock; kinds that were not yet seen take the mean of the others. None: nothing was seen."""
        if not self._took:
            return None
        mean = {kind: fmean(took) for kind, took in self._took.items()}
        unseen = fmean(mean.values())
        return sum(n * mean.get(kind, unseen) for kind, n in self._left.items()) / self._jobs


def in_words(seconds: float | None) -> str:
    """A duration as people say it.

    >>> in_words(59.6), in_words(90), in_words(4000), in_words(None)
    ('1 min', '2 min', '1 h 7 min', '?')
    """
    if seconds is None:
        return "?"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


class Bar(Protocol):
    """What shows progress."""

    def show(self, done: int, what: str, left_s: float | None) -> None:
        """So many are done, `what` the last of them."""

    def clear(self) -> None:
        """Take it away."""


def bar(total: int, screen: TextIO | None = None) -> Bar:
    """For a terminal rich's bar if it is installed, else a plain one; for a file a line a minute."""
    screen = screen or sys.stderr
    if not screen.isatty():
        return _Lines(total, screen)
    try:
        from rich.progress import Progress
    except ImportError:
        return _PlainBar(total, screen)
    return _RichBar(total, screen, Progress)


class _Lines:
    EVERY_S = 60.0

    def __init__(self, total: int, screen: TextIO) -> None:
        self._total = total
        self._screen = screen
        self._last = time.perf_counter()

    def show(self, done: int, what: str, left_s: float | None) -> None:
        if time.perf_counter() - self._last < self.EVERY_S:
            return
        self._last = time.perf_counter()
        self._screen.write(f"{done}/{self._total}, {in_words(left_s)} left · {what}\n")
        self._screen.flush()

    def clear(self) -> None:
        """Lines stay."""


class _PlainBar:
    def __init__(self, total: int, screen: TextIO) -> None:
        self._total = total
        self._screen = screen

    def show(self, done: int, what: str, left_s: float | None) -> None:
        filled = 30 * done // max(1, self._total)
        shape = "█" * filled + "·" * (30 - filled)
        line = f"{shape} {done}/{self._total} · {in_words(left_s)} left · {what}"
        self._screen.write(f"\r\x1b[K{line[:110]}")
        self._screen.flush()

    def clear(self) -> None:
        self._screen.write("\r\x1b[K")
        self._screen.flush()


class _RichBar:
    def __init__(self, total: int, screen: TextIO, progress: Any) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

        self._progress = progress(
            BarColumn(30),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(file=screen),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task("starting", total=total)
        self._progress.start()

    def show(self, done: int, what: str, left_s: float | None) -> None:
        words = f"{in_words(left_s)} left · {what}"
        self._progress.update(self._task, completed=done, description=words, refresh=True)

    def clear(self) -> None:
        self._progress.stop()
