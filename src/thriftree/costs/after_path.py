"""Prices below a node: what the path to it has paid for is free there, and its groups are set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from thriftree.costs.bound import BoundCosts, ColumnLike, PathState
from thriftree.costs.model import TestCosts
from thriftree.costs.tree_price import PriceableTree, price
from thriftree.preorder import subtree_ends


class Paid(NamedTuple):
    """What arriving at a node has paid for, and how much at most."""

    state: PathState
    amount: float


def paid_at(tree: PriceableTree, node: int, costs: BoundCosts) -> Paid:
    """What every row that reaches `node` has paid, its first order of delayed tests included; `amount` is at
    the dearest outcomes that lead there.
    """
    state = PathState()
    end = subtree_ends(tree.parent.tolist())
    path = [node]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    ordered = False
    for above in reversed(path[1:]):
        column = int(tree.column[above])
        if costs.delayed[column] and not costs.known[column] and not ordered:
            ordered = True
            below = {int(c) for c in tree.column[above : end[above]] if c >= 0}
            wanted = below if costs.delayed_scope == "all" else {c for c in below if costs.delayed[c]}
            for one in sorted(wanted):
                state = costs.visit(state, one)
        state = costs.visit(state, column)
    return Paid(state, float(price(tree, costs).accumulated[node]))


def after_path(costs: TestCosts, columns: Sequence[ColumnLike], state: PathState) -> TestCosts:
    """The prices of tests on a path that has come so far, as prices of their own.

    A column that was bought is known, unless every test is paid; a group that was set up has no set-up price
    any more. Asking costs what it did.
    """
    bound = costs.bind(columns)
    names = [column.name for column in columns]
    feature_of = {names.index(f) if isinstance(f, str) else f: f for f in (*costs.prices, *costs.known)}
    bought = {feature_of[c] for c in range(len(names)) if state.bought >> c & 1}
    groups = {
        name: replace(group, setup=0.0) if state.opened >> g & 1 else group
        for g, (name, group) in enumerate(costs.groups.items())
    }
    known = {*costs.known, *bought} if costs.pay == "once" else costs.known
    return replace(costs, known=tuple(known), groups=groups, asking=bound.asking)
