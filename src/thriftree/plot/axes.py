"""What the pictures share: plain axes, and an axis of prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thriftree.plot.scene import Scene

Floats = NDArray[np.float64]

PIXELS_PER_INCH = 96.0  # of scenes, as in CSS
_NARROWEST = 560.0  # of scenes: a layout engine may widen smaller axes yet
_MOST_LINEAR = 30.0  # times the least price that a linear axis may show


def scale_prices(ax: Axes, prices: Floats) -> float:
    """Sets the axis of prices, logarithmic where cheap trees would else lie on one another, and returns its
    end: beyond the last tree there is room for words.
    """
    from matplotlib.ticker import FuncFormatter

    paid = prices[prices > 0]
    if len(paid) and paid.max() > _MOST_LINEAR * paid.min():
        ax.set_xscale("symlog", linthresh=float(paid.min()), linscale=0.4)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda price, _: f"{price:g}"))
        left, right = -0.15 * float(paid.min()), 4.0 * float(paid.max())
    else:
        right = 1.3 * float(prices.max()) or 1.0
        left = -0.03 * right
    ax.set_xlim(left, right)
    return right


def new_axes(width: float = 7.2, height: float = 4.6) -> Axes:
    """Axes of a new figure, of this many inches."""
    ax: Axes = _pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax


def draw_scene(scene: Scene, ax: Axes | None) -> Axes:
    """Draws a scene on the axes, or on a new figure of the scene's size."""
    if ax is None:
        size = (scene.width / PIXELS_PER_INCH, scene.height / PIXELS_PER_INCH)
        ax = _pyplot().figure(figsize=size).add_axes((0, 0, 1, 1))
    from thriftree.plot.artists import draw

    draw(scene, ax)
    return ax


def axes_width(ax: Axes) -> float:
    """The width to lay out a scene for, in its pixels: that of the axes, or if they are narrow somewhat more,
    with smaller words.
    """
    return max(float(ax.get_window_extent().width) / ax.figure.dpi * PIXELS_PER_INCH, _NARROWEST)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'thriftree[plot]'") from error
    return pyplot
