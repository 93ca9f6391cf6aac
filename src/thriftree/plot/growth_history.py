"""The picture of a tree's growth under MSI: what each test did to inaccuracy, surfeit and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thriftree.plot.axes import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _BLUE, _ORANGE = "#22262b", "#0072b2", "#e69f00"


def plot_growth_history(model: Any, ax: Axes | None = None) -> Axes:
    """Cost, inaccuracy and surfeit against the nodes of the tree, from the root alone to the tree that was
    kept.

    Parameters
    ----------
    model : MSIClassifier
        A fitted one.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    The Axes drawn on.
    """
    if not hasattr(model, "history_"):
        raise ValueError(f"{type(model).__name__} has no history_ to plot: fit an MSIClassifier first")
    ax = new_axes() if ax is None else ax
    from matplotlib.ticker import MaxNLocator

    history = model.history_
    lines = (("cost", _INK, "o", 2.2), ("inaccuracy", _BLUE, "s", 1.3), ("surfeit", _ORANGE, "^", 1.3))
    marks_fit = len(history["nodes"]) <= 40
    for name, colour, marker, width in lines:
        ax.plot(
            history["nodes"],
            history[name],
            color=colour,
            linewidth=width,
            marker=marker if marks_fit else None,
            markersize=4.5,
            label=name,
            zorder=3 if name == "cost" else 2,
        )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("Nodes of the tree")
    ax.set_ylabel(f"Cost and its parts ({model.compressor}, {model.combine})")
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.legend(loc="best", frameon=False, fontsize=9)
    return ax
