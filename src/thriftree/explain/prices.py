"""What a tree's tests and paths cost, node by node, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from thriftree.costs import BoundCosts, OutcomePrices, PriceableTree, TestCosts, TreePrice, price
from thriftree.document.follow import Answer, Unknown
from thriftree.document.leaf_models import extra_questions, models_of
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
    """The prices of all nodes of a JSON form; without prices every test costs 1, and so does every column
    that only the model of a linear leaf reads.
    """
    tree, _, priced = priced_tree(document)
    accumulated = priced.accumulated
    if document.get("prices") is None:
        accumulated = accumulated + extra_questions(models_of(document), tree.parent, tree.column)
    varies = np.any(priced.times, axis=1).tolist()
    return [
        NodePrice(paid, adds, changes)
        for paid, adds, changes in zip(accumulated.tolist(), priced.marginal.tolist(), varies, strict=True)
    ]


def price_words(document: dict[str, Any]) -> list[str]:
    """For a test what it adds to the price of the path, for a leaf what the whole path pays.

    A test says "102.90", "paid" if it was paid for above, "free" if it costs nothing, and "203.80 for 2
    tests" where it orders delayed tests. Prices that depend on outcomes are "up to" the most expensive.
    """
    tree, costs, priced = priced_tree(document)
    path_varies = np.any(priced.times, axis=1).tolist()
    bought = priced.bought.tolist()
    words = []
    for node, column in enumerate(tree.column.tolist()):
        if column < 0:
            words.append(f"pays {amount_words(priced.accumulated[node], varies=path_varies[node])}")
        elif priced.marginal[node] == 0:
            words.append("free" if costs.known[column] or costs.own[column] == 0 else "paid")
        else:
            amount = amount_words(priced.marginal[node], varies=bool(priced.varies[node]))
            words.append(amount if bought[node] == 1 else f"{amount} for {bought[node]} tests")
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


def amount_words(value: float, *, varies: bool = False) -> str:
    """A price: with cents, or with six digits where it has more; "up to" it where outcomes change it."""
    if value == 0:
        return "nothing"
    # Cents, unless the price has more digits.
    amount = f"{value:.2f}" if abs(value - round(value, 2)) <= 1e-9 * value else f"{value:.6g}"
    return f"up to {amount}" if varies else amount


def row_prices(
    costs: BoundCosts, priced: TreePrice, path: Sequence[int], answers: Mapping[int, Answer]
) -> tuple[list[float], list[int]]:
    """What a row has paid on arrival at each node of its path, by the outcomes in `answers` (by column), and
    for how many columns each test on the path pays (0: it was paid for above, or is known).
    """
    nodes = np.asarray(path)
    outcomes = {column: np.full(len(nodes), _number(answers[column])) for column in costs.outcomes}
    return priced.of_rows(nodes, outcomes).tolist(), priced.bought[nodes[:-1]].tolist()


def outcome_price(prices: OutcomePrices, answer: Answer) -> float:
    """The price of a column whose answer is known."""
    return float(prices.of([_number(answer)])[0])


def _number(answer: Answer) -> float:
    """An answer as outcomes are priced: what is unknown has no number."""
    return np.nan if isinstance(answer, Unknown) else answer
