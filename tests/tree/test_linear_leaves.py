"""Leaves with linear models: what they say, what they cost, files and edits."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.linear_leaves import questions_of_row, said_of_row
from thoroughness import tries

from thriftree.document.checks import TreeFormatError
from thriftree.testing.random_documents import frame_of, random_document, random_rows
from thriftree.tree import Tree

MANY = settings(max_examples=tries(300, 30), deadline=None)


def linear_document(seed: int, **parameters: Any) -> dict[str, Any]:
    return random_document(seed, n_classes=0, linear=True, **parameters)


@MANY
@given(st.integers(0, 10**6))
def test_a_linear_leaf_says_what_its_model_says_within_its_range(seed: int) -> None:
    document = linear_document(seed, shrunk=False)
    rows = random_rows(document, seed, 20, infinite=False)
    said = Tree.from_dict(document).predict(frame_of(document, rows))
    for i, one in enumerate(said.tolist()):
        row = {name: values[i] for name, values in rows.items()}
        assert one == pytest.approx(float(said_of_row(document, row)), rel=1e-9, abs=1e-9)


@MANY
@given(st.integers(0, 10**6))
def test_without_prices_a_column_that_only_the_leaf_reads_is_a_question(seed: int) -> None:
    document = linear_document(seed)
    rows = random_rows(document, seed, 20)
    tree = Tree.from_dict(document)
    paid = tree.predict_cost(frame_of(document, rows)).tolist()
    by_row = [
        questions_of_row(document, {name: values[i] for name, values in rows.items()}) for i in range(20)
    ]
    assert paid == by_row
    assert tree.worst_case_cost() >= max(paid)
    for i in range(5):
        row = {name: values[i] for name, values in rows.items()}
        told = tree.explain(row)
        assert told.paid == by_row[i]
        assert told.worst == tree.worst_case_cost()


@MANY
@given(st.integers(0, 10**6), st.sampled_from(["tree", "cheapest"]))
def test_asking_ends_with_what_the_tree_predicts_and_counts_every_question(seed: int, order: str) -> None:
    document = linear_document(seed, shrunk=False, hostile=False)
    rows = random_rows(document, seed, 3)
    tree = Tree.from_dict(document)
    said = tree.predict(frame_of(document, rows))
    for i in range(3):
        ask = tree.consult(order=order)
        while ask.question is not None:
            ask.answer(rows[ask.question.column][i])
        assert ask.result is not None
        assert ask.result.label == said[i]
        assert len(ask.known) <= tree.worst_case_cost()
        assert ask.paid == len(ask.known)


@MANY
@given(st.integers(0, 10**6))
def test_with_prices_a_linear_leaf_is_free(seed: int) -> None:
    document = linear_document(seed, prices=True)
    tree = Tree.from_dict(document)
    rows = frame_of(document, random_rows(document, seed, 20))
    constant = tree.with_leaf_models(None)
    assert (tree.predict_cost(rows) == constant.predict_cost(rows)).all()
    assert tree.worst_case_cost() == constant.worst_case_cost()


def test_with_prices_a_leaf_that_reads_what_its_path_has_not_paid_for_is_refused() -> None:
    document = small_document()
    document["prices"] = {"prices": [{"feature": "a", "price": 1.0}, {"feature": "b", "price": 2.0}]}
    with pytest.raises(TreeFormatError, match=r"nodes\[2\].*reads 'b', which its path has not paid for"):
        Tree.from_dict(document)
    document["prices"] = {"prices": [{"feature": "a", "price": 1.0}], "known": ["b"]}
    assert Tree.from_dict(document).worst_case_cost() == 1.0


def small_document() -> dict[str, Any]:
    """x <= 0 on "a"; the left leaf is 1, the right one reads "b"."""
    seen = {"rows": 4, "objects": 4, "weight": 4.0, "impurity": 0.0}
    test = {"column": 0, "kind": "ordered", "keys": [0.0], "to": [0, 1], "missing": 0, "other": 0}
    model = {"columns": [1], "coefficients": [2.0], "means": [3.0], "lowest": -5.0, "highest": 12.0}
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": "a", "kind": "number"}, {"name": "b", "kind": "number"}],
        "classes": None,
        "nodes": [
            {**seen, "value": [4.0, 1.0], "test": test, "children": [1, 2]},
            {**seen, "value": [1.0, 0.0]},
            {**seen, "value": [7.0, 1.0], "linear": model},
        ],
    }


def test_a_leaf_by_hand() -> None:
    tree = Tree.from_dict(small_document())
    X = np.array([[-1, 9], [1, 4], [1, np.nan], [1, 900], [1, -900], [1, 3]])
    assert tree.predict(X).tolist() == [1.0, 9.0, 7.0, 12.0, -5.0, 7.0]
    assert tree.predict_cost(X).tolist() == [1, 2, 2, 2, 2, 2]
    assert tree.worst_case_cost() == 2
    assert "7 + 2 × (b − 3), within -5 to 12" in tree.to_text()
    told = str(tree.explain({"a": 1, "b": 4}))
    assert "b is 4: +2 × (4 − 3) = +2" in told
    assert tree.next_question({"a": 1}).column == "b"  # type: ignore[union-attr]
    assert tree.next_question({"a": -1}) is None


def test_an_infinite_value_gives_a_bound_or_the_mean() -> None:
    document = small_document()
    model = document["nodes"][2]["linear"]
    tree = Tree.from_dict(document)
    assert tree.predict(np.array([[1, np.inf], [1, -np.inf]])).tolist() == [12.0, -5.0]
    model["columns"], model["coefficients"], model["means"] = [0, 1], [1.0, -1.0], [0.0, 0.0]
    assert Tree.from_dict(document).predict(np.array([[np.inf, np.inf]])).tolist() == [7.0]


@MANY
@given(st.integers(0, 10**6))
def test_a_file_holds_the_models(seed: int) -> None:
    document = linear_document(seed)
    tree = Tree.from_dict(document)
    assert Tree.from_json(tree.to_json()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert hash(copy.deepcopy(tree)) == hash(tree)
    assert (tree.with_leaf_models(None) != tree) == bool(tree.leaf_models)


BAD: dict[str, tuple[str, Any]] = {
    "no columns": ("columns", []),
    "a column twice": ("columns", [1, 1]),
    "descending": ("columns", [1, 0]),
    "a column that is not there": ("columns", [7]),
    "a negative column": ("columns", [-1]),
    "a boolean": ("columns", [True]),
    "too few coefficients": ("coefficients", []),
    "too many means": ("means", [1.0, 2.0]),
    "a text": ("coefficients", ["2"]),
    "not finite": ("coefficients", [float("inf")]),
    "NaN": ("means", [float("nan")]),
    "a range upside down": ("lowest", 13.0),
    "no number": ("highest", None),
    "another key": ("slope", 1.0),
}


@pytest.mark.parametrize("what", BAD)
def test_a_model_that_is_none_is_refused(what: str) -> None:
    document = small_document()
    key, value = BAD[what]
    document["nodes"][2]["linear"][key] = value
    with pytest.raises(TreeFormatError, match=r"^\$\.nodes\[2\]"):
        Tree.from_dict(document)


def test_models_stand_only_where_they_can() -> None:
    for change in ("test", "stated", "classes", "category", "date"):
        document = small_document()
        model = document["nodes"][2].pop("linear")
        node = document["nodes"][0] if change == "test" else document["nodes"][2]
        node["linear"] = model
        if change == "stated":
            document["shrinkage"], node["stated"] = {"strength": 1.0}, True
        if change == "classes":
            document["classes"] = ["no", "yes"]
            for one in document["nodes"]:
                one["label"] = 0
        if change == "category":
            document["columns"][1] = {"name": "b", "kind": "category", "categories": ["x"]}
        if change == "date":
            document["columns"][1]["temporal"] = "date"
        with pytest.raises(TreeFormatError, match=r"nodes\[[02]\]"):
            Tree.from_dict(document)


def test_edits_keep_the_other_leaves_models() -> None:
    tree = Tree.from_dict(small_document())
    assert tree.collapse(0).leaf_models == {}
    stated = tree.relabel(2, 5.0)
    assert stated.leaf_models == {}
    assert stated.predict(np.array([[1.0, 4.0]])).tolist() == [5.0]
    assert tree.relabel(1, 5.0).leaf_models == tree.leaf_models
    turned = tree.reorder(0)
    X = np.array([[-1, 9], [1, 4], [1, np.nan]])
    assert (turned.predict(X) == tree.predict(X)).all()


def test_shrinkage_leaves_a_linear_leaf_alone() -> None:
    tree = Tree.from_dict(small_document())
    X = np.array([[-1.0, 9.0], [1.0, 4.0]])
    shrunk = tree.with_shrinkage(4.0)
    assert shrunk.predict(X)[1] == tree.predict(X)[1]
    assert shrunk.predict(X)[0] == 4.0 + (1.0 - 4.0) / 2
