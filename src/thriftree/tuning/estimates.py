"""Means over divisions of the rows, with how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean over folds, its standard error, and the 95 % interval of the mean."""

    mean: float
    error: float
    low: float
    high: float

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is."""
        return self.low > 0

    @property
    def is_below_zero(self) -> bool:
        """Whether the whole interval is."""
        return self.high < 0


def estimate_of_divisions(values: Sequence[float] | Floats, test_to_train: float) -> Estimate:
    """Mean and error of scores over repeated divisions of the rows, each with `test_to_train` test rows for a
    training row: divisions share rows, so the error is larger than that of independent scores (Nadeau and
    Bengio 2003).
    """
    scores = np.asarray(values, dtype=np.float64)
    j = len(scores)
    mean = float(scores.mean())
    error = float(np.sqrt((1 / j + test_to_train) * scores.var(ddof=1)))
    reach = float(student.ppf(0.975, j - 1)) * error
    return Estimate(mean, error, mean - reach, mean + reach)
