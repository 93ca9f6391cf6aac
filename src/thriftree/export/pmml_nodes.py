"""The nodes of a PMML tree. Each has a predicate that is true for exactly the values that take its branch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import Any

from thriftree.document.answers import node_numbers, node_shares
from thriftree.explain.values import Interval, Values, all_values, values_by_branch
from thriftree.export.pmml_fields import Field
from thriftree.export.xml_text import XmlText

_ARRAY_TYPES = {"string": "string", "boolean": "string", "integer": "int", "double": "real"}


def add_nodes(xml: XmlText, document: dict[str, Any], fields: dict[int, Field], target: Field) -> None:
    """Writes the root and all below it."""
    nodes = document["nodes"]
    shares = None if document["classes"] is None else node_shares(document)
    numbers = node_numbers(document).tolist() if shares is None else []
    # A node still to be written, with its predicate's field and values; None: end the element that is open.
    open_: list[tuple[int, Field | None, dict[str, Any], Values | None] | None] = [(0, None, {}, None)]
    while open_:
        item = open_.pop()
        if item is None:
            xml.close()
            continue
        number, field, column, values = item
        node = nodes[number]
        score = str(numbers[number]) if shares is None else target.labels[node["label"]]
        xml.open("Node", {"id": number, "score": score, "recordCount": float(node["weight"])})
        open_.append(None)
        if field is None or values is None:
            xml.add("True")
        else:
            _add_predicate(xml, field, column, values)
        if shares is not None:
            for label, weight, share in zip(target.labels, node["value"], shares[number], strict=True):
                counted = {"recordCount": float(weight), "probability": float(share)}
                xml.add("ScoreDistribution", {"value": label, **counted})
        if "test" in node:
            asked = document["columns"][node["test"]["column"]]
            own_field = fields[node["test"]["column"]]
            branches = zip(node["children"], values_by_branch(node, asked), strict=True)
            open_.extend((child, own_field, asked, taken) for child, taken in reversed(list(branches)))


def _add_predicate(xml: XmlText, field: Field, column: dict[str, Any], values: Values) -> None:
    """True for these values of the column, and only for them."""
    everything = all_values(column)
    if values == everything:
        xml.add("True")
        return
    all_known = replace(values, missing=everything.missing) == everything
    n_ways = 1 if all_known else len(values.intervals) + bool(values.codes or values.other)
    if n_ways + values.missing == 0:
        xml.add("False")
        return
    with _compound(xml, "or", n_ways + values.missing):
        if all_known:
            xml.add("SimplePredicate", {"field": field.name, "operator": "isNotMissing"})
        else:
            _add_known(xml, field, values, everything)
        if values.missing:
            xml.add("SimplePredicate", {"field": field.name, "operator": "isMissing"})


def _add_known(xml: XmlText, field: Field, values: Values, everything: Values) -> None:
    for interval in values.intervals:
        _add_interval(xml, field, interval)
    if values.other:
        outside = sorted(everything.codes - values.codes)
        _add_set(xml, field, [field.labels[code] for code in outside], inside=False)
    elif values.codes:
        _add_set(xml, field, [field.labels[code] for code in sorted(values.codes)], inside=True)


def _add_interval(xml: XmlText, field: Field, interval: Interval) -> None:
    low, high = interval
    ends = [("greaterThan", low)] * (low > -inf) + [("lessOrEqual", high)] * (high < inf)
    with _compound(xml, "and", len(ends)):
        for operator, value in ends:
            xml.add("SimplePredicate", {"field": field.name, "operator": operator, "value": float(value)})


def _add_set(xml: XmlText, field: Field, labels: list[str], *, inside: bool) -> None:
    """True for values among the labels, or (not `inside`) for values that are not."""
    array_type = _ARRAY_TYPES[field.data_type]
    # In an array a backslash may or may not escape what follows, as the engine likes.
    if len(labels) > 1 and not any("\\" in label for label in labels):
        if array_type == "string":
            labels = ['"' + label.replace('"', '\\"') + '"' for label in labels]
        operator = "isIn" if inside else "isNotIn"
        xml.open("SimpleSetPredicate", {"field": field.name, "booleanOperator": operator})
        xml.add("Array", {"type": array_type, "n": len(labels)}, " ".join(labels))
        xml.close()
        return
    with _compound(xml, "or" if inside else "and", len(labels)):
        operator = "equal" if inside else "notEqual"
        for label in labels:
            xml.add("SimplePredicate", {"field": field.name, "operator": operator, "value": label})


@contextmanager
def _compound(xml: XmlText, operator: str, n_parts: int) -> Iterator[None]:
    """Joins the predicates written in the block, if there are several."""
    if n_parts > 1:
        xml.open("CompoundPredicate", {"booleanOperator": operator})
    yield
    if n_parts > 1:
        xml.close()
