"""The picture of a frontier: what a better score costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thriftree.plot.axes import new_axes, scale_prices
from thriftree.plot.palette import BLUE, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thriftree.tuning.frontier.points import Frontier, FrontierPoint

Floats = NDArray[np.float64]

_NAMES = {"accuracy": "Accuracy", "auc": "AUC", "r2": "r²"}


def plot_frontier(frontier: Frontier, ax: Axes | None = None) -> Axes:
    """Score against expected price: a dot for each tree of the frontier, the larger the more leaves, and a
    step line for the best score that an expected price buys. A small ring above a dot is the score as it was
    measured, before it was corrected for the choice. Trees that others beat are faint, as measured.

    Parameters
    ----------
    frontier : Frontier
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    The Axes drawn on.
    """
    if not len(frontier):
        raise ValueError("the frontier has no trees to plot")
    if not frontier.measured:
        raise ValueError("the frontier has no score to plot: raise time_limit_s, so that a tree is measured")
    ax = new_axes() if ax is None else ax
    score, expected, _, leaves = np.array([point.figures(frontier.metric) for point in frontier]).T
    right = scale_prices(ax, expected)
    corrected = frontier.metric in frontier.corrected
    if frontier.dominated:
        beaten = np.array([figures for figures in frontier.dominated if figures[1] <= right]).reshape(-1, 4)
        words = "beaten by another, as measured" if corrected else "beaten by another"
        ax.scatter(beaten[:, 1], beaten[:, 0], s=12, color=GREY, alpha=0.4, linewidths=0, label=words)
    steps = _steps(expected, score)
    ax.step(
        [*expected[steps], right], [*score[steps], score[steps[-1]]], where="post", color=BLUE, linewidth=1.5
    )
    if corrected:
        measured = [point.measured[frontier.metric] for point in frontier]
        ax.vlines(expected, score, measured, color=BLUE, linewidth=0.8, alpha=0.5, zorder=2)
        ax.scatter(
            expected, measured, s=16, facecolor="white", edgecolor=BLUE, zorder=2.5, label="as measured"
        )
    words = "on the frontier, corrected for the choice" if corrected else "on the frontier"
    ax.scatter(expected, score, s=_areas(leaves), color=BLUE, edgecolor="white", zorder=3, label=words)
    ax.margins(y=0.1)
    priced = frontier[0].tree.prices is not None
    ax.set_xlabel("Expected price of a row" if priced else "Expected number of questions")
    ax.set_ylabel(f"{_NAMES[frontier.metric]} on held-out rows")
    ax.legend(loc="lower right", frameon=False, fontsize=9)
    _label(ax, frontier, steps)
    return ax


def _steps(expected: Floats, score: Floats) -> list[int]:
    """Positions, by rising price, of the trees that score more than every cheaper one."""
    best, steps = -np.inf, []
    for i in np.lexsort((-score, expected)):
        if score[i] > best:
            best = float(score[i])
            steps.append(int(i))
    return steps


def _areas(leaves: Floats) -> Floats:
    """The area of each dot: twice the leaves, a few points more across."""
    return np.asarray((5.0 + 2.0 * np.log2(leaves)) ** 2, dtype=np.float64)


def _words(point: FrontierPoint, worst: float, leaves: float) -> str:
    words = f"{leaves:.0f} {'leaf' if leaves == 1 else 'leaves'}, at most {worst:.4g}"
    return words if (point.compared or 1) == 1 else f"{words}\nbest of {point.compared}"


def _label(ax: Axes, frontier: Frontier, steps: list[int]) -> None:
    """Says what the trees on the step line are, the best first, as far as words do not overlap."""
    from matplotlib.patheffects import withStroke
    from matplotlib.transforms import Bbox

    dots = ax.transData.transform([point.figures(frontier.metric)[1::-1] for point in frontier])
    taken = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in dots]
    for i in reversed(steps):
        score, expected, worst, leaves = frontier[i].figures(frontier.metric)
        words = ax.annotate(
            _words(frontier[i], worst, leaves),
            (expected, score),
            xytext=(8, -5),
            verticalalignment="top",
            textcoords="offset points",
            fontsize=8,
            color=INK,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
        box = words.get_window_extent().padded(2)
        if any(box.overlaps(other) for other in taken):
            words.remove()
        else:
            taken.append(box)
