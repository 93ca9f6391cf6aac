"""A part's rows as arrow tables bring them: features, target and weight by the names of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thriftree.distributed.parts import TablePart
from thriftree.messages import did_you_mean


@dataclass(frozen=True)
class Roles:
    """Which columns of a table are the features, which is the target, which the weight."""

    features: tuple[str, ...]
    target: str
    weight: str | None = None

    @classmethod
    def of(cls, names: Sequence[str], y: Any, sample_weight: Any, what: str) -> Roles:
        """Checked against the columns that there are. `what` is what the caller's table is called."""
        target = _one_column(y, names, "y", what)
        weight = None
        if sample_weight is not None:
            weight = _one_column(sample_weight, names, "sample_weight", what)
            if weight == target:
                raise ValueError(f"y and sample_weight are both the column {target!r}: name two columns")
        features = tuple(name for name in names if name not in (target, weight))
        if not features:
            raise ValueError(f"{what} has no column beside {target!r}: nothing is left to learn from")
        return cls(features, target, weight)

    def part(self, rows: Any, index: int) -> TablePart:
        """The part of these rows, a pyarrow.Table, at this place among the parts."""
        weight = None if self.weight is None else _numbers(rows.column(self.weight))
        features = rows.select(list(self.features))
        return TablePart(features, _plain(rows.column(self.target)), weight, index)


def _one_column(name: Any, names: Sequence[str], argument: str, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(
            f"{argument} must be the name of a column of {what}, such as {list(names)[-1]!r}, not "
            f"{type(name).__name__}"
        )
    if name not in names:
        raise ValueError(f"{argument}: {what} has no column {name!r}{did_you_mean(name, names)}")
    return name


def _plain(column: Any) -> np.ndarray[Any, Any]:
    """A column of a pyarrow.Table as numpy has it; categories as their values."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values: np.ndarray[Any, Any] = column.to_numpy()
    return values


def _numbers(column: Any) -> np.ndarray[Any, Any]:
    values = _plain(column)
    return values.astype(np.float64) if values.dtype.kind in "iub" else values
