"""The study of self-tuning trees as two pictures: the paper's Figures 9 to 11, and accuracy against nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from studies.harness.figures import new_figure, tidy
from studies.self_tuning.claims import POINTS, rivals_of
from studies.self_tuning.methods import METHODS, OURS, PAPER_CART, PRUNED_CART, TUNED_CART
from studies.self_tuning.results import DivisionResults

# Colours that people who see few colours tell apart (Okabe and Ito), with a marker each as well.
LOOKS = {
    OURS: ("#D55E00", "*"),
    PAPER_CART: ("#999999", "o"),
    TUNED_CART: ("#000000", "o"),
    "CART": ("#999999", "s"),
    PRUNED_CART: ("#000000", "s"),
    "C4.5": ("#56B4E9", "^"),
    "CHAID": ("#009E73", "v"),
    "PUBLIC": ("#0072B2", "D"),
    "QUEST": ("#CC79A7", "P"),
}


class Panel(NamedTuple):
    """One of the stacked panels."""

    score: str
    label: str
    factor: float = 1.0
    logarithmic: bool = False


PANELS = (
    Panel("accuracy", "accuracy, %", 100.0),
    Panel("nodes", "nodes", logarithmic=True),
    Panel("depth", "depth"),
)


def plot(every: Mapping[str, DivisionResults], folder: Path) -> list[Path]:
    """Draw self_tuning and self_tuning_trade_off (png and svg) into `folder`, and return their paths."""
    paths = []
    for name, draw in (("self_tuning", _figures_9_to_11), ("self_tuning_trade_off", _trade_offs)):
        figure = draw(every)
        for ending in ("png", "svg"):
            paths.append(folder / f"{name}.{ending}")
            figure.savefig(paths[-1])
    return paths


def _drawn(results: DivisionResults) -> list[str]:
    return [method for method in METHODS if method in results.scores]


def _figures_9_to_11(every: Mapping[str, DivisionResults]) -> Any:
    figure = new_figure(12.8, 10.6)
    handles: dict[str, Any] = {}
    for position, panel in enumerate(PANELS, start=1):
        axes = figure.add_subplot(len(PANELS), 1, position)
        handles |= _grouped_dots(axes, every, panel)
    _legend(figure, handles)
    return figure


def _grouped_dots(axes: Any, every: Mapping[str, DivisionResults], panel: Panel) -> dict[str, Any]:
    handles: dict[str, Any] = {}
    methods = _drawn(next(iter(every.values())))
    step = 0.8 / max(len(methods), 2)
    for place, method in enumerate(methods):
        estimates = [results.of(method, panel.score) for results in every.values()]
        handles[method] = _dots(
            axes,
            method,
            [i + step * (place - (len(methods) - 1) / 2) for i in range(len(every))],
            [panel.factor * estimate.mean for estimate in estimates],
            yerr=[panel.factor * estimate.error for estimate in estimates],
        )
    for border in range(1, len(every)):
        axes.axvline(border - 0.5, color="#DDDDDD", linewidth=1)
    axes.set_xlim(-0.5, len(every) - 0.5)
    axes.set_xticks(range(len(every)), list(every))
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel(panel.label)
    if panel.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#EEEEEE")
    axes.set_axisbelow(True)
    return handles


def _trade_offs(every: Mapping[str, DivisionResults]) -> Any:
    columns = min(4, len(every))
    rows = -(-len(every) // columns)
    figure = new_figure(3.2 * columns, 2.8 * rows + 0.8)
    handles: dict[str, Any] = {}
    most = max(results.mean(method, "nodes") for results in every.values() for method in _drawn(results))
    for position, (name, results) in enumerate(every.items(), start=1):
        axes = figure.add_subplot(rows, columns, position)
        handles |= _trade_off(axes, name, results)
        axes.set_xlim(0.8, 1.6 * most)  # the same in all, so that sizes compare
        if (position - 1) % columns == 0:
            axes.set_ylabel("accuracy, %")
        if position > len(every) - columns:
            axes.set_xlabel("nodes")
    _legend(figure, handles)
    return figure


def _trade_off(axes: Any, name: str, results: DivisionResults) -> dict[str, Any]:
    handles: dict[str, Any] = {}
    for method in _drawn(results):
        nodes, accuracy = results.of(method, "nodes"), results.of(method, "accuracy")
        handles[method] = _dots(
            axes,
            method,
            [nodes.mean],
            [100 * accuracy.mean],
            xerr=[nodes.error],
            yerr=[100 * accuracy.error],
        )
    rivals = [results.mean(name, "accuracy") for name in rivals_of(OURS) if name in results.scores]
    if rivals:
        best = 100 * max(rivals)
        handles[f"within {100 * POINTS:.0f} points of the best other"] = axes.axhspan(
            best - 100 * POINTS, best, color="#F0E442", alpha=0.35, linewidth=0, zorder=0
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(name, loc="left", fontweight="bold")
    tidy(axes)
    return handles


def _dots(axes: Any, method: str, x: list[float], y: list[float], **errors: Any) -> Any:
    colour, marker = LOOKS[method]
    return axes.errorbar(
        x,
        y,
        **errors,
        fmt=marker,
        linestyle="none",
        color=colour,
        markersize=12 if method == OURS else 6,
        elinewidth=1,
        ecolor=(colour, 0.4),
        zorder=3 if method == OURS else 2,
    )


def _legend(figure: Any, handles: Mapping[str, Any]) -> None:
    """Below the panels, in two lines where there are many."""
    columns = len(handles) if len(handles) < 10 else 5
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, frameon=False)
