"""Prices that depend on the outcome, for one column of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

MISSING_CODE = -1
UNSEEN_CODE = -2


class OutcomePrices(Protocol):
    """What measuring one column costs, given what it turns out to be.

    A number column's values are floats, NaN where missing. Other columns' values are codes: positions in the
    column's categories, -1 where missing, -2 for a value outside them. What has no price of its own costs the
    dearest price.
    """

    @property
    def dearest(self) -> float: ...

    @property
    def least(self) -> float: ...

    def of(self, values: NDArray[Any]) -> FloatArray:
        """The price of each value."""

    def dearest_between(self, low: float, high: float) -> float:
        """The dearest price of values above `low` and up to `high`."""

    def representatives(self, cuts: FloatArray) -> NDArray[Any]:
        """One value for each outcome that cuts or prices tell apart, missing included."""


@dataclass(frozen=True, eq=False)
class CodePrices:
    """A price for each code. `dearest` and `least` count priced categories that the table lacks, too."""

    by_code: FloatArray
    dearest: float
    least: float

    def of(self, values: NDArray[Any]) -> FloatArray:
        prices = np.full(len(values), self.dearest)
        priced = (values >= 0) & (values < len(self.by_code))
        prices[priced] = self.by_code[values[priced].astype(np.intp)]
        return prices

    def dearest_between(self, low: float, high: float) -> float:
        codes = np.arange(len(self.by_code))
        return float(self.by_code[(codes > low) & (codes <= high)].max(initial=self.least))

    def representatives(self, cuts: FloatArray) -> NDArray[Any]:
        return np.append(np.arange(len(self.by_code)), [MISSING_CODE, UNSEEN_CODE])


@dataclass(frozen=True, eq=False)
class StepPrices:
    """`prices[i]` up to and including `up_to[i]`, the last price above all of them."""

    up_to: FloatArray
    prices: FloatArray

    @property
    def dearest(self) -> float:
        return float(self.prices.max())

    @property
    def least(self) -> float:
        return float(self.prices.min())

    def of(self, values: NDArray[Any]) -> FloatArray:
        found = self.prices[np.searchsorted(self.up_to, values, side="left")]
        return np.where(np.isnan(values), self.dearest, found)

    def dearest_between(self, low: float, high: float) -> float:
        first = int(np.searchsorted(self.up_to, low, side="right"))
        last = int(np.searchsorted(self.up_to, high, side="left"))
        return float(self.prices[first : last + 1].max())

    def representatives(self, cuts: FloatArray) -> NDArray[Any]:
        # Between two neighbouring edges a < b nothing tells the numbers of (a, b] apart; b stands for them.
        return np.append(np.union1d(self.up_to, cuts), [np.inf, np.nan])
