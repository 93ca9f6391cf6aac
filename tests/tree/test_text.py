"""The tree as text: in the user's words, short where lists are long, safe whatever the names."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tree_documents import documents

from thriftree.explain.words import label_words, printable
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
    text = tree.to_text(node_prices=["a\nb"] * 8)
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
        .startswith("thal is one of: c00, c01, c02 and 11 more?\n")
    )
    test.update(to=[1] * 2 + [0] * 28)
    assert Tree.from_dict(spec_document).to_text().startswith("thal is not c00, c01?\n")


def test_prices_stand_after_the_questions(spec_tree: Tree) -> None:
    text = spec_tree.to_text(node_prices=["$102.90", "$1", *[""] * 6])
    assert text.startswith("thal is normal? [$102.90]\n├─ yes: age <= 54.5? (missing: no) [$1]\n")
    with pytest.raises(ValueError, match="node_prices has 1 entries for 8 nodes"):
        spec_tree.to_text(node_prices=["$1"])


def test_a_cut_off_tree_counts_what_it_hides(spec_tree: Tree) -> None:
    assert spec_tree.to_text(max_depth=1).split("\n") == [
        "thal is normal?",
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
