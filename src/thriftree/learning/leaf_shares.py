"""Several trees that share one number of leaves: the most useful split of any of them comes first."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace

from thriftree import _core
from thriftree.learning.growth import Plan, grow
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample


class _Noted:
    """Splits the open node of the highest priority first, as the core does, and notes what it splits."""

    def __init__(self, max_leaves: int) -> None:
        self.splits: list[tuple[float, int]] = []  # (priority times the weight of all rows, leaves added)
        self._max_leaves = max_leaves
        self._open: list[tuple[float, int]] = []  # (minus the priority, node)
        self._n_seen = 0

    def select(self, growth: _core.Growth) -> list[int]:
        """The next node to split, if there is one that fits."""
        for node in range(self._n_seen, len(growth)):
            if growth[node].is_open:
                heapq.heappush(self._open, (-growth.priority(node), node))
        self._n_seen = len(growth)
        while self._open:
            priority, node = heapq.heappop(self._open)
            choice = growth[node].choice
            assert choice is not None  # open nodes have one
            added = choice.partition.n_branches - 1
            if growth.n_leaves + added <= self._max_leaves:
                self.splits.append((-priority * growth.total, added))
                return [node]
        return []


def shared_leaves(
    parts: Sequence[Sample], plans: Sequence[Plan], limits: Limits, max_leaves: int
) -> list[int]:
    """How many of `max_leaves` leaves each part's tree gets if all are grown together, best split first."""
    left = max_leaves - len(parts)
    orders = []
    for rows, plan in zip(parts, plans, strict=True):
        noted = _Noted(plan.start.other_leaves + 1 + max(0, left))
        grow(rows, replace(plan, parts={**plan.parts, "grower": noted}), limits)
        orders.append(noted.splits)
    leaves, next_ = [1] * len(parts), [0] * len(parts)
    while True:
        heads = [(orders[i][n][0], i) for i, n in enumerate(next_) if n < len(orders[i])]
        if not heads:
            return leaves
        _, best = max(heads, key=lambda head: (head[0], -head[1]))
        added = orders[best][next_[best]][1]
        if added > left:
            orders[best] = []  # what comes later in this part may need this split first
            continue
        left -= added
        leaves[best] += added
        next_[best] += 1
