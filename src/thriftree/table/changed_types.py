"""Categories that are unknown only because their type has changed since training."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from thriftree.columns import ColumnSchema, Scalar
from thriftree.table.frame import Array


def warn_if_another_type(levels: Sequence[Scalar], schema: ColumnSchema, positions: Array) -> None:
    """Warns where no value of a column is known and some would be, written in the type that training had.

    ``positions`` are those of the rows' values in the schema's categories; unknown ones are negative.
    """
    if len(positions) == 0 or positions.max() >= 0:
        return
    known = {spelling: category for category in schema.categories for spelling in _spellings(category)}
    for level in levels:
        for spelling in _spellings(level) & known.keys():
            category = known[spelling]
            trained, given = type(category).__name__, type(level).__name__
            if trained == given:
                continue
            warnings.warn(
                f"column {schema.name!r} holds {given} values such as {level!r} where training had {trained} "
                f"values such as {category!r}: none of them is known, so all rows go where unseen values go. "
                f"Convert the column to {trained}, for example "
                f"X[{schema.name!r}]{_conversion(level, category)}",
                UserWarning,
                stacklevel=2,
            )
            return


def _conversion(level: Scalar, category: Scalar) -> str:
    """What pandas calls the change from one type to the other."""
    if isinstance(category, bool):
        return f".map({{{str(level)!r}: {category}, ...}})"
    if isinstance(category, str) and isinstance(level, float):
        return ".map('{:g}'.format)"
    return f".astype({type(category).__name__})"


def _spellings(value: Scalar) -> set[str]:
    """How a value reads in other types: 20, 20.0 and "20" have a spelling in common, and True and "true"."""
    if isinstance(value, bool):
        return {str(value), str(value).lower()}
    if isinstance(value, float) and value.is_integer():
        return {str(value), str(int(value))}
    return {str(value), f"{value}.0"} if isinstance(value, int) else {str(value)}
