"""The budgets at which trees are grown: a fixed grid that prices alone make, whatever the budget asked for.

So the trees that compete within a budget also compete within every larger one, with the same scores, and the
best of them is never worse there.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thriftree.costs import BoundCosts, within_budget
from thriftree.costs.bound import NO_GROUP
from thriftree.learning.targets import Floats

STEP: Final = (
    1.2  # least factor between neighbours: the less, the less of a budget is left over, and the slower
)
_FINE: Final = 1.02  # the same while totals are put together, of which there may be very many


def budgets_up_to(limit: float, prices: BoundCosts, n_rows: int) -> tuple[float, ...]:
    """The budgets of the grid that are within `limit`, the largest first; there is always one.

    The grid goes by about equal factors from the price of the cheapest test to that of all tests together,
    which any path can pay, and each budget is the price of some tests, since between two such prices nothing
    more can be bought. Where tests are paid each time they are asked, it goes on: a path through `n_rows`
    rows may ask every one of them so often. Tests that cost nothing are for every budget.
    """
    totals = _totals(prices)
    most = float(totals[-1])
    if most == 0:
        return (0.0,)
    if prices.rules.pay_once:
        grid = _thinned(totals, STEP).tolist()
    elif (prices.own == 1.0).all() and not prices.setup.any():
        grid, most = _questions(n_rows), float(n_rows)
    else:
        grid = _thinned(totals, STEP).tolist()
        while grid[-1] < most * n_rows:
            grid.append(grid[-1] * STEP)
    free = [0.0] if (prices.known | (prices.own == 0)).any() else []
    within = [one for one in (*free, *grid) if within_budget(one, limit)]
    if grid[-1] < most and within_budget(most, limit):
        within.append(most)
    return tuple(reversed(within)) or (0.0,)


def _totals(prices: BoundCosts) -> Floats:
    """The prices of sets of tests, rising, from nothing to all tests; of very near ones the least."""
    sums = np.zeros(1)
    groups = [np.flatnonzero(prices.group == g) for g in range(len(prices.setup))]
    alone = [np.array([j]) for j in np.flatnonzero(prices.group == NO_GROUP)]
    for members in (*groups, *alone):
        paid = members[~prices.known[members]]
        if not len(paid):
            continue
        together = np.zeros(1)
        for own in prices.own[paid].tolist():
            together = _thinned(np.append(together, together + own), _FINE)
        group = int(prices.group[paid[0]])
        setup = 0.0 if group == NO_GROUP else float(prices.setup[group])
        some = setup + np.append(together[1:], float(prices.own[paid].sum()))
        sums = _thinned(np.append(sums, np.add.outer(sums, some)), _FINE)
    everything = prices.together(range(len(prices.own)))
    return np.append(sums[(sums > 0) & (sums < everything)], everything)


def _thinned(values: Floats, step: float) -> Floats:
    """Rising, each at least `step` times the one before."""
    rising = np.unique(values)
    kept, at = [], 0
    while at < len(rising):
        kept.append(rising[at])
        at = int(np.searchsorted(rising, max(rising[at] * step, np.nextafter(rising[at], np.inf))))
    return np.array(kept)


def _questions(most: int) -> list[float]:
    """Numbers of questions: every small one, and fewer of the large."""
    numbers = [1]
    while numbers[-1] < most:
        numbers.append(max(numbers[-1] + 1, int(numbers[-1] * STEP)))
    return [float(number) for number in numbers]
