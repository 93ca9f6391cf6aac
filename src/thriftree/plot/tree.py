"""The picture of a tree, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from thriftree.plot.axes import axes_width, draw_scene
from thriftree.plot.documents import document_of
from thriftree.plot.tree_scene import Orientation, tree_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_tree(
    tree: Any,
    ax: Axes | None = None,
    *,
    width: float | None = None,
    max_depth: int | None = None,
    orientation: Orientation = "auto",
    prices: bool = True,
    path: Collection[int] | None = None,
) -> Axes:
    """A tree with its questions, the rows, classes and prices of each node, and lines as wide as their share
    of the rows.

    Parameters
    ----------
    tree : Tree, or a fitted estimator
    ax : matplotlib Axes, optional
        Where to draw; a new figure of the tree's size if None. Words scale with the axes.
    width : float, optional
        What to lay the tree out for, in pixels (96 to an inch): the width of `ax`, or 1280.
    max_depth : int, optional
        Deeper nodes are counted, not shown.
    orientation : {"auto", "top-down", "left-right", "outline"}, default="auto"
        "auto" takes the first that fits the width; an outline always does, unless the tree is very deep.
    prices : bool, default=True
        Whether a tree that has prices shows them.
    path : numbers of nodes, optional
        Nodes to mark, such as those that a row passes.

    Returns
    -------
    The Axes drawn on.
    """
    document = document_of(tree)
    if width is None and ax is not None:
        width = axes_width(ax)
    scene = tree_scene(
        document, width=width, max_depth=max_depth, orientation=orientation, prices=prices, path=path or ()
    )
    return draw_scene(scene, ax)
