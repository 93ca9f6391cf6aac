"""A recipe: one setting of one method, ready to grow trees from any rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from thriftree.learning.allowance import Budget
from thriftree.learning.budget import grow_within
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import Pruning, grow_and_prune, grow_and_prune_path
from thriftree.learning.sample import Sample


@dataclass(frozen=True)
class Recipe:
    """How to grow one tree, or one tree for each of several trade-offs."""

    method: str
    settings: Mapping[str, Any]  # the parameters that were varied
    plan: Plan
    how: Pruning  # the method's own pruning, before any other
    trade_offs: tuple[float, ...] = ()
    budget: Budget | None = None  # what no path may cost more than

    def grow(self, rows: Sample, limits: Limits) -> list[Grown]:
        """The tree of these rows, or the tree of each trade-off."""
        if self.budget is not None:
            plans = [replace(self.plan, trade_off=value) for value in self.trade_offs] or [self.plan]
            return [grow_within(self.budget, rows, plan, limits, self.how) for plan in plans]
        if self.trade_offs:
            return grow_and_prune_path(rows, self.plan, limits, self.how, self.trade_offs)
        return [grow_and_prune(rows, self.plan, limits, self.how)]

    def settings_of(self, member: int) -> dict[str, Any]:
        """The parameters of one of the trees that `grow` gives."""
        if not self.trade_offs:
            return dict(self.settings)
        return {**self.settings, "trade_off": self.trade_offs[member]}
