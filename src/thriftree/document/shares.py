"""The shares of classes at nodes, from their weights: one formula for predictions, exports and reports."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_HUGE = 1e290  # beyond it, a sum over classes could be infinite


def class_shares(weights: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """By node (row) the share of each class (column), after `smoothing` is added to every class's weight;
    equal shares where there is no weight at all.
    """
    if smoothing > _HUGE:
        weights, smoothing = weights / smoothing, 1.0
    smoothed = weights + smoothing
    smoothed[smoothed.sum(axis=1) == 0] = 1.0
    return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True), dtype=np.float64)
