"""An explanation holds the numbers of `predict`, `apply` and `predict_cost`, and says them in words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.datasets import load_heart
from thriftree.document.follow import branch_of, path_of
from thriftree.explain.intervals import of_mean, wilson
from thriftree.messages import printable
from thriftree.testing.random_documents import frame_of, random_document, random_rows


def test_an_explanation_agrees_with_predict_apply_and_predict_proba() -> None:
    for seed in range(tries(25, 10)):
        document = random_document(seed, prices=seed % 2 == 1)
        tree = Tree.from_dict(document)
        columns = random_rows(document, seed, 8)
        frame = frame_of(document, columns)
        for i, leaf in enumerate(tree.apply(frame).tolist()):
            row = {name: values[i] for name, values in columns.items()}
            said = tree.explain(row)
            node = document["nodes"][leaf]
            assert (said.leaf, said.leaves) == (leaf, (leaf,))
            assert said.label == tree.predict(frame)[i]
            assert [step.node for step in said.steps] == path_of(document, row)[:-1]
            assert said.paid == pytest.approx(tree.predict_cost(frame)[i])
            assert said.worst == pytest.approx(tree.worst_case_cost())
            assert sum(step.adds for step in said.steps) == pytest.approx(said.paid)
            assert said.counts.rows == node["rows"]
            if tree.classes is not None and node["rows"]:
                assert said.probability == pytest.approx(max(tree.predict_proba(frame)[i]))
                assert said.interval == wilson(
                    node["value"][node["label"]] / sum(node["value"]), node["rows"]
                )
                assert said.shrunk == ("shrinkage" in document)
            elif tree.classes is None:
                assert said.interval == pytest.approx(of_mean(*node["value"], node["rows"]))
            assert all(printable(line) == line for line in str(said).split("\n"))
            assert json.loads(json.dumps(said.to_dict(), allow_nan=False))["text"] == str(said)


def test_the_price_of_a_row_is_that_of_its_outcomes_under_every_rule(priced_case: Any) -> None:
    for seed in range(tries(30, 10)):
        document, rows = priced_case(seed)
        tree = Tree.from_dict(document)
        table = {name: [row[name] for row in rows] for name in rows[0]}
        prices = tree.predict_cost(frame_of(document, table))
        for row, price in zip(rows, prices, strict=True):
            said = tree.explain(row)
            assert said.paid == pytest.approx(price)
            assert [step.paid for step in said.steps] == sorted(step.paid for step in said.steps)
            assert all(step.adds == 0 for step in said.steps if step.tests == 0)


def test_every_change_named_changes_the_answer_and_none_is_forgotten() -> None:
    for seed in range(tries(12, 6)):
        document = random_document(seed, hostile=False, n_classes=3)
        tree = Tree.from_dict(document)
        columns = random_rows(document, seed, 4)
        for i in range(4):
            row = {name: values[i] for name, values in columns.items()}
            said = tree.explain(row)
            named = {change.condition.column for change in said.changes}
            for change in said.changes:
                condition = change.condition
                for value in [*condition.categories, *(high for _, high in condition.intervals)]:
                    assert tree.explain({**row, condition.column: value}).label == change.label != said.label
            for column in document["columns"]:
                for value in _some_values(document, column):
                    if tree.explain({**row, column["name"]: value}).label != said.label:
                        assert column["name"] in named


def _some_values(document: dict[str, Any], column: dict[str, Any]) -> list[Any]:
    if "categories" in column:
        return [c["float"] if isinstance(c, dict) else c for c in column["categories"]]
    tests = [n["test"] for n in document["nodes"] if "test" in n]
    keys = [k for t in tests if document["columns"][t["column"]] is column for k in t["keys"]]
    return [*keys, *(float(np.nextafter(k, np.inf)) for k in keys)]


def test_a_clinician_can_read_it(heart: Tree) -> None:
    row = {"thallium_scan": "reversible defect", "chest_pain": "typical angina", "major_vessels": 2.0}
    assert str(heart.explain(row)) == (
        "The tree says: present (76%, 13 of 17 rows; 95% interval 53% to 90%).\n"
        "Because:\n"
        "  1. thallium_scan is reversible defect (one of: fixed defect, reversible defect) "
        "[203.80 for 2 tests]\n"
        "  2. chest_pain is typical angina (one of: atypical angina, non-anginal pain, typical angina) "
        "[1.00]\n"
        "  3. major_vessels is 2 (> 0.5) [paid]\n"
        "In all this cost 204.80; no way through the tree costs more.\n"
        "With one answer changed it would say:\n"
        "  absent if thallium_scan is normal\n"
        "  absent if major_vessels <= 0.5"
    )


def test_missing_and_unseen_values_say_what_they_count_as(heart: Tree) -> None:
    said = heart.explain({"thallium_scan": None, "chest_pain": "heartburn"})
    assert [step.text for step in said.steps][:2] == [
        "thallium_scan is missing, which counts as: one of: fixed defect, reversible defect "
        "[203.80 for 2 tests]",
        "chest_pain is heartburn, which the tree does not know and counts as: asymptomatic [1.00]",
    ]


def test_one_row_can_come_in_many_forms(heart: Tree) -> None:
    X, _ = load_heart(as_frame="pandas")
    arrow = load_heart(as_frame="pyarrow")[0]
    forms: list[Any] = [
        X.iloc[8],
        X[8:9],
        X.iloc[8].to_dict(),
        X.iloc[8].tolist(),
        tuple(X.iloc[8]),
        X.iloc[8].to_numpy(),
        X.iloc[8:9].to_numpy(),
        pl.from_pandas(X).row(8),
        pl.from_pandas(X).row(8, named=True),
        pl.from_pandas(X)[8],
        arrow.slice(8, 1),
        {name: np.array(X.iloc[8:9][name])[0] for name in X},
    ]
    assert {str(heart.explain(form)) for form in forms} == {str(heart.explain(X.iloc[8]))}
    numbers = CARTClassifier().fit([[1.0, 2.0], [3.0, 4.0]], [False, True]).tree_
    assert numbers.explain(pl.Series([3, 4])).label is True
    assert numbers.explain(pd.Series([3, pd.NA])).label is True
    assert numbers.explain({"x0": np.float32(1.0)}).label is False
    assert numbers.explain({"x0": np.True_}).label is False


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"chest_pian": "asymptomatic"}, "'chest_pian'.*did you mean 'chest_pain'"),
        ([1, 2], "2 values, but the tree has 13 columns"),
        ("age", "a row is a mapping, a sequence"),
        ({"major_vessels": "two", "thallium_scan": "normal"}, "'major_vessels' takes numbers, not 'two'"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(heart: Tree, row: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        heart.explain(row)


def test_a_frame_of_several_rows_is_refused(heart: Tree) -> None:
    X, _ = load_heart(as_frame="pandas")
    with pytest.raises(ValueError, match="a frame of one row is expected, not of 303"):
        heart.explain(X)


def test_weights_are_told_from_rows() -> None:
    X, y = [[0.0], [0.0], [0.0], [1.0]], ["a", "a", "b", "b"]
    tree = CARTClassifier().fit(X, y, sample_weight=[0.5, 1.0, 0.25, 1.0]).tree_
    said = tree.explain([0.0])
    assert str(said).startswith("The tree says: a (86%, weight 1.5 of 1.75 in 3 rows; 95% interval")
    assert said.counts.weighted
    assert dict(said.counts.classes) == {"a": 1.5, "b": 0.25}
    tree = CARTClassifier(class_weight={"a": 3.0, "b": 1.0}).fit(X, y).tree_
    assert tree.explain([0.0]).counts.weighted


def test_a_numeric_target_is_explained_by_its_mean_and_interval() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    tree = CARTRegressor(max_leaves=3).fit(X, X[:, 0] + rng.normal(size=200)).tree_
    said = tree.explain(X[0])
    assert said.probability is None
    assert said.interval is not None
    assert said.interval[0] < said.label < said.interval[1]
    assert "95% interval of the mean" in str(said)


def test_a_tree_that_is_one_leaf_says_so() -> None:
    tree = CARTClassifier(max_depth=0).fit([[1.0], [2.0]], ["a", "a"]).tree_
    assert "asks nothing" in str(tree.explain([1.0]))
    assert tree.next_question({}) is None


def test_what_is_said_with_a_rounded_cut_holds_of_the_rows_value():
    tree = Tree.from_sentences("If x <= 0.12345678901, decide a; otherwise decide b.")
    above = tree.explain({"x": 0.12345679})
    assert "x is 0.12345679 (> 0.123456789)" in str(above)
    assert "a if x <= 0.123456789" in str(above)


@pytest.mark.parametrize(
    ("cut", "shown"), [(250001.5, "250001.5"), (1234567.75, "1234567.8"), (54.5, "54.5")]
)
def test_a_large_cut_is_shown_between_the_whole_numbers_that_it_divides(cut, shown):
    tree = Tree.from_sentences(f"If x <= {cut}, decide a; otherwise decide b.")
    assert f"x <= {shown}?" in tree.to_text()


def test_a_category_that_the_tree_does_not_know_can_be_the_only_change():
    tree = Tree.from_sentences("If kind is new or broken, decide a; otherwise decide b.")
    why = tree.explain({"kind": "new"})
    assert [str(change) for change in why.changes] == ["b if kind is none of the known values"]
    assert tree.explain({"kind": "odd"}).label == "b"


def test_rows_after_the_first_read_neither_the_whole_tree_nor_its_prices_again(monkeypatch):
    random = np.random.default_rng(3)
    X = random.normal(size=(2000, 4))
    tree = CARTClassifier().fit(X, X[:, 0] * X[:, 1] + random.normal(size=2000) > 0).tree_
    first = str(tree.explain(X[0]))
    steps = []
    monkeypatch.setattr("thriftree.explain.reach.branch_of", lambda *a: steps.append(a) or branch_of(*a))
    for part in ("explain.prices.content_of", "explain.questionnaire.ReachableTree", "tree.document_of"):
        monkeypatch.setattr(f"thriftree.{part}", None)
    assert str(tree.explain(X[0])) == first
    assert tree.n_nodes > 300
    assert (
        len(steps) < 40 * tree.depth
    )  # a way for each cut that the rest of the row leaves open, not for all
