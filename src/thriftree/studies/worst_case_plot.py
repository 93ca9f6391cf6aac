"""The study of the worst case as a picture: error against max-cost, a panel for each data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thriftree.studies.price_plot import import_figure
from thriftree.studies.worst_case_findings import HINGED, IMPURITIES, Curves, error_at, max_costs
from thriftree.studies.worst_case_sets import SOURCES

# Colours that people who see few colours tell apart (Okabe and Ito), with a marker each as well.
LOOKS = {
    "Powers 2": ("#000000", "o"),
    "Powers 3": ("#56B4E9", "s"),
    "Powers 4": ("#009E73", "^"),
    "Powers 5": ("#0072B2", "v"),
    HINGED: ("#D55E00", "D"),
}
STEEP = 3  # where one test divides the error by more, the panel starts after it


def plot(every: Mapping[str, Curves], folder: Path) -> list[Path]:
    """Draw worst_case.png and worst_case.svg into `folder`, and return their paths."""
    figure_class = import_figure()
    columns = min(3, len(every))
    rows = -(-len(every) // columns)
    figure = figure_class(figsize=(4.4 * columns, 3.1 * rows + 0.6), dpi=110, layout="constrained")
    handles: dict[str, Any] = {}
    for position, (name, curves) in enumerate(every.items(), start=1):
        axes = figure.add_subplot(rows, columns, position)
        handles |= _panel(axes, SOURCES[name].title, curves)
        if (position - 1) % columns == 0:
            axes.set_ylabel("error, % of objects")
        if position > len(every) - columns:
            axes.set_xlabel("max-cost: the most tests of any object")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles), frameon=False)
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
        colour, marker = LOOKS[name]
        hinged = name == HINGED
        (handles[name],) = axes.plot(
            costs[start:],
            errors[name][start:],
            color=colour,
            marker=marker,
            markersize=6 if hinged else 4.5,
            linewidth=2.2 if hinged else 1.2,
            zorder=3 if hinged else 2,
        )
    axes.set_title(title, loc="left", fontweight="bold")
    if start:
        axes.text(
            0.98, 0.96, f"no test: {errors[HINGED][0]:.0f} %", transform=axes.transAxes, ha="right", va="top"
        )
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#EEEEEE")
    axes.set_axisbelow(True)
    return handles


def _first(errors: Mapping[str, list[float]]) -> int:
    """The max-cost that a panel starts at: 1 where a single test does most of the work, as in the paper."""
    best = [min(at_cost) for at_cost in zip(*errors.values(), strict=True)]
    return int(len(best) > 2 and best[0] > STEEP * best[1])
