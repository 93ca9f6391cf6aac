"""The picture of a search for the best tree: the best so far and the bound, closing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thriftree.plot.axes import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _BLUE = "#22262b", "#0072b2"


def plot_search_history(model: Any, ax: Axes | None = None) -> Axes:
    """The objective of the best tree so far and the bound that no tree is below, against the time.

    Parameters
    ----------
    model : OptimalTreeClassifier
        A fitted one.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    The Axes drawn on.
    """
    if "incumbent" not in getattr(model, "history_", {}):
        raise ValueError(
            f"{type(model).__name__} has no history of a search to plot: fit an OptimalTreeClassifier first"
        )
    ax = new_axes() if ax is None else ax
    history = model.history_
    seconds = history["seconds"]
    first = float(seconds[seconds > 0].min()) if (seconds > 0).any() else 1e-3
    at = seconds.clip(min=first)
    ax.plot(
        at, history["incumbent"], color=_INK, linewidth=2.2, drawstyle="steps-post", label="best tree so far"
    )
    ax.plot(at, history["bound"], color=_BLUE, linewidth=1.6, drawstyle="steps-post", label="lower bound")
    ax.fill_between(at, history["bound"], history["incumbent"], step="post", color=_BLUE, alpha=0.08)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda tick, _: f"{tick:g}")
    ax.set_xlabel("Seconds")
    ax.set_ylabel(f"Errors + {model.leaf_penalty_:.3g} for each leaf")
    ax.set_ylim(bottom=0)
    ax.legend(loc="best", frameon=False, fontsize=9)
    return ax
