"""Columns as callers choose them: by name, by position or by a mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

CategoricalFeatures = Literal["auto"] | Sequence[str] | Sequence[int] | Sequence[bool] | NDArray[Any] | None


def chosen_columns(choice: Any, names: Sequence[str], parameter: str) -> set[int]:
    """Column positions from "auto" or None (none), names, positions or a boolean mask.

    ``parameter`` is what errors call the choice.
    """
    if choice is None or (isinstance(choice, str) and choice == "auto"):
        return set()
    if isinstance(choice, str) or (isinstance(choice, np.ndarray) and not choice.ndim):
        raise ValueError(
            f"{parameter} must be 'auto' or a list of names, positions or booleans, not {choice!r}"
        )
    items = choice.tolist() if isinstance(choice, np.ndarray) else list(choice)
    n_columns = len(names)
    if items and all(isinstance(item, (bool, np.bool_)) for item in items):
        if len(items) != n_columns:
            raise ValueError(f"{parameter} is a mask of {len(items)} values, but X has {n_columns} columns")
        return {j for j, marked in enumerate(items) if marked}
    chosen = set()
    place = {name: j for j, name in reversed(list(enumerate(names)))}  # the first of equal names
    for item in items:
        if isinstance(item, str):
            if item not in place:
                raise ValueError(f"{parameter} names a column {item!r}, but X has the columns {list(names)}")
            chosen.add(place[item])
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not -n_columns <= item < n_columns:
                raise ValueError(f"{parameter} has position {item}, but X has {n_columns} columns")
            chosen.add(int(item) % n_columns)
        else:
            raise ValueError(f"{parameter} must hold names, positions or booleans, not {item!r}")
    return chosen
