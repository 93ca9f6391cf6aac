"""How well a tree predicts the targets of a table in parts: each part answers with a few sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thriftree.distributed.part_rows import PartReading, PartRows, naming_the_part, rows_of
from thriftree.distributed.parts import Parts, TablePart
from thriftree.learning import targets
from thriftree.learning.targets import AnyArray


@dataclass(frozen=True)
class Asked:
    """Whose answers are measured, about which columns."""

    predict: Callable[[Any], AnyArray]  # the rows of a part to their predictions; it can be pickled
    columns: Sequence[str] | None  # of the features, where they have names
    reading: PartReading


def accuracy(parts: Parts, asked: Asked) -> float:
    """The share of the weight whose label is right."""
    sums = np.array(parts.map(_sums, asked, _right)).sum(axis=0)
    return float(sums[1] / _known(sums[0]))


def r2(parts: Parts, asked: Asked) -> float:
    """The coefficient of determination, as scikit-learn's `r2_score` has it."""
    weight, mean, spread, residual = np.array(parts.map(_sums, asked, _squares)).T
    total = _known(weight.sum())
    spread = spread.sum() + weight @ (mean - weight @ mean / total) ** 2
    if spread == 0:
        return float(residual.sum() == 0)
    return float(1 - residual.sum() / spread)


def _known(weight: float) -> float:
    if not weight:
        raise ValueError("the table has no rows of positive weight: there is nothing to measure on")
    return weight


def _sums(part: TablePart, asked: Asked, of: Callable[..., list[float]]) -> list[float]:
    with naming_the_part(part):
        rows = rows_of(part, asked.reading)
        X = _features(rows.X, asked.columns) if len(rows) else rows.X
        said = asked.predict(X)
        return of(rows, said, np.ones(len(rows)) if rows.weight is None else rows.weight)


def _features(X: Any, names: Sequence[str] | None) -> Any:
    """The columns that the tree was fitted to, where there are more; one that is missing is said later."""
    if names is None or not set(names) <= set(getattr(X, "column_names", getattr(X, "columns", ()))):
        return X
    return X.select(list(names)) if hasattr(X, "select") else X[list(names)]


def _right(rows: PartRows, said: AnyArray, weight: targets.Floats) -> list[float]:
    if not len(rows):
        return [0.0, 0.0]
    labels, classes = targets.class_labels(rows.y)
    return [weight.sum(), weight @ (classes[labels] == said)]


def _squares(rows: PartRows, said: AnyArray, weight: targets.Floats) -> list[float]:
    """Weight, mean, and squares about the mean and about what was said."""
    if not len(rows):
        return [0.0, 0.0, 0.0, 0.0]
    y = targets.numeric_target(rows.y)
    mean = weight @ y / weight.sum()
    return [weight.sum(), mean, weight @ (y - mean) ** 2, weight @ (y - said) ** 2]
