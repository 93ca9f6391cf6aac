"""A table as it is given: checked, read and coded, with a target and a weight a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from thriftree.estimators.features import checked_features
from thriftree.learning import targets
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample, rows_at
from thriftree.table.coding import read_codes
from thriftree.table.names_of_rows import warn_of_names


def sample_of(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    limits: Limits,
    *,
    read_target: Callable[[targets.AnyArray], targets.AnyArray],
    coding: Mapping[str, Any],
    reset: bool,
) -> Sample:
    """The rows of positive weight. The columns are recorded (reset), or must be those of fit."""
    X = checked_features(estimator, X, reset=reset)
    y = targets.one_target(y, type(estimator).__name__)
    check_consistent_length(X, y)
    weight = targets.row_weights(sample_weight, len(y))
    given = None
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        given = (y, kept)
        X, y, weight = rows_at(X, kept), y[kept], weight[kept]
    y = read_target(y)
    codes = read_codes(
        X,
        sample_weight=weight,
        n_threads=limits.n_threads,
        time_limit_s=limits.seconds_left,
        memory_limit_mb=limits.memory_limit_mb,
        **coding,
    )
    if reset:
        warn_of_names(codes, stacklevel=5)
    return Sample(codes, y, weight, given)
