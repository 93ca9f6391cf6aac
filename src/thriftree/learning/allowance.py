"""What any path of a tree may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thriftree.columns import ColumnSchema
from thriftree.costs import BoundCosts, TestCosts, within_budget


@dataclass(frozen=True)
class Budget:
    """What any path may cost, what tests cost (None: 1 each), and the columns that must not be tested."""

    limit: float
    costs: TestCosts | None
    given_up: frozenset[int] = frozenset()

    def admits(self, amount: float) -> bool:
        """Whether a path may cost this much."""
        return within_budget(amount, self.limit)


def bound_costs(costs: TestCosts | None, columns: Sequence[ColumnSchema]) -> BoundCosts:
    """The prices of these columns; without prices every node visited costs 1."""
    if costs is None:
        return BoundCosts.without_prices([column.name for column in columns])
    return costs.bind(columns)
