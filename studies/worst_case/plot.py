"""The study of the worst case as a picture: error against max-cost, a panel for each data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from studies.harness.figures import new_figure, tidy
from studies.worst_case.findings import (
    HINGED,
    IMPURITIES,
    WITHOUT_OFFSET,
    Curves,
    error_at,
    max_costs,
)
from studies.worst_case.sets import SOURCES


class Look(NamedTuple):
    """How a curve is drawn."""

    colour: str
    marker: str
    width: float
    style: str = "-"


# Colours that people who see few colours tell apart (Okabe and Ito), with a marker each as well. The Powers
# often coincide: later ones are thinner, so that those below show at their sides.
LOOKS = {
    "Powers 2": Look("#777777", "o", 3.0),
    "Powers 3": Look("#56B4E9", "s", 2.2),
    "Powers 4": Look("#009E73", "^", 1.5),
    "Powers 5": Look("#0072B2", "v", 0.8),
    HINGED: Look("#D55E00", "D", 2.4),
    WITHOUT_OFFSET: Look("#CC79A7", "x", 1.2, "--"),
}
STEEP = 3  # where one test divides the error by more, the panel starts after it


def plot(every: Mapping[str, Curves], folder: Path) -> list[Path]:
    """Draw worst_case.png and worst_case.svg into `folder`, and return their paths."""
    columns = min(3, len(every))
    rows = -(-len(every) // columns)
    figure = new_figure(4.4 * columns, 3.1 * rows + 0.6)
    handles: dict[str, Any] = {}
    for position, (name, curves) in enumerate(every.items(), start=1):
        axes = figure.add_subplot(rows, columns, position)
        handles |= _panel(axes, SOURCES[name].title, curves)
        if (position - 1) % columns == 0:
            axes.set_ylabel("error, % of objects")
        if position > len(every) - columns:
            axes.set_xlabel("max-cost: the most tests of any object")
    names = [f"{HINGED} {name}" if name == WITHOUT_OFFSET else name for name in handles]
    figure.legend(handles.values(), names, loc="outside lower center", ncols=len(handles), frameon=False)
    paths = [folder / "worst_case.png", folder / "worst_case.svg"]
    for path in paths:
        figure.savefig(path)
    return paths


def _panel(axes: Any, title: str, curves: Curves) -> dict[str, Any]:
    costs = max_costs(curves)
    errors = {name: [100 * error_at(curves[name], cost) for cost in costs] for name in IMPURITIES}
    start = _first(errors)
    handles: dict[str, Any] = {}
    for name in IMPURITIES:
        look = LOOKS[name]
        (handles[name],) = axes.plot(
            costs[start:],
            errors[name][start:],
            color=look.colour,
            marker=look.marker,
            markersize=3.5 + 1.5 * look.width,
            linewidth=look.width,
            linestyle=look.style,
        )
    axes.set_title(title, loc="left", fontweight="bold")
    if start:
        axes.text(
            0.98, 0.96, f"no test: {errors[HINGED][0]:.0f} %", transform=axes.transAxes, ha="right", va="top"
        )
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    tidy(axes)
    return handles


def _first(errors: Mapping[str, list[float]]) -> int:
    """The max-cost that a panel starts at: 1 where a single test does most of the work, as in the paper."""
    best = [min(at_cost) for at_cost in zip(*errors.values(), strict=True)]
    return int(len(best) > 2 and best[0] > STEEP * best[1])
