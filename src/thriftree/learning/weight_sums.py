"""Sums of weights that do not depend on the order of rows, nor on how these lie in parts.

They are those of `order_free_total` (cpp/table/target.hpp): whole numbers of 2^-80 of the power of two above
the largest weight.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BITS: Final = 80
_HALF: Final = 2.0**40
_ROWS: Final = 2**20  # whose halves fit into 64 bits


def in_units(weights: Floats, most: float) -> int:
    """The sum of positive weights, of which none in any part is above ``most``, in units of it."""
    total = 0
    for first in range(0, len(weights), _ROWS):
        scaled = np.ldexp(weights[first : first + _ROWS], _BITS - frexp(most)[1])
        high = np.floor(scaled / _HALF)
        low = np.floor(scaled - high * _HALF)
        total += (int(high.astype(np.int64).sum()) << 40) + int(low.astype(np.int64).sum())
    return total


def as_float(units: int, most: float) -> float:
    """A sum of `in_units` as a number."""
    return ldexp(float(units), frexp(most)[1] - _BITS)
