"""The rules of a tree as an aligned table, to read at a terminal or to paste into a document."""

from __future__ import annotations

from typing import Any

from thriftree.explain.answers import NodeAnswers, share_words
from thriftree.explain.prices import amount_words, node_prices
from thriftree.explain.rules import Rule, RuleOrder, Simplify, rules_of


def rules_text(document: dict[str, Any], *, simplify: Simplify = "labels", order: RuleOrder = "label") -> str:
    """One line a rule: what it says, how often that is right (with its 95 % interval), how many training rows
    it covers, what its most expensive path pays if the tree has prices, and when it holds.

    `simplify` and `order` are those of `Tree.rules`.
    """
    rules = rules_of(document, simplify=simplify, order=order)
    priced, answers = document.get("prices") is not None, NodeAnswers(document)
    paid = [price.paid for price in node_prices(document)] if priced else []
    header = [
        "says",
        *(["share"] if document["classes"] is not None else []),
        "95% interval",
        "rows",
        "cover",
    ]
    lines = [[*header, *(["pays"] if priced else []), "when"]]
    for rule in rules:
        pays = [amount_words(max(paid[leaf] for leaf in rule.leaves))] if priced else []
        lines.append(
            [answers.predicted(rule.leaf)[1], *_numbers(document, rule), *pays, rule.premise or "always"]
        )
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(_aligned(line, widths) for line in lines)


def _numbers(document: dict[str, Any], rule: Rule) -> list[str]:
    share = (
        []
        if document["classes"] is None
        else ["-" if rule.probability is None else share_words(rule.probability)]
    )
    number = ".4g" if document["classes"] is None else ".0%"
    low_high = "-" if rule.interval is None else " to ".join(f"{end:{number}}" for end in rule.interval)
    return [*share, low_high, str(rule.rows), f"{rule.cover:.0%}"]


def _aligned(cells: list[str], widths: list[int]) -> str:
    """Words to the left, numbers to the right."""
    first, *numbers, last = cells
    middle = [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *middle, last])
