"""A recipe: one setting of one method, ready to grow trees from any rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, Final

import numpy as np

from thriftree.learning.allowance import Budget
from thriftree.learning.budget import grow_within
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.leaf_models import LeafReading
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import Pruning, grow_and_prune, grow_and_prune_path
from thriftree.learning.sample import Sample


@dataclass(frozen=True)
class Recipe:
    """How to grow one tree, or one for each of several budgets and trade-offs."""

    method: str
    settings: Mapping[str, Any]  # the parameters that were varied
    plan: Plan
    how: Pruning  # the method's own pruning, before any other
    trade_offs: tuple[float, ...] = ()
    # What no path may cost more than, falling: a tree for each, and for each of the trade-offs. Empty: none.
    budgets: tuple[Budget, ...] = ()
    linear: LeafReading | None = None  # what linear leaves may read; None: leaves are constant
    # Finds the one tree as a whole, in place of growing by the plan. None: the plan grows it.
    search: Callable[[Sample, Limits], Grown] | None = None

    def is_plain_part_of(self, other: Recipe) -> bool:
        """Whether the one tree of this recipe is also the other's for an infinite trade-off, but for the
        scores of its tests, on rows that are an object each: without prices that is the tree of the impurity
        alone.
        """
        return (
            not self.trade_offs
            and self.search is None
            and inf in other.trade_offs
            and self.plan.n_classes > 0
            and self.plan.prices is None
            and not self.budgets
            and not other.budgets
            and self.how == other.how
            and self.linear is None
            and self.plan.class_weight is None  # which enters the two in different ways
            and self.plan.priors is None
            and self.how.method is None
            and not self.plan.scoring
            and other.plan.scoring == _OF_OBJECTS
            and _same(replace(other.plan, scoring={}), self.plan)
        )

    def grow(self, rows: Sample, limits: Limits) -> list[Grown]:
        """The tree of these rows, or the trees of each trade-off, budget by budget."""
        if self.search is not None:
            return [self.search(rows, limits)]
        if self.trade_offs:
            free = grow_and_prune_path(rows, self.plan, limits, self.how, self.trade_offs)
        else:
            free = [grow_and_prune(rows, self.plan, limits, self.how)]
        if not self.budgets:
            return free
        plans = [replace(self.plan, trade_off=value) for value in self.trade_offs] or [self.plan]
        return [
            grow_within(budget, rows, plan, limits, self.how, grown)
            for budget in self.budgets
            for plan, grown in zip(plans, free, strict=True)
        ]

    def without_repeats(self, trees: Sequence[Grown]) -> tuple[Recipe, list[Grown]]:
        """Without the budgets whose trees, of those that `grow` gave, are all those of the next smaller."""
        n = max(1, len(self.trade_offs))
        by_budget = [list(trees[i : i + n]) for i in range(0, len(trees), n)]
        kept = [
            number
            for number, (here, below) in enumerate(zip(by_budget, [*by_budget[1:], []], strict=True))
            if not below or any(a.core != b.core for a, b in zip(here, below, strict=True))
        ]
        if not self.budgets or len(kept) == len(self.budgets):
            return self, list(trees)
        fewer = replace(self, budgets=tuple(self.budgets[number] for number in kept))
        return fewer, [tree for number in kept for tree in by_budget[number]]

    def settings_of(self, member: int) -> dict[str, Any]:
        """The parameters of one of the trees that `grow` gives."""
        settings = dict(self.settings)
        n = max(1, len(self.trade_offs))
        if self.trade_offs:
            settings["trade_off"] = self.trade_offs[member % n]
        if self.budgets:
            settings["budget"] = self.budgets[member // n].limit
        return settings


_OF_OBJECTS: Final = {"objects": True, "score": "enhanced"}


def _same(a: Plan, b: Plan) -> bool:
    """Whether two plans grow the same trees; plans of arrays are not to be compared by ==."""
    return all(_same_value(getattr(a, one.name), getattr(b, one.name)) for one in fields(Plan))


def _same_value(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)
