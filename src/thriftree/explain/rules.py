"""A tree as rules: one for each leaf, its path said as shortly as it can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.explain.values import Interval, Values, all_values, missing_is_telling, values_by_branch
from thriftree.explain.words import Wording, label_words


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one column: the value is in one of `intervals` (open below, closed above) or among
    `categories`, or is missing (if `missing`), or is not in the column's code book (if `other`)."""

    column: str
    intervals: tuple[Interval, ...]
    categories: tuple[Scalar, ...]
    missing: bool
    other: bool
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Rule:
    """The rows that reach one leaf, and what the tree says of them.

    `label` is the class, or the mean of a numeric target. `probability` is the share of the label's weight in
    the leaf; None for a numeric target or a leaf without weight. At most one condition a column.
    """

    leaf: int
    conditions: tuple[Condition, ...]
    label: Scalar
    rows: int
    weight: float
    probability: float | None
    text: str

    def __str__(self) -> str:
        return self.text


def rules_of(document: dict[str, Any]) -> list[Rule]:
    """The rules of a tree in its JSON form, in the order of its leaves. Every row fits exactly one."""
    wording = Wording(document)
    columns, nodes = document["columns"], document["nodes"]
    rules = []
    # What is known of each tested column on the way to a node, and which of them say where missing values go.
    open_: list[tuple[int, dict[int, Values], frozenset[int]]] = [(0, {}, frozenset())]
    while open_:
        number, path, telling = open_.pop()
        node = nodes[number]
        if "test" not in node:
            rules.append(_rule(document, number, path, telling, wording))
            continue
        column = node["test"]["column"]
        if missing_is_telling(document, node):
            telling |= {column}
        before = path.get(column, all_values(columns[column]))
        branches = values_by_branch(node, columns[column])
        for child, values in reversed(list(zip(node["children"], branches, strict=True))):
            open_.append((child, {**path, column: before & values}, telling))
    return rules


def _rule(
    document: dict[str, Any], leaf: int, path: dict[int, Values], telling: frozenset[int], wording: Wording
) -> Rule:
    node = document["nodes"][leaf]
    conditions = tuple(
        condition_of(
            document["columns"][column],
            values,
            wording.condition(column, values, say_missing=column in telling),
        )
        for column, values in path.items()
        if values != all_values(document["columns"][column])
    )
    label, said = predicted(document, node)
    share = share_of_label(document, node)
    certainty = f", {share:.0%}" if share is not None else ""
    premise = " and ".join(
        f"({c})" if " or " in c.text and len(conditions) > 1 else str(c) for c in conditions
    )
    text = f"if {premise} then {said}" if conditions else f"always {said}"
    return Rule(
        leaf,
        conditions,
        label,
        node["rows"],
        node["weight"],
        share,
        f"{text} ({rows_words(node)}{certainty})",
    )


def condition_of(column: dict[str, Any], values: Values, text: str) -> Condition:
    """What a set of values asks of a column, said with `text`."""
    categories = tuple(scalar(column["categories"][code]) for code in sorted(values.codes))
    return Condition(column["name"], values.intervals, categories, values.missing, values.other, text)


def predicted(document: dict[str, Any], node: dict[str, Any]) -> tuple[Scalar, str]:
    """What the node predicts as a leaf: the class or the mean, and in words."""
    if document["classes"] is None:
        mean = node["value"][0]
        return mean, f"{mean:.6g}"
    label = document["classes"][node["label"]]
    return scalar(label), label_words(label)


def share_of_label(document: dict[str, Any], node: dict[str, Any]) -> float | None:
    """The predicted class's share of the node's class weights; None for a numeric target or no weight."""
    if document["classes"] is None:
        return None
    total = sum(node["value"])
    return node["value"][node["label"]] / total if total > 0 else None


def rows_words(node: dict[str, Any]) -> str:
    """ "120 rows", and their weight where it is not their number."""
    rows = f"{node['rows']} row{'' if node['rows'] == 1 else 's'}"
    return rows if node["weight"] == node["rows"] else f"{rows}, weight {node['weight']:.6g}"
