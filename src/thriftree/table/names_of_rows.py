"""Category columns that name nearly every row: keys, texts, dates that were read as text."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np

from thriftree.table.codes import Codes

LEAST_CATEGORIES: Final = 50  # a small table may have few rows a category, and they may mean something
LEAST_SHARE: Final = 0.5  # categories for each row that has a value
MOST_NAMED: Final = 5  # columns in the warning


def names_of_rows(codes: Codes) -> list[tuple[str, int, int]]:
    """The category columns that have a category for nearly every row: name, categories, rows with a value."""
    found = []
    for j, column in enumerate(codes.columns):
        # The list may have categories that no row has, so it is a bound on those that rows have.
        if column.kind != "category" or len(column.categories) < LEAST_CATEGORIES:
            continue
        values = codes.column_values(j)
        known = values[values >= 0]
        if len(column.categories) < LEAST_SHARE * len(known):
            continue
        n_categories = len(np.unique(known))
        if n_categories >= max(LEAST_CATEGORIES, LEAST_SHARE * len(known)):
            found.append((column.name, n_categories, len(known)))
    return found


def warn_of_names(codes: Codes, stacklevel: int) -> None:
    """One warning for all columns that name nearly every row."""
    found = names_of_rows(codes)
    if not found:
        return
    columns = ", ".join(f"{name!r} ({n} categories in {rows} rows)" for name, n, rows in found[:MOST_NAMED])
    if len(found) > MOST_NAMED:
        columns += f" and {len(found) - MOST_NAMED} columns more"
    warnings.warn(
        f"nearly every row has a category of its own in {columns}: no new row will have it. Leave such a "
        "column out, or, if it holds numbers or dates as text, convert it",
        UserWarning,
        stacklevel=stacklevel + 1,
    )
