"""Questions in words, and answers as people type them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import CARTClassifier, Tree
from thriftree.document.follow import OTHER, scalar
from thriftree.explain.question import Question
from thriftree.testing.random_documents import random_document


def asked(tree: Tree, known: dict[str, Any]) -> Question:
    question = tree.next_question(known, order="tree")
    assert question is not None
    return question


def test_a_question_has_words_choices_and_a_price(heart: Tree) -> None:
    question = asked(heart, {})
    assert str(question) == "What is thallium_scan? (fixed defect, normal or reversible defect)"
    assert question.choices == ("fixed defect", "normal", "reversible defect")
    assert question.answers == ("fixed defect, reversible defect or missing", "normal")
    assert (question.node, question.kind, question.cuts) == (0, "category", ())
    number = asked(heart, {"thallium_scan": "normal"})
    assert str(number) == "What is major_vessels? (a number; what counts is whether it is above 0.5)"
    assert (number.cuts, number.choices, number.kind) == ((0.5,), (), "number")


def test_unknown_was_asked_and_absent_was_not(heart: Tree) -> None:
    assert asked(heart, {"thallium_scan": None}).column == "chest_pain"
    assert asked(heart, {"thallium_scan": float("nan")}).column == "chest_pain"
    assert heart.next_question({"thallium_scan": None, "chest_pain": None}) is None


def test_an_unknown_order_and_an_unknown_column_are_refused(heart: Tree) -> None:
    with pytest.raises(ValueError, match="order is 'dearest': write 'cheapest' or 'tree'"):
        heart.next_question({}, order="dearest")
    with pytest.raises(ValueError, match="did you mean 'thallium_scan'"):
        heart.next_question({"thalium_scan": "normal"})


def test_typed_answers_are_categories_by_name_or_number_or_unknown(heart: Tree) -> None:
    question = asked(heart, {})
    assert question.parse("normal") == question.parse(" NORMAL ") == question.parse("2") == "normal"
    assert question.parse("unknown") is None
    assert question.parse("?") is None
    assert question.parse("other") is OTHER
    for wrong in ("", "4", "0", "abnormal", "-1"):
        with pytest.raises(
            ValueError, match=r"type one of fixed defect, normal, reversible defect, its number"
        ):
            question.parse(wrong)


def test_typed_answers_to_a_number_are_plain_numbers(heart: Tree) -> None:
    question = asked(heart, {"thallium_scan": "normal"})
    assert [question.parse(text) for text in ("2", " 2.5 ", "-1e3", ".5", "Unknown", "?")] == [
        2.0, 2.5, -1000.0, 0.5, None, None,
    ]  # fmt: skip
    for wrong in ("", "two", "1_000", "nan", "inf", "0x10", "1e999", "٣"):
        with pytest.raises(ValueError, match="type a number, or unknown"):
            question.parse(wrong)
    with pytest.raises(ValueError, match="write a decimal point, not a comma"):
        question.parse("2,5")


def test_every_category_can_be_typed_by_its_name_and_its_number_unless_that_is_another_name() -> None:
    for seed in range(40):
        document = random_document(seed)
        for column in document["columns"]:
            if column["kind"] == "number":
                continue
            choices = tuple(scalar(category) for category in column["categories"])
            question = Question("c", column["kind"], "", choices, (), (), 0, 0.0, False, (), 0.0)
            names = {str(choice).strip().casefold() for choice in choices}
            for i, choice in enumerate(choices, start=1):
                assert question.parse(str(choice)) == choice
                if str(i) not in names:
                    assert question.parse(str(i)) == choice


def test_case_matters_where_it_tells_categories_apart() -> None:
    question = Question("c", "category", "", ("a", "A", "b"), (), (), 0, 0.0, False, (), 0.0)
    assert (question.parse("a"), question.parse("A"), question.parse("B")) == ("a", "A", "b")
    ambiguous = Question("c", "category", "", ("Ab", "aB"), (), (), 0, 0.0, False, (), 0.0)
    with pytest.raises(ValueError, match="'ab' is no answer"):
        ambiguous.parse("ab")


def test_the_cheapest_useful_question_comes_first() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(400, 2)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] == 2, "both", "not both")
    tree = CARTClassifier(costs={"x0": 10.0, "x1": 9.0}).fit(X, y).tree_
    first = asked(tree, {})
    assert first.column == "x0"
    cheapest = tree.next_question({})
    assert cheapest is not None
    assert (cheapest.column, cheapest.price) == ("x1", 9.0)
    assert tree.next_question({"x1": 0.0}) is None
