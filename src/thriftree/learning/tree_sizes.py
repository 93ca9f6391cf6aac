"""The size of a tree that weakest-link pruning charges for: its leaves, or what a row is expected to pay."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np

from thriftree import _core
from thriftree.costs import BoundCosts, price
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.targets import Floats

Size: TypeAlias = Literal["leaves", "price"]
SIZES: Final[tuple[Size, ...]] = ("leaves", "price")


def own_size(plan: Plan) -> Size:
    """What the plan prunes by: unless it says so, what it chooses tests by."""
    return plan.pruned_by or ("leaves" if plan.prices is None else "price")


def own_sizes(grown: Grown, plan: Plan) -> tuple[Floats, Floats]:
    """As `sizes`, by the size that the plan prunes by."""
    prices = None if plan.prices is None else plan.prices_of(plan.prices, grown.columns)
    return sizes(grown.core, plan, own_size(plan), prices)


def sizes(core: _core.Tree, plan: Plan, size: Size, prices: BoundCosts | None) -> tuple[Floats, Floats]:
    """What each node adds to the size of the whole tree as a leaf, and as a test. `prices` are those of the
    tree's columns, None: every test costs 1.

    What is asked for nothing still counts the price of asking: else no pruning would ever undo it.
    """
    if size == "leaves":
        return np.ones(core.n_nodes), np.zeros(core.n_nodes)
    share = core.weight / core.weight[0] * plan.start.sample_share
    if prices is None:
        return np.zeros(core.n_nodes), share
    # An order of delayed tests is a price of the whole branch, and weakest links need one a node: each test
    # counts as if it came alone.
    return np.zeros(core.n_nodes), share * (price(core, prices.without_delay()).marginal + prices.asking)
