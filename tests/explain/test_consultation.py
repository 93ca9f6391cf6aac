"""A tree asked one question at a time answers as `predict` does and never costs more than it may."""

from __future__ import annotations

from typing import Any

import pytest
from thoroughness import tries

from thriftree import TestCosts, Tree
from thriftree.datasets import load_heart
from thriftree.explain.consultation import Consultation
from thriftree.testing.random_documents import frame_of, random_document, random_rows


def consult(tree: Tree, row: dict[str, Any], order: str) -> Consultation:
    """The conversation of someone who knows the row."""
    ask = tree.consult(order=order)
    asked: list[str] = []
    while ask.question is not None:
        assert ask.question.column not in asked
        assert ask.question.paid == pytest.approx(ask.paid)
        asked.append(ask.question.column)
        ask.answer(row[asked[-1]])
    assert list(ask.known) == asked
    return ask


@pytest.mark.parametrize("order", ["tree", "cheapest"])
@pytest.mark.parametrize("hostile", [False, True])
def test_truthful_answers_lead_to_what_predict_says(order: str, hostile: bool) -> None:
    for seed in range(tries(25, 10)):
        document = random_document(seed, hostile=hostile, prices=seed % 2 == 1)
        tree = Tree.from_dict(document)
        columns = random_rows(document, seed, 8)
        predicted = tree.predict(frame_of(document, columns)).tolist()
        leaves = tree.apply(frame_of(document, columns)).tolist()
        for i, (answer, leaf) in enumerate(zip(predicted, leaves, strict=True)):
            result = consult(tree, {name: values[i] for name, values in columns.items()}, order).result
            assert result is not None
            assert (type(result.label), result.label) == (type(answer), answer)
            assert leaf in result.leaves


@pytest.mark.parametrize("seeds", [range(35), pytest.param(range(35, 250), marks=pytest.mark.full)])
def test_no_conversation_costs_more_than_the_trees_worst_case_under_any_rule_of_prices(
    priced_case: Any, seeds: range
) -> None:
    out_of_order = stopped_early = 0
    for seed in seeds:
        document, rows = priced_case(seed)
        tree = Tree.from_dict(document)
        worst = tree.worst_case_cost() * (1 + 1e-9)
        table = {name: [row[name] for row in rows] for name in rows[0]}
        predicted = tree.predict(frame_of(document, table))
        prices = tree.predict_cost(frame_of(document, table))
        for row, label, price in zip(rows[:6], predicted, prices, strict=False):
            own, cheapest = consult(tree, row, "tree"), consult(tree, row, "cheapest")
            assert own.paid <= worst
            assert cheapest.paid <= worst
            assert [ask.result.label for ask in (own, cheapest) if ask.result] == [label, label]
            out_of_order += [*own.known] != [*cheapest.known]
            # What was ordered and not asked for counts at its most expensive outcome: bill it at the row's.
            paid = tree.consult({**own.known, **{name: row[name] for name in own.waiting}}).paid
            assert paid <= price + 1e-9
            stopped_early += paid < price - 1e-9
    assert out_of_order > 10
    assert stopped_early > 20


def test_a_cheap_question_is_not_asked_where_the_whole_could_pass_the_worst_case() -> None:
    # stay? then either light or dark, so at most 10 + 9. Asking light first could cost 8 + 10 + 9.
    prices = {"stay": 10.0, "light": 8.0, "dark": 9.0}
    names = [*prices]
    document = tree_of(names, [("stay", 1, 4), ("light", 2, 3), "x", "y", ("dark", 5, 6), "z", "y"], prices)
    question = document.next_question({})
    assert question is not None
    assert question.column == "stay"
    # A question that is free can never do that.
    cheap = tree_of(
        names, [("stay", 1, 4), ("light", 2, 3), "x", "y", ("dark", 5, 6), "z", "y"], {**prices, "dark": 0.0}
    )
    assert [q.column for q in [cheap.next_question({})] if q] == ["dark"]


def test_a_cheap_question_that_rules_nothing_out_and_spares_nothing_more_expensive_waits_its_turn() -> None:
    # After either answer to d both x and y are possible, and only d itself is needless; a, b and c are not.
    nodes = [("a", 1, 6), ("b", 2, 3), "x", ("d", 4, 5), "x", "y", ("c", 7, 8), "x", "y"]
    tree = tree_of([*"abcd"], nodes, {"a": 10.0, "b": 1.0, "c": 0.25, "d": 0.5})
    question = tree.next_question({})
    assert question is not None
    assert question.column == "a"


