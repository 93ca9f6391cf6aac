"""Rows as they are given, checked: one target and one weight a row, those of weight 0 left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from thriftree.estimators.features import checked_features
from thriftree.learning import targets
from thriftree.learning.growth import Rows


def rows_of(estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Rows:
    """The rows with their target as it was given. The columns are recorded (reset), or must be those of
    fit.
    """
    X = checked_features(estimator, X, reset=reset)
    y = targets.one_target(y, type(estimator).__name__)
    check_consistent_length(X, y)
    weight = targets.row_weights(sample_weight, len(y))
    rows = Rows(X, y, weight)
    return rows if weight is None or weight.all() else rows.take(np.flatnonzero(weight))
