"""What is proved so far, whatever ends the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from thriftree.learning.limits import INTERRUPT, Limits


@dataclass(eq=False)
class Proved:
    """Lower bounds by name, each as high as it is proved, and what was cut short."""

    by_name: dict[str, float] = field(default_factory=dict)
    best: str = ""  # the name of the highest
    is_exact: bool = False  # the highest is the optimum
    cut_short: list[str] = field(default_factory=list)  # what a limit or Ctrl-C ended, or kept from beginning
    stopped_by: str | None = None  # what cut the first of them short

    @property
    def lower(self) -> float:
        """The highest bound."""
        return self.by_name.get(self.best, 0.0)

    def add(self, name: str, bound: float, rounding: float) -> None:
        """A bound that is proved; what is no more than rounding errors counts as nothing."""
        self.by_name[name] = max(self.by_name.get(name, 0.0), bound if bound > rounding else 0.0)
        if self.best == "" or self.by_name[name] > self.lower + rounding:
            self.best = name

    def close(self, name: str) -> None:
        """The bound of this name is the optimum, or the price of the tree itself."""
        self.best, self.is_exact = name, True

    def attempt(self, name: str, work: Callable[[], None], limits: Limits) -> None:
        """Does work that a limit or Ctrl-C may cut short: what it has proved by then stays."""
        try:
            work()
        except TimeoutError:
            self.cut(name, limits.stopped_by or "time_limit")
        except MemoryError:
            self.cut(name, "memory_limit")
        except KeyboardInterrupt as interrupt:
            limits.note(interrupt)
            self.cut(name, INTERRUPT)

    def cut(self, name: str, stopped_by: str) -> None:
        """Notes work that was cut short."""
        self.cut_short.append(name)
        self.stopped_by = INTERRUPT if stopped_by == INTERRUPT else self.stopped_by or stopped_by
