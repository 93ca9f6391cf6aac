"""The tree for Graphviz: read back by a reader of its language, and by Graphviz itself."""

from __future__ import annotations

import html
import re
import subprocess

import pytest

from thriftree import CARTClassifier, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.plot.tree_words import words_of
from thriftree.testing.random_documents import random_document

TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z0-9_.]+)|(?P<mark>->|[{}\[\]=,;]))', re.DOTALL
)


def read(text):
    """Statements of a graph: lists of the words before the brackets, and the attributes in them."""
    tokens, place = [], 0
    text = text.strip()
    while place < len(text):
        match = TOKEN.match(text, place)
        assert match, f"not Graphviz: {text[place : place + 60]!r}"
        tokens.append(match)
        place = match.end()
    assert [t[0].strip() for t in tokens[:3]] == ["digraph", "tree", "{"]
    assert tokens[-1]["mark"] == "}"
    statements, start = [], 3
    for i, token in enumerate(tokens):
        if token["mark"] == ";":
            words = tokens[start:i]
            start = i + 1
            opening = next(j for j, w in enumerate(words) if w["mark"] == "[")
            head = [w[0].strip() for w in words[:opening]]
            inside = [w for w in words[opening + 1 : -1] if w["mark"] != ","]
            assert all(inside[j + 1]["mark"] == "=" for j in range(0, len(inside), 3))
            pairs = {inside[j][0].strip(): shown(inside[j + 2]) for j in range(0, len(inside), 3)}
            statements.append((head, pairs))
    return statements


def shown(token):
    """What Graphviz shows for a value: escapes and entities resolved."""
    if token["quoted"] is None:
        return token[0].strip()
    inner = token["quoted"][1:-1]
    resolved = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], inner, flags=re.DOTALL)
    return html.unescape(resolved)


def nodes_and_edges(text):
    statements = read(text)
    nodes = {
        int(head[0][1:]): pairs
        for head, pairs in statements
        if re.fullmatch(r"n\d+", head[0]) and len(head) == 1
    }
    edges = {(int(h[0][1:]), int(h[2][1:])): pairs for h, pairs in statements if len(h) == 3}
    return nodes, edges


@pytest.mark.parametrize("seed", range(25))
def test_whatever_names_say_it_is_a_graph_of_the_trees_nodes_and_shows_them_as_text(seed):
    document = random_document(seed, prices=seed % 3 == 0)
    nodes, edges = nodes_and_edges(Tree.from_dict(document).to_dot())
    assert sorted(nodes) == list(range(len(document["nodes"])))
    assert set(edges) == {
        (number, child) for number, node in enumerate(document["nodes"]) for child in node.get("children", ())
    }
    for told in words_of(document):
        assert nodes[told.number]["tooltip"] == told.title
        for fact in told.facts:
            assert fact in nodes[told.number]["label"].split("\n")


def test_answers_stand_on_the_edges_and_prices_in_the_nodes():
    X, y = load_heart()
    tree = CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y).tree_
    nodes, edges = nodes_and_edges(tree.to_dot())
    assert edges[0, 1]["label"].strip() == "yes"
    assert edges[0, 6]["label"].strip() == "no"
    assert float(edges[0, 1]["penwidth"]) > float(edges[0, 6]["penwidth"])  # 166 rows and 137
    test = ["chest_pain is asymptomatic?", "(missing: no)", "137 rows", "+1.00 → 204.80"]
    assert nodes[6]["label"].split("\n") == test
    assert nodes[7]["label"].split("\n") == ["present", "89% of 91 rows", "pays 204.80"]
    assert "pays" not in tree.to_dot(prices=False)
    assert len(nodes_and_edges(tree.to_dot(max_depth=1))[0]) == 3
    assert "rankdir=LR" in tree.to_dot(direction="LR")
    with pytest.raises(ValueError, match='direction must be "TB" or "LR"'):
        tree.to_dot(direction="up")


@pytest.mark.full
def test_graphviz_draws_it_and_finds_the_same_nodes_and_words(require):
    dot = require("graphviz")
    for seed in range(12):
        document = random_document(seed, prices=True)
        text = Tree.from_dict(document).to_dot()
        done = subprocess.run([dot, "-Tsvg"], input=text, capture_output=True, text=True, check=True)
        assert "Error" not in done.stderr
        drawn = re.findall(r'<g id="node\d+" class="node">', done.stdout)
        assert len(drawn) == len(document["nodes"])
        assert "<script" not in done.stdout
