"""Prices as the core takes them: what a test adds to the price of a path, and what a path may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.costs import BoundCosts, TestCosts
from thriftree.costs.outcomes import OutcomePrices
from thriftree.table import EncodedTable

_ROUNDING: Final = 1e-9  # of a budget: prices are sums


@dataclass(frozen=True)
class Budget:
    """What any path may cost, and what tests cost; None: 1 each."""

    limit: float
    costs: TestCosts | None

    def bound(self, columns: Sequence[ColumnSchema]) -> BoundCosts:
        """The prices of these columns."""
        if self.costs is None:
            return BoundCosts.without_prices([column.name for column in columns])
        return self.costs.bind(columns)

    def admits(self, amount: float) -> bool:
        """Whether a path may cost this much."""
        return amount <= self.limit * (1 + _ROUNDING)


def price_rules(
    prices: BoundCosts, table: EncodedTable | None = None, budget: float = inf
) -> _core.PriceRules:
    """The rules of these prices. The codes of `table` tell what each outcome costs; without it every test
    costs what its dearest outcome does. A test that takes a path beyond `budget` is never made.
    """
    arrays = prices.arrays()
    by_column = (arrays.own.tolist(), arrays.group.tolist(), arrays.setup.tolist(), arrays.known.tolist())
    rules = (arrays.pay_once, arrays.asking, arrays.read, arrays.free_first)
    by_code = [] if table is None or not prices.outcomes else _by_code(prices, table)
    return _core.PriceRules(*by_column, *rules, by_code=by_code, budget=budget)


def _by_code(prices: BoundCosts, table: EncodedTable) -> list[list[float]]:
    """By column, the price of each code; empty where it is the same for all."""
    return [
        _of_codes(prices.outcomes[j], table.core.column(j), schema) if j in prices.outcomes else []
        for j, schema in enumerate(table.columns)
    ]


def _of_codes(outcomes: OutcomePrices, column: _core.Column, schema: ColumnSchema) -> list[float]:
    """The dearest of the values that each code stands for; the missing code is the last."""
    if column.kind == "category" or column.ranked_category:
        of_known = outcomes.of(np.arange(column.n_codes - column.has_missing))
    elif len(column.values):
        of_known = outcomes.of(column.values)
    else:
        # Code c stands for the numbers above edge c - 1 and up to edge c.
        told_apart = outcomes.representatives(column.edges)
        told_apart = told_apart[~np.isnan(told_apart) if schema.kind == "number" else told_apart >= 0]
        of_known = np.full(len(column.edges) + 1, outcomes.least)
        np.maximum.at(of_known, np.searchsorted(column.edges, told_apart), outcomes.of(told_apart))
    return [*of_known.tolist(), outcomes.dearest] if column.has_missing else of_known.tolist()
