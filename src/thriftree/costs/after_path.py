"""Prices below a node: what the path to it has paid for is free there, and its groups are set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from thriftree.costs.bound import BoundCosts, ColumnLike
from thriftree.costs.model import TestCosts
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


def after_path(costs: TestCosts, columns: Sequence[ColumnLike], state: PathState) -> TestCosts:
    """The prices of tests on a path that has come so far, as prices of their own.

    What was paid for is known or set up there, as far as it is free; asking costs what it did.
    """
    bound = costs.bind(columns)
    below = bound.prices.below(state)
    names = [column.name for column in columns]
    features = ((names.index(f) if isinstance(f, str) else f, f) for f in (*costs.prices, *costs.known))
    known = {feature for column, feature in features if below.known[column]}
    groups = {
        name: replace(group, setup=setup)
        for (name, group), setup in zip(costs.groups.items(), below.setup.tolist(), strict=True)
    }
    return replace(costs, known=tuple(known), groups=groups, asking=bound.asking)
