"""The picture of one row's way through a tree, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thriftree.plot.axes import axes_width, draw_scene
from thriftree.plot.documents import document_of, named_row
from thriftree.plot.path_scene import path_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_path(tree: Any, row: Any, ax: Axes | None = None, *, prices: bool = True) -> Axes:
    """What the tree asks of one row: each question with the row's value and answer, where a number lies
    against the cuts, what the question adds to the price, and which rows and classes are left after it.

    Parameters
    ----------
    tree : Tree, or a fitted estimator
    row : dict, pandas Series, or the values in the order of the tree's columns
        A column that a dict lacks is missing.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of the path's size if None. In narrow axes prices stand below answers.
    prices : bool, default=True
        Whether a tree that has prices shows them.

    Returns
    -------
    The Axes drawn on.
    """
    document = document_of(tree)
    width = None if ax is None else axes_width(ax)
    return draw_scene(path_scene(document, named_row(document, row), prices=prices, width=width), ax)
