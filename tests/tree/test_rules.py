"""Rules say exactly which rows reach which leaf, and say it shortly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thoroughness import tries
from tree_documents import COLUMNS, column_inputs, cuts_of, documents, path

from thriftree.explain.rules import Condition, Rule
from thriftree.tree import Tree

QUICK = settings(max_examples=tries(60, 25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = [column["name"] for column in COLUMNS]


def fits(condition: Condition, value: float, categories: list[Any]) -> bool:
    if np.isnan(value) or (categories and value == -1):
        return condition.missing
    if categories and value == -2:
        return condition.other
    if categories:
        category = categories[int(value)]
        return (category["float"] if isinstance(category, dict) else category) in condition.categories
    return any(low < value <= high or (low == -np.inf == value) for low, high in condition.intervals)


@QUICK
@given(documents(), st.integers(0, 2**32))
def test_every_row_fits_the_rule_of_its_leaf_and_no_other(document: dict[str, Any], seed: int) -> None:
    rules = Tree.from_dict(document).rules()
    inputs = column_inputs(40, np.random.default_rng(seed), cuts_of(document))
    for row in range(40):
        fitting = [
            rule.leaf
            for rule in rules
            if all(
                fits(
                    c,
                    float(inputs[NAMES.index(c.column)][row]),
                    COLUMNS[NAMES.index(c.column)].get("categories", []),
                )
                for c in rule.conditions
            )
        ]
        assert fitting == [path(document, inputs, row)[-1]]


@QUICK
@given(documents())
def test_a_rule_names_a_column_once_and_holds_the_leafs_numbers(document: dict[str, Any]) -> None:
    rules = Tree.from_dict(document).rules()
    leaves = [i for i, node in enumerate(document["nodes"]) if "test" not in node]
    assert [rule.leaf for rule in rules] == leaves
    for rule in rules:
        names = [condition.column for condition in rule.conditions]
        assert len(names) == len(set(names))
        node = document["nodes"][rule.leaf]
        assert (rule.rows, rule.weight) == (node["rows"], node["weight"])
        if document["classes"] is None:
            assert rule.label == node["value"][0]
            assert rule.probability is None
        elif sum(node["value"]) > 0:
            assert rule.probability == pytest.approx(node["value"][node["label"]] / sum(node["value"]))


def leaf(rows: int, value: list[float], label: int | None = 0) -> dict[str, Any]:
    node: dict[str, Any] = {"rows": rows, "objects": rows, "weight": float(rows), "value": value}
    if label is not None:
        node["label"] = label
    return {**node, "impurity": 0.0}


def split(column: int, cut: float, children: list[int], rows: int, missing: int = 0) -> dict[str, Any]:
    test = {"column": column, "kind": "ordered", "keys": [cut], "to": [0, 1], "missing": missing, "other": 0}
    return {**leaf(rows, [1.0, 1.0]), "test": test, "children": children}


def rules_of(
    columns: list[dict[str, Any]], nodes: list[dict[str, Any]], classes: Any = ("no", "yes")
) -> list[Rule]:
    document = {
        "format": "thriftree-tree",
        "version": 1,
        "columns": columns,
        "classes": None if classes is None else list(classes),
        "nodes": nodes,
    }
    return Tree.from_dict(document).rules()


def test_two_cuts_of_one_column_become_one_interval() -> None:
    age = [{"name": "age", "kind": "number"}]
    nodes = [
        split(0, 60.0, [1, 6], 100),
        split(0, 40.0, [2, 3], 90),
        leaf(50, [40.0, 10.0]),
        split(0, 50.0, [4, 5], 40),
        leaf(25, [5.0, 20.0], 1),
        leaf(15, [15.0, 0.0]),
        leaf(10, [1.0, 9.0], 1),
    ]
    assert [str(rule) for rule in rules_of(age, nodes)] == [
        "if age <= 40 then no (50 rows, 80%)",
        "if 40 < age <= 50 then yes (25 rows, 80%)",
        "if 50 < age <= 60 then no (15 rows, 100%)",
        "if age > 60 then yes (10 rows, 90%)",
    ]


def test_a_rule_says_where_missing_values_go_if_that_was_learned() -> None:
    age = [{"name": "age", "kind": "number"}]
    nodes = [split(0, 60.0, [1, 2], 100, missing=1), leaf(90, [90.0, 0.0]), leaf(10, [0.0, 10.0], 1)]
    assert [str(rule) for rule in rules_of(age, nodes)] == [
        "if age <= 60 then no (90 rows, 100%)",
        "if age > 60 or is missing then yes (10 rows, 100%)",
    ]


def test_one_leaf_is_a_rule_without_conditions() -> None:
    (rule,) = rules_of([], [leaf(3, [2.5, 0.25], None)], None)
    assert str(rule) == "always 2.5 (3 rows)"
    assert rule.conditions == ()
    assert rule.label == 2.5


def test_a_path_that_contradicts_itself_is_called_so() -> None:
    age = [{"name": "age", "kind": "number"}]
    nodes = [
        split(0, 60.0, [1, 4], 100, missing=1),
        split(0, 70.0, [2, 3], 90),
        leaf(90, [90.0, 0.0]),
        leaf(0, [0.0, 0.0]),
        leaf(10, [0.0, 10.0], 1),
    ]
    assert [str(rule) for rule in rules_of(age, nodes)][:2] == [
        "if age <= 60 then no (90 rows, 100%)",
        "if age is nothing that exists then no (0 rows)",
    ]
