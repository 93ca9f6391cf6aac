"""One row, however it is given, as plain Python values by column name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thriftree.messages import did_you_mean
from thriftree.table.dataframes import column_names


def read_row(row: Any, names: Sequence[str]) -> dict[str, Any]:
    """One row by column name, as plain Python values.

    `row` is a mapping by name or a pandas Series with such an index (either may lack columns), a sequence in
    the order of `names`, or a frame or 2-D array with one row.
    """
    if isinstance(row, Mapping):
        return _named(dict(row), names)
    if isinstance(row, (str, bytes)):
        raise TypeError(f"a row is a mapping, a sequence, a frame with one row or a row of one, not {row!r}")
    if not isinstance(row, (np.ndarray, list, tuple)):
        import narwhals as nw

        if nw.dependencies.is_into_dataframe(row):
            frame = nw.from_native(row, eager_only=True)
            if len(frame) != 1:
                raise ValueError(
                    f"a frame of one row is expected, not of {len(frame)}: pass frame[i : i + 1]"
                )
            return _named(dict(zip(column_names(row) or names, frame.row(0), strict=True)), names)
        if nw.dependencies.is_pandas_series(row) and all(isinstance(name, str) for name in row.index):
            return _named(dict(zip(row.index, row, strict=True)), names)
    values = list(row[0] if getattr(row, "ndim", 1) == 2 and len(row) == 1 else row)
    if len(values) != len(names):
        raise ValueError(f"the row has {len(values)} values, but the tree has {len(names)} columns")
    return _named(dict(zip(names, values, strict=True)), names)


def _named(row: dict[Any, Any], names: Sequence[str]) -> dict[str, Any]:
    known = set(names)
    for name in row:
        if name not in known:
            raise ValueError(
                f"the row has {name!r}, but the tree has no such column{did_you_mean(name, names)}"
            )
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """numpy's own as Python's, but for dates, which would be integers where they are finer than Python's."""
    is_plain = not isinstance(value, np.generic) or isinstance(value, (np.datetime64, np.timedelta64))
    return value if is_plain else value.item()
