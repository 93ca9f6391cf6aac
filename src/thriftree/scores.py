"""How well predictions fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def r_squared(y: Floats, prediction: Floats, weight: Floats) -> float:
    """Share of the target's variance that the predictions explain; NaN if the target does not vary."""
    spread = float(np.sum(weight * (y - np.average(y, weights=weight)) ** 2))
    return 1.0 - float(np.sum(weight * (y - prediction) ** 2)) / spread if spread > 0 else float("nan")
