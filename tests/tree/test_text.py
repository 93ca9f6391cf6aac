"""The tree as text: in the user's words, short where lists are long, safe whatever the names."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from tree_documents import documents

from thriftree import CARTClassifier
from thriftree.explain.words import label_words
from thriftree.messages import printable
from thriftree.tree import Tree


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_every_node_has_one_line(document: dict[str, Any]) -> None:
    lines = Tree.from_dict(document).to_text().split("\n")
    assert len(lines) == len(document["nodes"])
    for line, node in zip(lines, document["nodes"], strict=True):
        assert ("→" in line) == ("test" not in node)


def test_names_cannot_break_lines_or_move_the_cursor(spec_document: dict[str, Any]) -> None:
    spec_document["columns"][0]["name"] = "age\n\x1b[2J"
    spec_document["columns"][1]["categories"][1] = "nor\u202emal"
    spec_document["classes"][0] = "heal\rthy"
    tree = Tree.from_dict(spec_document)
    text = tree.to_text(prices=False)
    assert len(text.split("\n")) == 8
    assert all(c.isprintable() or c == "\n" for c in text)
    assert r"age\n\x1b[2J <= 54.5?" in text
    assert r"thal is nor\u202emal?" in text
    assert all(c.isprintable() for rule in tree.rules() for c in str(rule))


def test_labels_are_quoted_only_where_needed() -> None:
    assert label_words("fixed defect") == "fixed defect"
    assert label_words("") == '""'
    assert label_words("a, b") == '"a, b"'
    assert label_words('say "no"') == r'"say \"no\""'
    assert label_words(" x") == '" x"'
    assert label_words(True) == "True"
    assert label_words({"float": 1.0}) == "1.0"
    assert printable("größe 身長") == "größe 身長"


def test_long_lists_of_categories_are_shortened(spec_document: dict[str, Any]) -> None:
    categories = [f"c{i:02}" for i in range(30)]
    spec_document["columns"][1]["categories"] = categories
    test = spec_document["nodes"][0]["test"]
    test.update(keys=list(range(30)), to=[0] * 14 + [1] * 16)
    assert (
        Tree.from_dict(spec_document)
        .to_text(max_categories=3)
        .startswith("thal is one of: c00, c01, c02 and 11 more? [102.90]\n")
    )
    test.update(to=[1] * 2 + [0] * 28)
    assert Tree.from_dict(spec_document).to_text().startswith("thal is not c00, c01? [102.90]\n")


def with_rules(document: dict[str, Any], **rules: Any) -> str:
    own = {"age": 1.0, "thal": 102.9, "pain": 0.125}
    prices = [{"feature": feature, "price": price} for feature, price in own.items()]
    return Tree.from_dict({**document, "prices": {"prices": prices, **rules}}).to_text()


def test_prices_stand_after_the_questions_and_at_the_leaves(spec_document: dict[str, Any]) -> None:
    lines = with_rules(spec_document).split("\n")
    assert lines[0] == "thal is normal? [102.90]"
    assert lines[1] == "├─ yes: age <= 54.5? (missing: no) [1.00]"
    assert lines[2] == "│  ├─ yes: → healthy · 89% · 90 rows · pays 103.90"
    assert lines[4] == "└─ no: pain? [0.125]"
    assert lines[7] == "   └─ strong: → sick · 96% · 50 rows · pays 103.025"


def test_prices_can_be_left_out(spec_document: dict[str, Any]) -> None:
    unpriced = Tree.from_dict({**spec_document, "prices": None}).to_text()
    assert Tree.from_dict(spec_document).to_text(prices=False) == unpriced
    assert "pays" not in unpriced


def test_what_was_paid_for_above_is_said_to_be_paid(spec_document: dict[str, Any]) -> None:
    spec_document["nodes"][1]["test"].update(column=1, kind="category", keys=[0], to=[0], missing=1, other=1)
    assert "├─ yes: thal is fixed? (missing: no) [paid]\n" in with_rules(spec_document)
    assert "├─ yes: thal is fixed? (missing: no) [102.90]\n" in with_rules(spec_document, pay="each")


def test_an_order_says_how_many_tests_it_is_for(spec_document: dict[str, Any]) -> None:
    lines = with_rules(spec_document, delayed=["thal", "age"]).split("\n")
    assert lines[0] == "thal is normal? [103.90 for 2 tests]"
    assert lines[1].endswith("age <= 54.5? (missing: no) [paid]")
    assert lines[4].endswith("pain? [0.125]")
    everything = with_rules(spec_document, delayed=["thal"], delayed_scope="all").split("\n")
    assert everything[0] == "thal is normal? [104.025 for 3 tests]"
    alone = with_rules(spec_document, delayed=["age", "pain"]).split("\n")
    assert [alone[0], alone[1][-7:]] == ["thal is normal? [102.90]", " [1.00]"]


def test_an_order_leaves_out_what_the_path_has_bought(spec_document: dict[str, Any]) -> None:
    spec_document["nodes"][4]["test"].update(column=1, kind="category", keys=[0, 1], to=[0, 1], other=2)
    rules = {"delayed": ["age"], "delayed_scope": "all"}
    nodes = spec_document["nodes"]
    nodes[0]["test"], nodes[1]["test"] = nodes[1]["test"], nodes[0]["test"]  # age first, thal below
    assert with_rules(spec_document, **rules).startswith("age <= 54.5? (missing: no) [103.90 for 2 tests]\n")
    nodes[0]["test"], nodes[1]["test"] = nodes[1]["test"], nodes[0]["test"]
    assert "├─ yes: age <= 54.5? (missing: no) [1.00]\n" in with_rules(spec_document, **rules)


def test_a_known_feature_is_free_and_a_free_path_pays_nothing(spec_document: dict[str, Any]) -> None:
    lines = with_rules(spec_document, known=["thal", "age"]).split("\n")
    assert lines[0] == "thal is normal? [free]"
    assert lines[2].endswith("· 90 rows · pays nothing")


def test_a_price_that_depends_on_the_outcome_is_a_bound(spec_document: dict[str, Any]) -> None:
    by_outcome = {
        "feature": "thal",
        "outcomes": [{"value": "normal", "price": 50}, {"value": "fixed", "price": 90}],
    }
    prices = [by_outcome, {"feature": "age", "price": 1}, {"feature": "pain", "price": 1}]
    lines = Tree.from_dict({**spec_document, "prices": {"prices": prices}}).to_text().split("\n")
    assert lines[0] == "thal is normal? [up to 90.00]"
    assert lines[2].endswith("· pays up to 91.00")  # missing and unseen values go this way too
    assert lines[4] == "└─ no: pain? [1.00]"


def test_a_cut_off_tree_counts_what_it_hides(spec_tree: Tree) -> None:
    assert spec_tree.to_text(max_depth=1).split("\n") == [
        "thal is normal? [102.90]",
        "├─ yes: … 3 nodes, healthy · 78% · 166 rows",
        "└─ no: … 4 nodes, sick · 74% · 134 rows",
    ]


def test_cuts_that_are_close_stay_apart(spec_document: dict[str, Any]) -> None:
    node = copy.deepcopy(spec_document["nodes"][4])
    node["test"].update(column=0, keys=[0.1234567, 0.1234568])
    spec_document["nodes"][4] = node
    text = Tree.from_dict(spec_document).to_text()
    assert "<= 0.1234567: " in text
    assert "0.1234567 < … <= 0.1234568: " in text


def test_a_missing_branch_of_its_own_is_named(spec_document: dict[str, Any]) -> None:
    spec_document["nodes"][4]["test"].update(keys=[0.5], to=[0, 1], missing=2, other=1)
    spec_document["nodes"][1]["test"].update(keys=[], to=[1], missing=0)
    text = Tree.from_dict(spec_document).to_text()
    assert "   └─ missing: → sick" in text
    assert "   ├─ at least mild: → sick" in text
    assert "├─ yes: age is missing?" in text


def test_a_numeric_target_shows_mean_and_spread() -> None:
    node = {"rows": 3, "objects": 3, "weight": 4.5, "value": [2.5, 0.25], "impurity": 0.25}
    document = {"format": "thriftree-tree", "version": 1, "columns": [], "classes": None, "nodes": [node]}
    assert Tree.from_dict(document).to_text() == "→ 2.5 ± 0.5 · 3 rows, weight 4.5"


def test_nodes_can_be_numbered():
    tree = CARTClassifier().fit([[0], [1], [2]], ["a", "b", "a"]).tree_
    assert [line.split("#")[1][0] for line in tree.to_text(numbers=True).splitlines()] == list("01234")
    assert "#" not in tree.to_text()
