"""Python source: what it may hold, what it takes."""

import ast
import decimal

import numpy as np
import pandas as pd
import pytest
from agreement import check_agreement, random_case
from programs import run_python

from thriftree.testing.random_documents import random_document
from thriftree.tree import Tree

ATTACKS = [
    "__import__('os').abort()",
    '"""\nraise SystemExit\n"""',
    "'+exit()+'",
    "# coding: rot13",
    "a\rexit()",
]


def hostile_document(seed):
    """A tree whose names, categories and classes would run something if they were code."""
    document = random_document(seed, n_classes=3, n_columns=4, kinds=("number", "category"))
    document["classes"] = ["# coding: utf-7", 'f"{exit()}"', "\\'); exit()"]
    for column, attack in zip(document["columns"], ATTACKS, strict=False):
        column["name"] = attack
        if column["kind"] == "category":
            column["categories"] = [ATTACKS[k % 5] + str(k) for k in range(len(column["categories"]))]
    return document


def exported(document, **options):
    names = {}
    exec(compile(Tree.from_dict(document).to_python(**options), "exported", "exec"), names)
    return names


@pytest.mark.parametrize("seed", range(5))
def test_nothing_from_the_data_becomes_code(seed):
    document = hostile_document(seed)
    text = Tree.from_dict(document).to_python()
    module = ast.parse(text)
    called = {ast.unparse(node.func) for node in ast.walk(module) if isinstance(node, ast.Call)}
    helpers = {"_predict_number", "_predict_category", "predict_leaf", "row.get"}
    helpers |= {"math.isnan", "type", "isinstance", "float", "getattr", "value.item", "TypeError"}
    assert called <= helpers
    imports = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["import math"]
    variables = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    assert not {"exit", "os", "__import__", "SystemExit"} & variables
    exported(document)


@pytest.mark.parametrize("seed", range(3))
def test_every_line_of_a_comment_is_one_line(seed):
    document, _ = random_case(seed, 1)
    text = Tree.from_dict(document).to_python()
    assert text.count("\n") == len(text.splitlines())  # which also ends lines at \x0b, \x1c, \u2028, ...


def test_a_column_may_have_the_name_of_a_variable_of_the_function():
    document, rows = random_case(1, 500, n_columns=4, kinds=("number",))
    names = ["row", "node", "math", "float"]
    rows = dict(zip(names, rows.values(), strict=True))
    for column, name in zip(document["columns"], names, strict=True):
        column["name"] = name
    check_agreement(document, rows, run_python(document, rows))


def test_values_of_other_libraries_are_taken_by_value():
    document = random_document(0, n_columns=2, n_tests=1, n_classes=2, hostile=False, kinds=("number",))
    document["columns"] = [
        {"name": "n", "kind": "number"},
        {"name": "c", "kind": "category", "categories": [0, 1]},
    ]
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0]}
    cut = {"column": 0, "kind": "ordered", "keys": [0.5], "to": [0, 1], "missing": 1, "other": 0}
    is_one = {"column": 1, "kind": "category", "keys": [1], "to": [0], "missing": 1, "other": 1}
    document["nodes"] = [
        {**leaf, "label": 0, "test": cut, "children": [1, 4]},
        {**leaf, "label": 0, "test": is_one, "children": [2, 3]},
        {**leaf, "label": 0},
        {**leaf, "label": 0},
        {**leaf, "label": 1},
    ]
    leaf_of = exported(document)["predict_leaf"]
    for one in (1, 1.0, True, np.int8(1), np.float32(1), np.True_, decimal.Decimal(1)):
        assert leaf_of({"n": decimal.Decimal("0.5"), "c": one}) == 2
    for other in (0, "1", 2, None, float("nan"), np.nan, pd.NA, pd.NaT):
        assert leaf_of({"n": np.float32(0.5), "c": other}) == 3
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        assert leaf_of({"n": missing, "c": 1}) == 4
    with pytest.raises(TypeError, match="column 'n' takes numbers, not '1'"):
        leaf_of({"n": "1", "c": 1})


def test_a_float32_is_compared_by_its_own_value_as_in_predict():
    document = random_document(0, n_columns=1, n_tests=1, n_classes=0, hostile=False, kinds=("category",))
    document["columns"] = [{"name": "c", "kind": "category", "categories": [{"float": 0.1}, {"float": 0.5}]}]
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0]}
    test = {"column": 0, "kind": "category", "keys": [0, 1], "to": [0, 1], "missing": 2, "other": 2}
    document["nodes"] = [{**leaf, "test": test, "children": [1, 2, 3]}, leaf, leaf, leaf]
    values = np.array([0.1, 0.5, np.nan], np.float32)
    wanted = Tree.from_dict(document).apply(pd.DataFrame({"c": values})).tolist()
    assert wanted == [3, 2, 3]  # 0.1 is no 32-bit float
    assert [exported(document)["predict_leaf"]({"c": value}) for value in values] == wanted


def test_of_equal_categories_the_last_is_met_as_in_predict():
    document = random_document(0, n_columns=1, n_tests=1, n_classes=2, hostile=False, kinds=("category",))
    document["columns"] = [{"name": "c", "kind": "category", "categories": [1, True, {"float": 2.5}]}]
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0]}
    test = {"column": 0, "kind": "category", "keys": [0, 1, 2], "to": [0, 1, 1], "missing": 1, "other": 0}
    document["nodes"] = [
        {**leaf, "label": 0, "test": test, "children": [1, 2]},
        {**leaf, "label": 0},
        {**leaf, "label": 1},
    ]
    rows = {"c": [1, 2.5, 3, None]}
    check_agreement(document, rows, run_python(document, rows))


def test_names_begin_as_asked_and_two_exports_fit_into_one_file():
    document, _ = random_case(1, 1)
    tree = Tree.from_dict(document)
    names = {}
    exec(tree.to_python(name="first") + tree.to_python(name="second"), names)
    assert {"first", "first_leaf", "second", "second_leaf"} <= names.keys()
    with pytest.raises(ValueError, match="name must be an identifier of Python"):
        tree.to_python(name="import os")
    with pytest.raises(ValueError, match="smoothing must be a finite number >= 0, not -1"):
        tree.to_python(smoothing=-1)


def test_prices_that_depend_on_outcomes_leave_the_cost_out():
    document = random_document(3, n_classes=2, hostile=False, kinds=("number",))
    names = [column["name"] for column in document["columns"]]
    by_outcome = {"up_to": [0.0], "prices": [1.0, 2.0]}
    document["prices"] = {"prices": [{"feature": name, **by_outcome} for name in names], "pay": "once"}
    assert "predict_cost" not in exported(document)
    assert "depends on the outcomes" in Tree.from_dict(document).to_python()
