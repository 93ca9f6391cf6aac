"""Categories put in the order of a target, which is made of a sample's own rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thriftree.columns import ColumnSchema
from thriftree.table.column_choice import chosen_columns
from thriftree.table.frame import Array


def class_indicator(
    class_codes: NDArray[Any], n_classes: int, sample_weight: ArrayLike | None = None
) -> Array:
    """1.0 in rows of the class whose proportion ranks categories: the second of two, the heaviest of more."""
    heaviest = np.argmax(np.bincount(class_codes, sample_weight, minlength=n_classes))
    return np.asarray(class_codes == (1 if n_classes == 2 else heaviest), np.float64)


def columns_to_rank(choice: Any, columns: Sequence[ColumnSchema]) -> list[int]:
    """The category columns that `proportion_encode` names; a number: those of more categories than that."""
    if choice is None:
        return []
    if isinstance(choice, (int, np.integer)) and not isinstance(choice, bool):
        return [j for j, s in enumerate(columns) if s.kind == "category" and len(s.categories) > choice]
    chosen = sorted(chosen_columns(choice, [s.name for s in columns], "proportion_encode"))
    for j in chosen:
        if columns[j].kind != "category":
            raise ValueError(f"proportion_encode names column {columns[j].name!r}, which holds no categories")
    return chosen


def order_by_mean(
    positions: Array, n_categories: int, figure: Array, weight: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """The categories that these rows have, in the order of their mean figure; equal means keep the order of
    (type, value).
    """
    known = positions >= 0
    weights = np.ones(len(positions)) if weight is None else weight
    mass = np.bincount(positions[known], weights[known], minlength=n_categories)
    sums = np.bincount(positions[known], (weights * figure)[known], minlength=n_categories)
    seen = np.flatnonzero(mass)
    return seen[np.argsort(sums[seen] / mass[seen], kind="stable")]


def new_codes(order: NDArray[np.intp], n_categories: int) -> NDArray[np.uint32]:
    """By category its place in an order; those that are not in it have no code."""
    codes = np.full(n_categories, np.iinfo(np.uint32).max, dtype=np.uint32)
    codes[order] = np.arange(len(order), dtype=np.uint32)
    return codes
