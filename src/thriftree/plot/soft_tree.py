"""The picture of a soft tree, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thriftree.plot.axes import draw_scene
from thriftree.plot.soft_scene import soft_scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_soft_tree(tree: Any, X: Any = None, ax: Axes | None = None) -> Axes:
    """A soft tree: of each gate its largest weights as bars, or the curve of a gate that weighs one number;
    of each leaf what it answers.

    Parameters
    ----------
    tree : SoftTree, or a fitted SoftTreeClassifier or SoftTreeRegressor
    X : rows, optional
        Lines are as wide as the mean probability of going along them; of one row its own path probabilities.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of the picture's size if None.

    Returns
    -------
    The Axes drawn on.
    """
    soft = getattr(tree, "soft_tree_", tree)
    if not hasattr(soft, "path_probabilities"):
        raise TypeError(
            f"a picture of a soft tree needs a SoftTree or a fitted estimator of soft trees, not "
            f"{type(tree).__name__}"
        )
    reach = None if X is None else soft.path_probabilities(X).mean(axis=0).tolist()
    return draw_scene(soft_scene(soft.to_dict(), reach), ax)
