"""A tree as rules: one for each leaf, its path said as shortly as it can be."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.explain.answers import NodeAnswers, rows_words, share_words
from thriftree.explain.counts import Counts, counts_of
from thriftree.explain.values import (
    Interval,
    Values,
    all_values,
    missing_is_telling,
    union,
    values_by_branch,
)
from thriftree.explain.words import Wording

Simplify = Literal["paths", "labels"]
RuleOrder = Literal["tree", "label", "cover"]


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
    """The rows that reach one leaf, or several that say the same, and what the tree says of them.

    Attributes
    ----------
    leaf : the number of the leaf, of `leaves` the first.
    leaves : all of them; more than one only after merging.
    conditions : at most one a column; a row fits the rule if it fits all.
    label : the class, or the number that is predicted; of a linear leaf the mean that its model adds to.
    rows, weight : of the training rows that fit, their number and the sum of their sample weights.
    cover : their share of the weight of all training rows.
    probability : the label's probability, as `Tree.predict_proba` gives it: its share of the weight, unless
        the tree is shrunk. None for a numeric target or without weight.
    interval : 95 % confidence interval of the label's share in the training rows (Wilson) or of their mean
        (Student).
    counts : the weight of every class, and more.
    """

    leaf: int
    leaves: tuple[int, ...]
    conditions: tuple[Condition, ...]
    label: Scalar
    rows: int
    weight: float
    cover: float
    probability: float | None
    interval: Interval | None
    counts: Counts
    premise: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Region:
    """The rows that reach some leaves of one label: for each tested column the values that lead there, and
    which of these columns say where missing values go.
    """

    leaves: tuple[int, ...]
    values: dict[int, Values]
    telling: frozenset[int]


def rules_of(
    document: dict[str, Any], *, simplify: Simplify = "paths", order: RuleOrder = "tree"
) -> list[Rule]:
    """The rules of a tree in its JSON form. Every row fits exactly one. See `Tree.rules`."""
    for name, value, choices in (("simplify", simplify, Simplify), ("order", order, RuleOrder)):
        if value not in get_args(choices):
            raise ValueError(f"{name} is {value!r}: write {' or '.join(map(repr, get_args(choices)))}")
    wording, answers = Wording(document), NodeAnswers(document)
    regions = _regions(document, range(len(document["nodes"])))
    if simplify == "labels":
        regions = merged(document, regions, answers)
    rules = [_rule(document, region, wording, answers) for region in regions]
    if order == "cover":
        return sorted(rules, key=lambda rule: -rule.cover)
    if order == "label":
        return sorted(rules, key=_by_label(document))
    return rules


def rules_within(document: dict[str, Any], nodes: Collection[int]) -> list[Rule]:
    """The rules of those leaves that are among `nodes`, which hold the parent of each of them."""
    wording, answers = Wording(document), NodeAnswers(document)
    return [_rule(document, region, wording, answers) for region in _regions(document, nodes)]


def _by_label(document: dict[str, Any]) -> Callable[[Rule], tuple[float, ...]]:
    """Classes in their order, the surest rule of each first; means ascending."""
    if document["classes"] is None:
        return lambda rule: (float(rule.label),)
    label = [node["label"] for node in document["nodes"]]
    return lambda rule: (label[rule.leaf], -(rule.probability or 0.0), -rule.cover)


def _regions(document: dict[str, Any], among: Collection[int]) -> list[Region]:
    columns, nodes = document["columns"], document["nodes"]
    regions = []
    # What is known of each tested column on the way to a node, and which of them say where missing values go.
    open_: list[tuple[int, dict[int, Values], frozenset[int]]] = [(0, {}, frozenset())]
    while open_:
        number, path, telling = open_.pop()
        node = nodes[number]
        if "test" not in node:
            regions.append(Region((number,), path, telling))
            continue
        column = node["test"]["column"]
        if missing_is_telling(document, node):
            telling |= {column}
        before = path.get(column, all_values(columns[column]))
        branches = values_by_branch(node, columns[column])
        for child, values in reversed(list(zip(node["children"], branches, strict=True))):
            if child in among:
                open_.append((child, {**path, column: before & values}, telling))
    return regions


def merged(document: dict[str, Any], regions: list[Region], answers: NodeAnswers) -> list[Region]:
    """The same regions with fewer rules: those of one label that differ in the values of one column only are
    one. Regions that no row can be in are left out.
    """
    everything = [all_values(column) for column in document["columns"]]
    found = [
        Region(r.leaves, {c: v for c, v in r.values.items() if v != everything[c]}, r.telling)
        for r in regions
        if all(r.values.values())
    ]
    n_before = len(found) + 1
    while len(found) < n_before:
        n_before = len(found)
        for column in sorted({column for region in found for column in region.values}):
            groups: dict[Any, list[Region]] = {}
            for region in found:
                rest = frozenset((c, v) for c, v in region.values.items() if c != column)
                label, _ = answers.predicted(region.leaves[0])
                alone = region.leaves[0] if region.leaves[0] in answers.models else None
                groups.setdefault((type(label), label, rest, alone), []).append(region)
            found = [_joined(group, column, everything) for group in groups.values()]
    return sorted(found, key=lambda region: region.leaves)


def _joined(group: list[Region], column: int, everything: list[Values]) -> Region:
    if len(group) == 1:
        return group[0]
    together = union(region.values.get(column, everything[column]) for region in group)
    values = {c: together if c == column else v for c, v in group[0].values.items()}
    if together == everything[column]:
        values.pop(column, None)
    leaves = tuple(sorted(leaf for region in group for leaf in region.leaves))
    return Region(leaves, values, frozenset().union(*(region.telling for region in group)))


def _rule(document: dict[str, Any], region: Region, wording: Wording, answers: NodeAnswers) -> Rule:
    conditions = tuple(
        condition_of(
            document["columns"][column],
            values,
            wording.condition(column, values, say_missing=column in region.telling),
        )
        for column, values in region.values.items()
        if values != all_values(document["columns"][column])
    )
    label, said = answers.predicted(region.leaves[0])
    counts = counts_of(document, region.leaves)
    share, interval = answers.certainty(region.leaves, counts, label)
    certainty = f", {share_words(share)}" if share is not None else ""
    premise = " and ".join(
        f"({c})" if len(conditions) > 1 and (" or " in c.text or ", " in c.text) else str(c)
        for c in conditions
    )
    text = f"if {premise} then {said}" if conditions else f"always {said}"
    all_weight = document["nodes"][0]["weight"]
    return Rule(
        leaf=region.leaves[0],
        leaves=region.leaves,
        conditions=conditions,
        label=label,
        rows=counts.rows,
        weight=counts.weight,
        cover=counts.weight / all_weight if all_weight > 0 else 0.0,
        probability=share,
        interval=interval,
        counts=counts,
        premise=premise,
        text=f"{text} ({rows_words({'rows': counts.rows, 'weight': counts.weight})}{certainty})",
    )


def condition_of(column: dict[str, Any], values: Values, text: str) -> Condition:
    """What a set of values asks of a column, said with `text`."""
    categories = tuple(scalar(column["categories"][code]) for code in sorted(values.codes))
    return Condition(column["name"], values.intervals, categories, values.missing, values.other, text)
