"""A tree as the page holds it: its tests to walk by, words to show, and the numbers of every node.

The page's walk (page/walk.js) reads `columns`, and of a node `test`, `children`, `fixed` and `times`: a row
there has paid `fixed` and, for each column whose price depends on the outcome, `times` its price for the row.
A linear leaf answers by `linear`.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from thriftree.costs import BoundCosts
from thriftree.document.leaf_models import extra_questions, model_document
from thriftree.explain.answers import NodeAnswers, deviation_of
from thriftree.explain.intervals import of_mean, wilson
from thriftree.explain.model_words import model_words
from thriftree.explain.prices import price_words, priced_tree
from thriftree.explain.question_words import question_words
from thriftree.explain.rules import rules_within
from thriftree.explain.words import Wording, label_words
from thriftree.plot.direction import left_to_right
from thriftree.plot.palette import class_colours

MOST_SHARES: Final = 6  # classes named at a node, heaviest first; the rest are together


def page_tree(document: dict[str, Any], most_nodes: int) -> dict[str, Any]:
    """The tree of a JSON form. Of more than `most_nodes` nodes those that most rows reach are kept; a node
    whose children were left out is `cut`.
    """
    kept = kept_nodes(document, most_nodes)
    place = {number: i for i, number in enumerate(kept)}
    wording, says = Wording(document), NodeAnswers(document)
    words = price_words(document)
    number_of = {column["name"]: j for j, column in enumerate(document["columns"])}
    because = {
        rule.leaf: [
            [number_of[condition.column], left_to_right(str(condition))] for condition in rule.conditions
        ]
        for rule in rules_within(document, place)
    }
    arrays, costs, prices = priced_tree(document)
    extra = extra_questions(says.models, arrays.parent, arrays.column)
    nodes = []
    for number in kept:
        node = document["nodes"][number]
        fact: dict[str, Any] = {
            "rows": node["rows"],
            "weight": node["weight"],
            **_answer(says, number, node),
            "paid": _short(prices.accumulated[number]),
            "price": words[number],
            "fixed": float(prices.fixed[number]),
        }
        if number in says.models:
            fact |= _model(document, says, number)
            fact["fixed"] += 0 if document.get("prices") is not None else int(extra[number])
        if prices.times[number].any():
            fact["times"] = prices.times[number].tolist()
        if "test" in node and all(child in place for child in node["children"]):
            question, answers = question_words(document, node, wording)
            fact["question"], fact["answers"] = left_to_right(question), [*map(left_to_right, answers)]
            fact["test"] = {key: value for key, value in node["test"].items() if key != "score"}
            fact["children"] = [place[child] for child in node["children"]]
        elif "test" in node:
            fact["cut"] = True
        else:
            fact["because"] = because[number]
        nodes.append(fact)
    return {
        "columns": _columns(document, wording, nodes, list(costs.outcomes)),
        "classes": None
        if document["classes"] is None
        else [label_words(label) for label in document["classes"]],
        "colours": None if document["classes"] is None else class_colours(document["nodes"][0]["value"]),
        "nodes": nodes,
        "numbers": kept,
        "n_nodes": len(document["nodes"]),
        "priced": document.get("prices") is not None,
        "outcomes": _outcome_prices(costs),
    }


def _columns(
    document: dict[str, Any], wording: Wording, nodes: list[dict[str, Any]], outcomes: list[int]
) -> dict[str, dict[str, Any]]:
    """By number, as text, columns that nodes ask for, or whose outcome is in a price, with their words."""
    asked = {node["test"]["column"] for node in nodes if "test" in node}
    for node in nodes:
        asked.update(node.get("linear", {}).get("columns", ()))
        asked.update(column for column, n in zip(outcomes, node.get("times", ()), strict=False) if n)
    columns = {}
    for number in sorted(asked):
        column = document["columns"][number]
        columns[str(number)] = {"name": wording.names[number], "kind": column["kind"]}
        if (temporal := wording.temporal[number]) is not None:
            columns[str(number)] |= {"temporal": temporal.what, "zoned": temporal.time_zone is not None}
        if column["kind"] != "number":
            columns[str(number)]["categories"] = column["categories"]
            columns[str(number)]["words"] = [label_words(category) for category in column["categories"]]
    return columns


def _model(document: dict[str, Any], says: NodeAnswers, number: int) -> dict[str, Any]:
    """Of a linear leaf, what the page answers by, and the same in words."""
    model, (mean, _) = says.models[number], says.predicted(number)
    n = len(model.columns)
    return {
        "said": f"{mean:.6g} + {n} linear term{'' if n == 1 else 's'}",
        "linear": model_document(model),
        "model": left_to_right(model_words(document, model, float(mean), None)),
    }


def n_conditions(document: dict[str, Any], kept: Sequence[int]) -> int:
    """How many conditions the leaves among `kept` have at most: one for each column on their way."""
    nodes, among = document["nodes"], frozenset(kept)
    on_the_way: Counter[int] = Counter()
    total = n_columns = 0
    open_ = [(0, True)]
    while open_:
        number, entered = open_.pop()
        test = nodes[number].get("test")
        if test is None:
            total += n_columns
            continue
        column = test["column"]
        on_the_way[column] += 1 if entered else -1
        if entered:
            n_columns += on_the_way[column] == 1
            open_.append((number, False))
            open_.extend((child, True) for child in nodes[number]["children"] if child in among)
        else:
            n_columns -= on_the_way[column] == 0
    return total


def kept_nodes(document: dict[str, Any], most: int) -> list[int]:
    """Numbers of the nodes to keep, in preorder: families of children are added where most rows are."""
    nodes = document["nodes"]
    if len(nodes) <= most:
        return list(range(len(nodes)))
    kept = {0}
    open_ = [(-nodes[0]["rows"], 0)]
    while open_:
        children = nodes[heapq.heappop(open_)[1]].get("children", ())
        if len(kept) + len(children) > most:
            continue
        kept.update(children)
        for child in children:
            heapq.heappush(open_, (-nodes[child]["rows"], child))
    return sorted(kept)


def _answer(answers: NodeAnswers, number: int, node: dict[str, Any]) -> dict[str, Any]:
    """What the node says as a leaf, and how sure it is. Of a tree that is shrunk also what training saw,
    which the interval is about.
    """
    predicted, said = answers.predicted(number)
    if "label" not in node:
        mean, variance = node["value"]
        return {
            "said": said,
            "mean": predicted,
            "deviation": _short(deviation_of(node)),
            "interval": _pair(of_mean(mean, variance, node["rows"])),
            **({"seen": mean} if answers.is_shrunk and number not in answers.models else {}),
        }
    share, total = answers.share_of_label(number), sum(node["value"])
    shares = [total * one for one in answers.shares(number)] if answers.is_shrunk else node["value"]
    heaviest = sorted(range(len(shares)), key=lambda k: (-shares[k], k))[:MOST_SHARES]
    seen = node["value"][node["label"]] / total if total > 0 else 0.0
    return {
        "said": said,
        "label": node["label"],
        "shares": [[k, _short(shares[k])] for k in heaviest if shares[k] > 0],
        "total": _short(total),
        "share": None if share is None else _short(share),
        "interval": None if share is None or node["rows"] == 0 else _pair(wilson(seen, node["rows"])),
        **({"seen": _short(seen)} if answers.is_shrunk else {}),
    }


def _outcome_prices(costs: BoundCosts) -> list[dict[str, Any]]:
    """The columns whose price depends on the outcome, in the order of the nodes' `times`."""
    found = []
    for column, outcomes in costs.outcomes.items():
        prices = outcomes.prices.tolist()
        by_outcome = (
            {"by_code": prices}
            if outcomes.has_codes
            else {"up_to": outcomes.up_to.tolist(), "prices": prices}
        )
        found.append({"column": column, **by_outcome, "highest": outcomes.highest})
    return found


def _short(value: float) -> float:
    """Digits enough to show."""
    return float(f"{value:.7g}")


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else [_short(side) for side in interval]
