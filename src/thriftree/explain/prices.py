"""What a tree's tests and paths cost, node by node, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from thriftree.costs import BoundCosts, PriceableTree, TestCosts, TreePrice, price
from thriftree.costs.outcomes import OutcomePrices
from thriftree.document.follow import Answer, Unknown
from thriftree.document.read import content_of


@dataclass(frozen=True)
class NodePrice:
    """What a node costs: paid on arrival, added by its own test (0 at a leaf), and whether outcomes change
    what has been paid: then both are the most.
    """

    paid: float
    adds: float
    varies: bool


def node_prices(document: dict[str, Any]) -> list[NodePrice]:
    """The prices of all nodes of a JSON form; without prices every test costs 1."""
    _, _, priced = priced_tree(document)
    varies = np.any(priced.times, axis=1).tolist()
    return [
        NodePrice(paid, adds, changes)
        for paid, adds, changes in zip(
            priced.accumulated.tolist(), priced.marginal.tolist(), varies, strict=True
        )
    ]


def price_words(document: dict[str, Any]) -> list[str]:
    """For a test what it adds to the price of the path, for a leaf what the whole path pays.

    A test says "102.90", "paid" if it was paid for above, "free" if it costs nothing, and "203.80 for 2
    tests" where it orders delayed tests. Prices that depend on outcomes are "up to" the dearest.
    """
    tree, costs, priced = priced_tree(document)
    path_varies = np.any(priced.times, axis=1).tolist()
    words = []
    for node, column in enumerate(tree.column.tolist()):
        if column < 0:
            words.append(f"pays {amount_words(priced.accumulated[node], varies=path_varies[node])}")
        elif priced.marginal[node] == 0:
            words.append("free" if costs.known[column] or costs.own[column] == 0 else "paid")
        else:
            ordered = _ordered(tree, node, costs) if costs.delayed[column] else {column}
            amount = amount_words(priced.marginal[node], varies=not ordered.isdisjoint(costs.outcomes))
            words.append(amount if len(ordered) == 1 else f"{amount} for {len(ordered)} tests")
    return words


def priced_tree(document: dict[str, Any]) -> tuple[PriceableTree, BoundCosts, TreePrice]:
    """The tree of a JSON form as pricing sees it, its prices fitted to the columns, and what it costs."""
    content = content_of(document)
    if content.prices is None:
        costs = TestCosts({column.name: 1.0 for column in content.columns}, pay="each")
    else:
        costs = TestCosts.from_dict(content.prices)
    bound = costs.bind(content.columns)
    tree: PriceableTree = SimpleNamespace(**content.arrays)
    return tree, bound, price(tree, bound)


def _ordered(tree: PriceableTree, node: int, costs: BoundCosts) -> set[int]:
    """The columns that the first delayed test of a path orders: its own, and others below it."""
    below = {node}
    for later in range(node + 1, len(tree.parent)):  # in preorder a subtree is one run of nodes
        if int(tree.parent[later]) not in below:
            break
        below.add(later)
    columns = {int(tree.column[m]) for m in below} - {-1, *np.flatnonzero(costs.known).tolist()}
    if costs.delayed_scope == "delayed":
        return {c for c in columns if costs.delayed[c]}
    return columns - _tested_above(tree, node) if costs.pay == "once" else columns


def _tested_above(tree: PriceableTree, node: int) -> set[int]:
    columns = set()
    while (node := int(tree.parent[node])) >= 0:
        columns.add(int(tree.column[node]))
    return columns


def amount_words(value: float, *, varies: bool = False) -> str:
    """A price: with cents, or with six digits where it has more; "up to" it where outcomes change it."""
    if value == 0:
        return "nothing"
    # Cents, unless the price has more digits.
    amount = f"{value:.2f}" if abs(value - round(value, 2)) <= 1e-9 * value else f"{value:.6g}"
    return f"up to {amount}" if varies else amount


def row_prices(
    document: dict[str, Any], path: Sequence[int], answers: Mapping[int, Answer]
) -> tuple[list[float], list[int]]:
    """What a row has paid on arrival at each node of its path, by the outcomes in `answers` (by column), and
    for how many columns each test on the path pays (0: it was paid for above, or is known).
    """
    tree, costs, priced = priced_tree(document)
    paid = priced.fixed[list(path)]
    for j, (column, outcomes) in enumerate(costs.outcomes.items()):
        paid = paid + priced.times[list(path), j] * outcome_price(outcomes, answers[column])
    return [float(amount) for amount in paid], [len(own) for own in _bought_on(tree, path[:-1], costs)]


def _bought_on(tree: PriceableTree, tests: Sequence[int], costs: BoundCosts) -> list[set[int]]:
    """The columns that each of the tests on a path pays for."""
    bought: list[set[int]] = []
    placed = False
    for node in tests:
        column = int(tree.column[node])
        own = {column}
        if costs.known[column] or (placed and (costs.delayed_scope == "all" or costs.delayed[column])):
            own = set()
        elif costs.delayed[column]:
            own, placed = _ordered(tree, node, costs), True
        bought.append(own.difference(*bought) if costs.pay == "once" else own)
    return bought


def outcome_price(prices: OutcomePrices, answer: Answer) -> float:
    """The price of a column whose answer is known."""
    if isinstance(answer, Unknown):
        return prices.dearest
    return float(prices.of(np.array([answer]))[0])