def tree_of(names: list[str], nodes: list[Any], prices: dict[str, float]) -> Tree:
    """Nodes in preorder: a label, or a column that is at most 0 in the first child."""
    labels = sorted({node for node in nodes if isinstance(node, str)})
    made = []
    for node in nodes:
        own: dict[str, Any] = {"rows": 1, "objects": 1, "weight": 1.0, "value": [1.0] * len(labels)}
        own |= {"label": labels.index(node) if isinstance(node, str) else 0, "impurity": 0.0}
        if not isinstance(node, str):
            column, *children = node
            own["test"] = {"column": names.index(column), "kind": "ordered", "keys": [0.0], "to": [0, 1]}
            own["test"] |= {"missing": 0, "other": 0}
            own["children"] = children
        made.append(own)
    columns = [{"name": name, "kind": "number"} for name in names]
    document = {"format": "thriftree-tree", "version": 1, "columns": columns, "classes": labels}
    return Tree.from_dict({**document, "nodes": made, "prices": TestCosts(prices).to_dict()})


def test_without_prices_every_question_counts_one() -> None:
    for seed in range(20):
        document = random_document(seed)
        tree = Tree.from_dict(document)
        rows = random_rows(document, seed, 4)
        for i in range(4):
            ask = consult(tree, {name: values[i] for name, values in rows.items()}, "tree")
            assert ask.paid == len(ask.known) <= tree.worst_case_cost()


def test_the_first_delayed_question_orders_what_may_be_needed_and_the_next_is_free(heart: Tree) -> None:
    ask = heart.consult(order="tree")
    assert ask.question is not None
    assert (ask.question.column, ask.question.price_words) == ("thallium_scan", "203.80 for 2 tests")
    assert ask.question.orders == ("major_vessels", "thallium_scan")
    ask.answer("normal")
    assert ask.waiting == ("major_vessels",)
    assert ask.question.column == "major_vessels"
    assert ask.question.price == 0
    assert ask.paid == pytest.approx(203.80)


def test_an_answer_can_be_taken_back_and_changed(heart: Tree) -> None:
    ask = heart.consult(order="tree")
    with pytest.raises(ValueError, match="no answer to take back"):
        ask.back()
    first = ask.question
    ask.answer("normal")
    ask.back()
    assert ask.question == first
    assert ask.known == {}
    assert ask.paid == 0


def test_what_is_known_beforehand_is_not_asked_and_not_taken_back(heart: Tree) -> None:
    ask = heart.consult({"thallium_scan": "reversible defect"}, order="tree")
    assert ask.question is not None
    assert ask.question.column == "chest_pain"
    ask.answer("asymptomatic")
    assert ask.result is not None
    assert ask.result.label == "present"
    ask.back()
    with pytest.raises(ValueError, match="no answer to take back"):
        ask.back()


def test_a_settled_conversation_takes_no_more_answers(heart: Tree) -> None:
    ask = consult(heart, dict.fromkeys(c.name for c in heart.columns), "tree")
    with pytest.raises(ValueError, match="settled"):
        ask.answer(1.0)


def test_an_answer_that_the_column_cannot_have_is_refused_and_changes_nothing(heart: Tree) -> None:
    ask = heart.consult({"thallium_scan": "normal"}, order="tree")
    with pytest.raises(TypeError, match="'major_vessels' takes numbers, not 'many'"):
        ask.answer("many")
    assert ask.known == {"thallium_scan": "normal"}


def test_several_leaves_that_say_the_same_settle_the_answer_together(heart: Tree) -> None:
    ask = heart.consult({"thallium_scan": "reversible defect", "major_vessels": 2.0})
    result = ask.result
    assert result is not None
    assert result.leaf is None
    assert len(result.leaves) == 2
    nodes = heart.to_dict()["nodes"]
    assert result.counts.rows == sum(nodes[leaf]["rows"] for leaf in result.leaves)
    assert result.probability == pytest.approx(
        sum(nodes[leaf]["value"][1] for leaf in result.leaves) / result.counts.rows
    )
    X, _ = load_heart(as_frame="pandas")
    rows = X[(X.thallium_scan == "reversible defect") & (X.major_vessels == 2)]
    assert set(heart.predict(rows)) == {"present"}
