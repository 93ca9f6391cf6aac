"""What the leaves of a tree answer: class or mean, shares of the classes, price of the path."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.answers import node_shares
from thriftree.document.leaf_models import LeafModel, model_of
from thriftree.explain.answers import NodeAnswers
from thriftree.explain.prices import node_prices
from thriftree.export.decisions import depths


@dataclass(frozen=True)
class Leaf:
    """A leaf: its node number and what it predicts; in words (safe to print) `said`, and what training saw.

    `label` is the class's number, None for a numeric target. `shares` are those of `Tree.predict_proba`; none
    for a numeric target. `cost` is what every row that ends here has paid; None if it depends on the row.
    With a `model` the leaf answers by it, and `answer` is the mean that it adds to.
    """

    node: int
    answer: Scalar
    label: int | None
    shares: tuple[float, ...]
    cost: float | None
    said: str
    seen: str
    model: LeafModel | None = None

    @property
    def words(self) -> str:
        """ "sick, 82% of 44 rows"."""
        return f"{self.said}, {self.seen}"


def leaves_of(document: dict[str, Any], smoothing: float = 0.0) -> dict[int, Leaf]:
    """The leaves by node number, in the order of the tree."""
    if isinstance(smoothing, bool) or not isinstance(smoothing, int | float) or not 0 <= smoothing < math.inf:
        raise ValueError(f"smoothing must be a finite number >= 0, not {smoothing!r}")
    numbers = [number for number, node in enumerate(document["nodes"]) if "test" not in node]
    prices, answers = node_prices(document), NodeAnswers(document)
    shares = None if document["classes"] is None else node_shares(document, smoothing).tolist()
    leaves = {}
    for number in numbers:
        node = document["nodes"][number]
        answer, said = answers.predicted(number)
        price = prices[number]
        leaves[number] = Leaf(
            number,
            answer,
            node.get("label"),
            () if shares is None else tuple(shares[number]),
            None if price.varies else price.paid,
            said,
            answers.seen_words(number),
            model_of(node),
        )
    return leaves


def has_models(leaves: dict[int, Leaf]) -> bool:
    """Whether a leaf is linear."""
    return any(leaf.model is not None for leaf in leaves.values())


def refuse_linear_leaves(document: dict[str, Any], export: str) -> None:
    """Raises a ValueError where a tree has linear leaves, which the export has no words for."""
    if any("linear" in node for node in document["nodes"]):
        raise ValueError(
            f"{export} cannot say linear leaves yet: export the tree another way, or "
            "tree.with_leaf_models(None), whose leaves answer by their means"
        )


def answers_of(document: dict[str, Any], leaves: dict[int, Leaf]) -> dict[str, str]:
    """What every leaf can answer, in a fixed order: the ending of a function's name, and in words."""
    answers = {"": "class" if document["classes"] is not None else "mean"}
    if has_models(leaves):
        answers[""] = "mean, or what the linear model says,"
    if all(leaf.cost is not None for leaf in leaves.values()):
        answers["cost"] = "price of the tests"
    if document["classes"] is not None:
        answers["probabilities"] = "share of each class"
    return answers


NO_COST = "What a row pays depends on the outcomes of its tests: see Tree.predict_cost."


def summary_of(document: dict[str, Any]) -> str:
    """ "9 leaves, at most 4 tests"."""
    nodes = document["nodes"]
    n, most = sum("test" not in node for node in nodes), max(depths(nodes))
    return f"{n} {'leaf' if n == 1 else 'leaves'}, at most {most} test{'' if most == 1 else 's'}"
