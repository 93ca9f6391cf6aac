"""Sample set aside: folds for cross-validation, and a part to validate on. Classes keep their shares in
both.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from thriftree.learning.growth import Plan
from thriftree.learning.sample import Sample


def folds(
    rows: Sample, plan: Plan, cv: Any, random: np.random.RandomState
) -> Iterator[tuple[Sample, Sample]]:
    """(training, held out) for each fold. `cv` is a number of folds (None: 5), a scikit-learn splitter, or a
    list of positions.

    No more folds than rows; none at all for a single row. Splitters and positions are about the rows as they
    came to `fit`, with those of weight 0 and those that an outer fold holds out.
    """
    if cv is not None and not isinstance(cv, Integral):
        yield from _stated_folds(rows, cv)
        return
    n_folds = min(5 if cv is None else int(cv), len(rows))
    if n_folds < 2:
        return
    fold = np.empty(len(rows), dtype=np.intp)
    fold[_mixed_order(rows, plan, random)] = np.arange(len(rows)) % n_folds
    for k in range(n_folds):
        yield rows.take(np.flatnonzero(fold != k)), rows.take(np.flatnonzero(fold == k))


def _stated_folds(rows: Sample, cv: Any) -> Iterator[tuple[Sample, Sample]]:
    y, place = (rows.y, np.arange(len(rows))) if rows.given is None else rows.given
    here = np.full(len(y), -1)
    here[place] = np.arange(len(place))
    for number, fold in enumerate(_pairs(cv, y)):
        if not all(len(part) for part in fold):
            raise ValueError(
                f"cv: fold {number} has {len(fold[0])} rows to learn from and {len(fold[1])} to measure on: "
                "give folds with some of both"
            )
        training, held_out = (here[part][here[part] >= 0] for part in fold)
        if len(training) and len(held_out):
            yield rows.take(training), rows.take(held_out)


def _pairs(cv: Any, y: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The positions of each fold: to learn from, and to measure on."""
    place = np.arange(len(y))
    try:
        for training, held_out in check_cv(cv).split(np.zeros((len(y), 1)), y):
            yield np.atleast_1d(place[training]), np.atleast_1d(place[held_out])
    except (TypeError, IndexError, ValueError) as error:
        if hasattr(cv, "get_n_splits"):
            raise
        raise ValueError(
            f"cv is {cv!r}: give a number of folds, a splitter of scikit-learn, or pairs of positions of the "
            f"{len(y)} rows, to learn from and to measure on ({error})"
        ) from error


def validation_part(rows: Sample, plan: Plan, fraction: float, random_state: Any) -> tuple[Sample, Sample]:
    """(training, validation): about `fraction` of the rows of each class are for validation, and at least one
    row trains.
    """
    order = _mixed_order(rows, plan, check_random_state(random_state))
    counted = np.floor(np.arange(len(rows) + 1) * fraction)
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[order] = np.diff(counted) > 0
    return rows.take(np.flatnonzero(~chosen)), rows.take(np.flatnonzero(chosen))


def _mixed_order(rows: Sample, plan: Plan, random: np.random.RandomState) -> NDArray[np.intp]:
    """A random order; rows of a class lie together, so that every k-th row is a fair share of each class."""
    order = random.permutation(len(rows))
    return order[np.argsort(rows.y[order], kind="stable")] if plan.n_classes else order
