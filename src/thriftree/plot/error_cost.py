"""The picture of an error-cost curve: what less error costs at worst, by impurity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from thriftree.plot.axes import new_axes, scale_prices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thriftree.tuning.frontier.error_cost import ErrorCostCurve

# Okabe and Ito's colours, which most eyes can tell apart, the strongest first.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def plot_error_cost(
    curve: ErrorCostCurve, ax: Axes | None = None, *, error: Literal["training", "test"] = "training"
) -> Axes:
    """Error against worst-case price: a mark for each tree, and for each impurity a step line of what a price
    buys.

    Parameters
    ----------
    curve : ErrorCostCurve
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.
    error : {"training", "test"}, default="training"
        The error to draw. The trees are always those of least training error.

    Returns
    -------
    The Axes drawn on.
    """
    if not curve.points:
        raise ValueError("the curve has no trees to plot")
    if error == "test" and curve.points[0].test_error is None:
        raise ValueError("the curve has no test error: give error_cost_curve test=(X, y)")
    ax = new_axes() if ax is None else ax
    right = scale_prices(ax, np.array([point.worst_case_cost for point in curve.points]))
    for number, (name, points) in enumerate(curve.curves.items()):
        above = len(curve.curves) - 1 - number  # later lines are thinner, so that equal ones show beneath
        prices = [point.worst_case_cost for point in points]
        errors = [getattr(point, f"{error}_error") for point in points]
        ax.step(
            [*prices, right],
            [*errors, errors[-1]],
            where="post",
            color=_COLOURS[number % len(_COLOURS)],
            marker=_MARKERS[number % len(_MARKERS)],
            markevery=list(range(len(prices))),
            markersize=4.0 + 1.3 * above,
            linewidth=1.2 + 0.9 * above,
            label=name,
        )
    ax.set_ylim(bottom=-0.02 * ax.get_ylim()[1])
    priced = curve.points[0].tree.prices is not None
    ax.set_xlabel("Price of the most expensive path" if priced else "Questions on the longest path")
    ax.set_ylabel(f"{error.capitalize()} error")
    ax.legend(loc="upper right", frameon=False, fontsize=9)
    return ax
