"""Which recipes are too far behind to be worth more time: told by one part of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

import numpy as np

from thriftree.learning.targets import Floats

FAR: Final = 4.0  # standard errors


def far_behind(accuracies: Sequence[float], weights: Floats) -> list[bool]:
    """Which of these are too far below the best of them, on the same held-out rows of these weights, to be
    overtaking it by chance.

    Two trees differ on a row only if one of them is wrong there, so the difference of their accuracies has a
    variance of at most the sum of their errors over the number of rows.
    """
    n_rows = float(weights.sum()) ** 2 / float(np.square(weights).sum())
    best = max(accuracies)
    return [best - one > FAR * sqrt(max(0.0, (1 - best) + (1 - one)) / n_rows) for one in accuracies]
