"""Which recipes are too far behind to be worth more time: told by one part of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

import numpy as np

from thriftree.learning.targets import Floats

FAR: Final = 3.0  # standard errors


def far_behind(losses: Sequence[Floats]) -> list[bool]:
    """Which of these lose so much more than the best of them that chance does not explain it. Each has what
    every held-out row loses, the same rows for all.

    This is McNemar's test: of two trees only rows count that one of them gets right. Each of them might as
    well favour the other tree, so that the standard error of what one loses more is the root of the sum of
    squares.
    """
    best = min(losses, key=lambda lost: float(lost.sum()))
    more = [lost - best for lost in losses]
    return [float(one.sum()) > FAR * sqrt(float(np.square(one).sum())) for one in more]
