"""What a search for the best tree has proved: while it runs, and of the tree it found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thriftree.cli.screen import ShownProgress


@contextmanager
def told_of_search(progress: ShownProgress) -> Iterator[None]:
    """Inside, a search with a bound shows how far it is: the bar is almost full where the bound meets the
    best. What is left then is which of the trees that are as good has the fewest leaves and comes first.
    """
    from thriftree.learning.progress import listening

    def told(_seconds: float, incumbent: float, bound: float) -> None:
        gap = (incumbent - bound) / incumbent if incumbent > bound else 0.0
        state = f"gap {gap:.1%}" if gap > 0 else "reached: looking for fewer leaves"
        shown = f"best {incumbent:.4f}, bound {bound:.4f}, {state}"
        progress(min(round(100 * (1 - gap)), 99), 100, shown)  # the clock of a full bar stands still

    with listening(told):
        yield


def line(model: Any) -> tuple[str, str, str]:
    """Name, value and remark for the figures of a fit."""
    about = f"errors + {model.leaf_penalty_:.3g} a leaf"
    if model.status_ == "optimal":
        proved = f"proved best for {model.proved_for_}"
    else:
        proved = f"none below {model.lower_bound_:.4f} for {model.proved_for_}, gap {model.gap_:.1%}"
    return "objective", f"{model.objective_:.4f}", f"{about}; {proved}"


def sentence(model: Any) -> str:
    """The same in a line."""
    name, value, more = line(model)
    return f"{name} {value}: {more}"


def facts(model: Any) -> dict[str, Any]:
    """The same for programs."""
    names = ("objective", "lower_bound", "gap", "status", "proved_for", "leaf_penalty")
    return {name: getattr(model, f"{name}_") for name in names}
