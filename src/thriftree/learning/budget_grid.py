"""The budgets at which trees are grown: a fixed grid that prices alone make, whatever the budget asked for.

So the trees that compete within a budget also compete within every larger one, with the same scores, and the
best of them is never worse there.
"""

from __future__ import annotations

from typing import Final

from thriftree.costs import BoundCosts, PathState, within_budget

STEP: Final = 1.25  # between neighbours; the nearer, the less of a budget is left unused, and the more trees


def budgets_up_to(limit: float, prices: BoundCosts, n_rows: int) -> tuple[float, ...]:
    """The budgets of the grid that are within `limit`, the largest first; there is always one.

    The grid goes by equal factors from the price of the cheapest test to that of all tests together, which
    any path can pay. Where tests are paid each time they are asked, a path through `n_rows` rows may ask
    every one of them so often. Tests that cost nothing are for every budget.
    """
    alone = prices.prices.marginals(PathState())
    paid = alone[alone > 0]
    if not len(paid):
        return (0.0,)
    most = prices.together(range(len(alone)))
    if not prices.rules.pay_once:
        most *= n_rows
    grid = [0.0] if len(paid) < len(alone) else []
    budget = float(paid.min())
    while budget < most:
        grid.append(budget)
        budget *= STEP
    if not prices.rules.pay_once and (alone == 1.0).all():
        grid = _whole_numbers(grid)
    within = [one for one in (*grid, most) if within_budget(one, limit)]
    return tuple(reversed(within)) or (0.0,)


def _whole_numbers(grid: list[float]) -> list[float]:
    """The same for questions, of which no path asks a part: every small number, and fewer of the large."""
    numbers = [1.0]
    while numbers[-1] < grid[-1]:
        numbers.append(float(max(numbers[-1] + 1, int(numbers[-1] * STEP))))
    return numbers
