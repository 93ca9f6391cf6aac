"""What answers cost that are asked for in any order.

A column is asked once, so it is paid once, also where the tree pays for every test (`pay="each"`). A column
whose price depends on its outcome costs as much as the most expensive until it is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from thriftree.costs import BoundCosts, OutcomePrices, PathState, Prices
from thriftree.document.follow import Answer
from thriftree.explain.prices import outcome_price
from thriftree.explain.values import Values


class Bill:
    """Prices of purchases, by the prices fitted to one tree's columns. What was bought is a `PathState`."""

    def __init__(self, costs: BoundCosts) -> None:
        self.costs = costs
        self.prices = Prices(costs.rules.paid_once())

    def ask(self, bought: PathState, column: int, still_open: Callable[[], Iterable[int]]) -> PathState:
        """What is bought after asking for a column; `still_open` gives the columns not yet known that the
        tree may still ask for, and is called only if asking places an order.
        """
        needed = list(still_open()) if self.prices.places_order(bought, column) else []
        return self.prices.ask(bought, column, needed)

    def columns(self, bought: PathState) -> frozenset[int]:
        """The columns paid for, those of an order that wait for their results included."""
        return frozenset(self.prices.bought(bought))

    def total(self, bought: PathState, known: Mapping[int, Answer | Values]) -> float:
        """The price of what was bought, with these outcomes (or the most expensive of a set of them)."""
        own = {
            column: _price(prices, known[column])
            for column, prices in self.costs.outcomes.items()
            if column in known
        }
        return self.prices.between(PathState(), bought, own)

    def adds(self, before: PathState, after: PathState) -> float:
        """What `after` costs more than `before`, with the most expensive outcomes: equal for equal prices,
        whatever was paid before.
        """
        return self.prices.between(before, after)

    def varies(self, columns: Iterable[int]) -> bool:
        """Whether the price of one of these columns depends on its outcome."""
        return any(column in self.costs.outcomes for column in columns)


def _price(prices: OutcomePrices, outcome: Answer | Values) -> float:
    return _highest(prices, outcome) if isinstance(outcome, Values) else outcome_price(prices, outcome)


def _highest(prices: OutcomePrices, values: Values) -> float:
    """The highest price of a set of values, which holds at least one."""
    if values.missing or values.other:
        return prices.highest
    return max(
        [outcome_price(prices, code) for code in values.codes]
        + [prices.highest_between(low, high) for low, high in values.intervals]
    )
