"""The cheapest tree of a set, by the core's rules of prices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from thriftree import _core
from thriftree.methods.near_optimal.near_set import NearSet
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.prices import ProblemPrices

#: Features that an order may hold, up to which every order is looked at.
MOST_ORDERED: Final = 12


@dataclass(frozen=True)
class PricedOutline:
    """A tree with its price."""

    outline: Outline
    price: float
    lower_bound: float  # no tree of the set has a lower price


def cheapest(
    trees: NearSet,
    prices: ProblemPrices,
    price_of: Callable[[Outline], float],
    time_limit_s: float | None = None,
    *,
    most: float = inf,
) -> PricedOutline:
    """The tree of the lowest expected price, if it is known that one has at most `most`. Where too many tests
    are delayed to try all orders, or delayed tests are paid each time, it is the cheapest without delay,
    whose price then is a bound. Raises TimeoutError at the limit.
    """
    best = next(trees.outlines(0, 1))[1]
    highest = price_of(best)
    if trees.core is None:
        return PricedOutline(best, highest, highest)
    exact = _all_orders(trees, prices)
    weights = np.asarray(trees.problem.rows.weights, dtype=np.float64)
    found = trees.core.cheapest(
        prices.rules if exact else prices.without_delay,
        np.ascontiguousarray(weights / weights.sum()),
        prices.outcome_prices,
        min(highest, most) * (1 + 1e-9),
        time_limit_s,
    )
    if found is None:  # but for rounding, the best tree is one
        return PricedOutline(best, highest, highest)
    outline = trees.outline(found[0].tolist())
    price = price_of(outline)
    if exact:
        return PricedOutline(outline, price, price)
    return PricedOutline(
        outline if price < highest else best, min(price, highest), min(float(found[1]), price)
    )


def share_asked(trees: NearSet, column: int, *, largest: bool, time_limit_s: float | None = None) -> float:
    """The least or the largest share of the weight that a tree of the set asks this column."""
    if trees.core is None or column not in {test.column for test in trees.candidates.tests}:
        return 0.0
    n = len(trees.problem.seen)
    others = [j != column for j in range(n)]
    rules = _core.PriceRules(
        own=[float(not other) for other in others], group=[-1] * n, setup=[], known=others
    )
    weights = np.asarray(trees.problem.rows.weights, dtype=np.float64)
    nothing = np.empty((0, len(weights)))
    found = trees.core.cheapest(rules, weights / weights.sum(), nothing, np.inf, time_limit_s, largest)
    return float(found[1])


def _all_orders(trees: NearSet, prices: ProblemPrices) -> bool:
    """Whether all orders of delayed tests can be tried."""
    rules = prices.rules
    if not rules.delayed.any():
        return True
    columns = {test.column for test in trees.asked().tests}
    ordered = [j for j in columns if not rules.known[j] and (rules.order_all or rules.delayed[j])]
    return bool(rules.pay_once) and len(ordered) <= MOST_ORDERED
