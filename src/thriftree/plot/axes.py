"""What the pictures share: plain axes, and an axis of prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

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


def new_axes() -> Axes:
    """Axes of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'thriftree[plot]'") from error
    ax: Axes = pyplot.subplots(figsize=(7.2, 4.6), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    ax.set_axisbelow(True)
    return ax
