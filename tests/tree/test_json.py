"""The JSON form: what is written is read back equal, and nothing else gets in."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from thoroughness import tries
from tree_documents import documents

from thriftree.document import MAX_NESTING
from thriftree.document.checks import TreeFormatError
from thriftree.tree import Tree

QUICK = settings(max_examples=tries(60, 25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(documents())
def test_a_tree_read_from_its_json_is_equal(document: dict[str, Any]) -> None:
    tree = Tree.from_dict(document)
    again = Tree.from_json(tree.to_json())
    assert again == tree
    assert hash(again) == hash(tree)
    assert again.to_json() == tree.to_json()
    assert again.to_dict() == document


def test_the_example_of_the_spec_is_a_tree_and_looks_as_it_says(spec_tree: Tree, spec_text: str) -> None:
    assert (spec_tree.n_nodes, spec_tree.n_leaves, spec_tree.depth) == (8, 5, 2)
    assert spec_tree.to_text() in spec_text


@QUICK
@given(documents(max_tests=3))
def test_trees_that_differ_anywhere_are_not_equal(document: dict[str, Any]) -> None:
    tree = Tree.from_dict(document)
    heavier = copy.deepcopy(document)
    heavier["nodes"][-1]["weight"] += 1.0
    renamed = copy.deepcopy(document)
    renamed["columns"][0]["name"] = "z"
    priced = {**document, "prices": {"pay": "once"}}
    for other in (heavier, renamed, priced):
        assert Tree.from_dict(other) != tree
    assert tree != "tree"


def test_labels_keep_their_type(spec_document: dict[str, Any]) -> None:
    for labels in ([0, 1], [False, True], ["0", "1"], [{"float": 0.0}, {"float": 1.0}], [1, True]):
        tree = Tree.from_dict({**spec_document, "classes": labels})
        again = Tree.from_json(tree.to_json())
        assert again == tree
        assert [type(label) for label in again.classes or ()] == [
            float if isinstance(label, dict) else type(label) for label in labels
        ]
    as_integers = Tree.from_dict({**spec_document, "classes": [0, 1]})
    assert as_integers != Tree.from_dict({**spec_document, "classes": [False, True]})
    assert as_integers != Tree.from_dict({**spec_document, "classes": [{"float": 0.0}, {"float": 1.0}]})


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda d: d.update(format="other"), r"^\$: not a tree"),
        (lambda d: d.update(version=2), r"^\$\.version: this release reads version 1, not 2"),
        (lambda d: d.update(version=True), r"^\$\.version"),
        (lambda d: d.update(colour=1), r"^\$: the key 'colour' is not known"),
        (lambda d: d.pop("classes"), r"^\$: the key 'classes' is missing"),
        (lambda d: d.update(classes=[]), r"^\$\.classes: must hold at least one"),
        (lambda d: d.update(classes=["a", "a"]), r"^\$\.classes\[1\]: 'a' appears twice"),
        (lambda d: d.update(classes=["a", 1.0]), r"^\$\.classes\[1\]: must be a string"),
        (lambda d: d.update(classes=["a", 2**70]), r"^\$\.classes\[1\]"),
        (lambda d: d.update(classes=["a", "b", "c"]), r"^\$\.nodes\[0\]\.value: must hold 3"),
        (lambda d: d.update(nodes=[]), r"^\$\.nodes: must hold at least one"),
        (lambda d: d["columns"][0].update(kind="date"), r"^\$\.columns\[0\]\.kind: must be one of"),
        (lambda d: d["columns"][0].update(name=3), r"^\$\.columns\[0\]\.name: must be a string"),
        (lambda d: d["columns"][0].update(categories=[]), r"^\$\.columns\[0\]: the kinds"),
        (lambda d: d["columns"][1].pop("categories"), r"^\$\.columns\[1\]: the kinds"),
        (lambda d: d["columns"][1].update(name="age"), r"two columns have the same name"),
        (
            lambda d: d["columns"][1].update(categories=["fixed"]),
            r"^\$\.nodes\[0\]: a key is beyond the column's",
        ),
        (lambda d: d["columns"][2].update(kind="category"), r"^\$\.nodes\[4\]: cuts need an order"),
        (lambda d: d["nodes"][0]["test"].update(column=0), r"^\$\.nodes\[0\]: a category test needs"),
        (lambda d: d["nodes"][2].update(rows=-1), r"^\$\.nodes\[2\]\.rows: must be an integer from 0"),
        (lambda d: d["nodes"][2].update(rows=3.0), r"^\$\.nodes\[2\]\.rows"),
        (lambda d: d["nodes"][2].update(rows=True), r"^\$\.nodes\[2\]\.rows"),
        (lambda d: d["nodes"][2].update(rows=2**63), r"^\$\.nodes\[2\]\.rows"),
        (lambda d: d["nodes"][2].update(weight=float("inf")), r"^\$\.nodes\[2\]\.weight: must be a finite"),
        (lambda d: d["nodes"][2].update(weight=10**400), r"^\$\.nodes\[2\]\.weight: must be a finite"),
        (lambda d: d["nodes"][2].update(weight=-1.0), r"^\$\.nodes\[2\]: weight"),
        (lambda d: d["nodes"][2].update(label=2), r"^\$\.nodes\[2\]\.label"),
        (lambda d: d["nodes"][2].update(children=[3]), r"^\$\.nodes\[2\]: a node has both"),
        (lambda d: d["nodes"][2]["value"].append(0.0), r"^\$\.nodes\[2\]\.value: has 3 entries"),
        (lambda d: d["nodes"][2]["value"].__setitem__(0, "1"), r"^\$\.nodes\[2\]\.value\[0\]"),
        (lambda d: d["nodes"][0].update(children=[1, 8]), r"^\$\.nodes\[0\]\.children\[1\]"),
        (lambda d: d["nodes"][0].update(children=[1, 2]), r"^\$\.nodes\["),
        (
            lambda d: d["nodes"][0].update(children=[0, 4]),
            r"^\$\.nodes\[0\]\.children\[0\]: leads back to node 0: a child comes after its parent",
        ),
        (lambda d: d["nodes"][0].update(children=[4, 1]), r"preorder"),
        (lambda d: d["nodes"][0]["test"].update(kind="leaf"), r"^\$\.nodes\[0\]\.test\.kind"),
        (lambda d: d["nodes"][0]["test"].update(kind=["ordered"]), r"^\$\.nodes\[0\]\.test\.kind"),
        (lambda d: d["nodes"][0]["test"].update(column=3), r"^\$\.nodes\[0\]\.test\.column"),
        (lambda d: d["nodes"][0]["test"].update(missing=2), r"^\$\.nodes\[0\]: 'missing' names branch 2"),
        (
            lambda d: d["nodes"][0]["test"].update(to=[0, 0, 0]),
            r"^\$\.nodes\[0\]: no answer leads to branch 1",
        ),
        (lambda d: d["nodes"][0]["test"].update(keys=[0, 2, 1]), r"^\$\.nodes\[0\]: keys must rise"),
        (lambda d: d["nodes"][0]["test"].update(keys=[0, 1, 1.5]), r"^\$\.nodes\[0\]: a category key"),
        (lambda d: d["nodes"][1]["test"].update(score="high"), r"^\$\.nodes\[1\]\.test\.score"),
        (lambda d: d.update(prices=[]), r"^\$\.prices: must be an object"),
        (lambda d: d.update(prices={"price": float("nan")}), r"^\$\.prices\.price: must be a finite"),
        (lambda d: d.update(settings={"a": {1, 2}}), r"^\$\.settings\.a: .* is not a JSON value"),
        (lambda d: d.update(settings=nested(MAX_NESTING)), r"nested deeper"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(
    spec_document: dict[str, Any], change: Change, complaint: str
) -> None:
    change(spec_document)
    with pytest.raises(TreeFormatError, match=complaint):
        Tree.from_dict(spec_document)


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not JSON"),
        ('{"format": "thriftree-tree"', "not JSON"),
        ("[]", "not a tree"),
        ("null", "not a tree"),
        ('{"format": NaN}', "NaN is not a JSON number"),
        ('{"format": [-Infinity]}', "-Infinity is not a JSON number"),
        ('{"nodes": [{"rows": 1, "rows": 2}]}', r"^\$\.nodes\[0\]: the key 'rows' appears twice"),
        ("[" * 200_000, "nested deeper"),
        ("1" * 5000, "not JSON that can be read"),
    ],
)
def test_text_that_is_no_document_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(TreeFormatError, match=complaint):
        Tree.from_json(text)


ODD_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 8, 2**31, 2**63, 10**30, 0.5, -0.5, 1e308, -1e308, 1e-320),
    *("", "x", "ordered", "category", [], [0], [0, 1], [1, 0], [[]], {}, {"float": 1.0}, {"a": 1}),
]


def mutate(document: Any, rng: random.Random) -> None:
    """Changes one random place of the document."""
    places: list[tuple[Any, Any]] = []
    open_ = [document]
    while open_:
        value = open_.pop()
        if isinstance(value, dict | list):
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            places.extend((value, key) for key in keys)
            open_.extend(value[key] for key in keys)
    owner, key = rng.choice(places)
    action = rng.randrange(4)
    if action == 0:
        del owner[key]
    elif action == 1 and isinstance(owner, list):
        owner.insert(key, copy.deepcopy(rng.choice(owner)))
    else:
        owner[key] = copy.deepcopy(rng.choice(ODD_VALUES))


def check_tree_or_error(text: str) -> None:
    """The text is refused with a place, or it is a tree with which everything can be done."""
    try:
        tree = Tree.from_json(text)
    except TreeFormatError as error:
        complaint = str(error)
    else:
        assert Tree.from_json(tree.to_json()) == tree
        assert len(tree.to_text(prices=False).split("\n")) == tree.n_nodes
        assert len(tree.rules()) == tree.n_leaves
        return
    assert complaint.startswith("$")


@pytest.mark.parametrize("seed", range(20))
def test_a_mutated_document_is_a_valid_tree_or_an_error(spec_document: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        document = copy.deepcopy(spec_document)
        for _ in range(rng.randint(1, 3)):
            mutate(document, rng)
        check_tree_or_error(json.dumps(document))


@pytest.mark.parametrize("seed", range(10))
def test_mutated_text_is_a_valid_tree_or_an_error(spec_tree: Tree, seed: int) -> None:
    rng = random.Random(seed)
    text = spec_tree.to_json()
    for _ in range(40):
        at, length = rng.randrange(len(text)), rng.randrange(4)
        mutant = (
            text[:at]
            + rng.choice(['"', "}", "]", ",", "-", "9", "e9", "\0", "\ud800", ""])
            + text[at + length :]
        )
        check_tree_or_error(mutant)
