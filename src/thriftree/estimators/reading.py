"""A table as it is given: checked, read and coded, with a target and a weight a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, NoReturn

import numpy as np
from sklearn.utils.validation import check_consistent_length

from thriftree.distributed.parts import Parts
from thriftree.estimators.features import checked_features, record_columns
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
    if isinstance(X, Parts):
        refuse_parts(estimator)
    X = checked_features(estimator, X, reset=reset)
    y = targets.one_target(y, type(estimator).__name__)
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and len(X) == len(y)):
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
    if not codes.coded.in_time:
        limits.end()  # what was left was for a leaf
    if reset:
        warn_of_names(codes, stacklevel=5)
    return Sample(codes, y, weight, given)


def refuse_parts(estimator: Any) -> NoReturn:
    """Says what to do with a table in parts that a learner cannot take."""
    learner = estimator if isinstance(estimator, type) else type(estimator)
    raise TypeError(
        f"{learner.__name__} looks at single rows and cannot take a table in parts: fit it on a "
        "sample of the rows in memory, or take a learner that counts, such as CARTClassifier"
    )


def sample_of_parts(estimator: Any, parts: Any, coding: Mapping[str, Any], limits: Limits) -> Sample:
    """The rows of a table in parts. The columns and classes are recorded. Raises TimeoutError where a table
    that this process reads is not read in time: its target is not known then, so that there is no leaf.
    """
    if not estimator._learns_from_parts:
        refuse_parts(estimator)
    from thriftree.distributed.loaded import LoadedParts
    from thriftree.distributed.part_rows import PartReading
    from thriftree.distributed.reading import read_parts

    of_classes = hasattr(estimator, "_record_classes")
    reading = PartReading(type(estimator).__name__, of_classes, coding["categorical_features"])
    chosen = {name: coding[name] for name in ("max_bins", "binning", "by_value")}
    try:
        with parts.watched(limits.look) if isinstance(parts, LoadedParts) else nullcontext():
            rows, classes = read_parts(parts, reading, **chosen)
    except TimeoutError:
        if limits.stopped_by is None:
            raise  # of the engine
        raise TimeoutError(
            "time_limit_s ended while the table was read, which takes two looks at every part: raise it, or "
            "fit on a sample of the rows in memory"
        ) from None
    columns, has_names = rows.codes.columns, rows.codes.book.has_names
    record_columns(estimator, len(columns), [column.name for column in columns] if has_names else None)
    if classes is not None:
        estimator._record_classes(classes)
    return rows
