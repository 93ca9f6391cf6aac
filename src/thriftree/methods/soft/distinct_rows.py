"""Equal rows as one of their summed weight, in an order of their own.

A descent makes much of the last digits of its sums. So that a weight of 2 is a row given twice, to the last
digit, and no digit depends on the order of the rows, the sums are over rows that are brought into one form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.methods.soft.design import Floats, column_of_inputs
from thriftree.table.inputs import Inputs, rows_of_inputs

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Rows of which no two are equal in values and target."""

    inputs: Inputs
    y: NDArray[Any]
    weight: Floats


def distinct_rows(
    inputs: Inputs,
    n_columns: int,
    y: NDArray[Any],
    weight: Floats | None,
    look: Callable[[], None] = lambda: None,
) -> DistinctRows:
    """The same table, with equal rows merged, in the order of a hash of values and target. Columns of one
    value change nothing. `look` is called for every column, and may raise.
    """
    columns = [y, *(column_of_inputs(inputs, j) for j in range(n_columns))]
    key = np.zeros(len(y), np.uint64)
    for column in columns:
        look()
        bits = _bits(column)
        if (bits != bits[0]).any():
            key = (key ^ bits) * _ODD
            key ^= key >> _SHIFT
    order = np.argsort(key, kind="stable")
    starts = np.ones(len(y), bool)  # whether a row differs from the one before it
    starts[1:] = key[order[1:]] != key[order[:-1]]
    for column in columns:
        look()
        sorted_bits = _bits(column)[order]
        starts[1:] |= sorted_bits[1:] != sorted_bits[:-1]
    first = np.flatnonzero(starts)
    weights = np.ones(len(y)) if weight is None else weight[order]
    rows = order[first]
    return DistinctRows(rows_of_inputs(inputs, rows), y[rows], np.add.reduceat(weights, first))


def _bits(column: NDArray[Any]) -> NDArray[np.uint64]:
    """Of equal values the same: there is one zero and one NaN."""
    numbers = np.asarray(column, dtype=np.float64) + 0.0
    numbers[np.isnan(numbers)] = np.nan
    return numbers.view(np.uint64)
