"""Linear leaves as docs/spec/tree-v1.md tells them, slowly and from the JSON form alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from thriftree.document.follow import path_of


def said_of_row(document: dict[str, Any], row: dict[str, Any]) -> Fraction:
    """What the tree says of a row of finite numbers, without any rounding."""
    leaf = document["nodes"][path_of(document, row)[-1]]
    said = Fraction(leaf["value"][0])
    model = leaf.get("linear")
    if model is None:
        return said
    for column, coefficient, mean in zip(
        model["columns"], model["coefficients"], model["means"], strict=True
    ):
        value = row.get(document["columns"][column]["name"])
        if value is not None and value == value:
            said += Fraction(coefficient) * (Fraction(value) - Fraction(mean))
    return min(max(said, Fraction(model["lowest"])), Fraction(model["highest"]))


def questions_of_row(document: dict[str, Any], row: dict[str, Any]) -> int:
    """Without prices: a question for each test on the row's way, and for each column that only the leaf
    reads.
    """
    *tests, leaf = (document["nodes"][number] for number in path_of(document, row))
    asked = {node["test"]["column"] for node in tests}
    return len(tests) + sum(column not in asked for column in leaf.get("linear", {}).get("columns", ()))


def free_columns_at(document: dict[str, Any], leaf: int, known: set[str]) -> set[int]:
    """With prices: what a leaf may read, the columns tested on its way and those that are known."""
    free = {j for j, column in enumerate(document["columns"]) if column["name"] in known}
    while leaf:
        above = next(
            number for number, node in enumerate(document["nodes"]) if leaf in node.get("children", ())
        )
        free.add(document["nodes"][above]["test"]["column"])
        leaf = above
    return free
