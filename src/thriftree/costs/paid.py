"""What the path to a node has bought, and for how much."""

from __future__ import annotations

from typing import NamedTuple

from thriftree.costs.bound import BoundCosts
from thriftree.costs.pricing import PathState
from thriftree.costs.tree_price import PriceableTree, price


class Paid(NamedTuple):
    """What arriving at a node has paid for, and how much at most."""

    state: PathState
    amount: float


def paid_at(tree: PriceableTree, node: int, costs: BoundCosts) -> Paid:
    """What every row that reaches `node` has paid, its first order of delayed tests included; `amount` is at
    the most expensive outcomes that lead there.
    """
    prices = price(tree, costs)
    return Paid(prices.arrived(node), float(prices.accumulated[node]))
