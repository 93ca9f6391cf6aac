"""What the picture of a tree shows, and that its words keep to their places."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.estimators.category_tests import FREE_SETS
from thriftree.plot.scene import Curve, Rect, Words
from thriftree.plot.text_metrics import text_width
from thriftree.plot.tree_scene import tree_scene
from thriftree.plot.tree_words import words_of
from thriftree.testing.random_documents import random_document

WAYS = ("top-down", "left-right", "outline")


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return CARTClassifier(max_leaves=6, costs=heart_prices(), **FREE_SETS).fit(X, y).tree_


@pytest.fixture(scope="module")
def big():
    X, y = load_heart()
    return CARTClassifier(max_leaves=60, costs=heart_prices()).fit(X, y).tree_


def nodes_of(scene):
    return {group.number: group for group in scene.groups if group.kind == "node"}


def edges_of(scene):
    return {group.number: group for group in scene.groups if group.kind == "edge"}


def words_in(group):
    return [shape for shape in group.shapes if isinstance(shape, Words)]


def extent(words):
    """Left, top, right and bottom of a line of text, as measured."""
    width = text_width(words.text, words.size, bold=words.bold)
    left = words.x - {"start": 0.0, "middle": width / 2, "end": width}[words.anchor]
    return left, words.y - 0.8 * words.size, left + width, words.y + 0.25 * words.size


def apart(a, b):
    return a[2] <= b[0] + 0.01 or b[2] <= a[0] + 0.01 or a[3] <= b[1] + 0.01 or b[3] <= a[1] + 0.01


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(12))
def test_every_node_is_shown_and_words_neither_leave_the_picture_nor_meet(way, seed):
    document = random_document(seed, n_tests=5 + 3 * seed, prices=seed % 2 == 0)
    scene = tree_scene(document, orientation=way)
    assert sorted(nodes_of(scene)) == list(range(len(document["nodes"])))
    assert sorted(edges_of(scene)) == list(range(1, len(document["nodes"])))
    words = [extent(shape) for shape in scene.shapes() if isinstance(shape, Words)]
    for left, top, right, bottom in words:
        assert left >= 0
        assert top >= 0
        assert right <= scene.width
        assert bottom <= scene.height
    for (i, a), (j, b) in itertools.combinations(enumerate(words), 2):
        assert apart(a, b), (i, j)


@pytest.mark.parametrize("way", ["top-down", "left-right"])
@pytest.mark.parametrize("seed", range(12))
def test_words_of_a_node_are_inside_its_box_and_boxes_are_apart(way, seed):
    document = random_document(seed, n_tests=9, prices=True)
    groups = nodes_of(tree_scene(document, orientation=way)).values()
    boxes = [group.shapes[0] for group in groups]
    corners = [(box.x, box.y, box.x + box.width, box.y + box.height) for box in boxes]
    assert all(apart(a, b) for a, b in itertools.combinations(corners, 2))
    for group, box in zip(groups, boxes, strict=True):
        for left, top, right, bottom in map(extent, words_in(group)):
            assert box.x <= left
            assert right <= box.x + box.width + 0.01
            assert box.y <= top
            assert bottom <= box.y + box.height


def test_every_leaf_of_a_big_tree_shows_its_answer_its_rows_and_its_price(big):
    document = big.to_dict()
    scene = tree_scene(document)
    assert scene.width <= 1280
    prices = {told.number: told.paid for told in words_of(document)}
    shown = nodes_of(scene)
    for number, node in enumerate(document["nodes"]):
        texts = [words.text for words in words_in(shown[number])]
        assert f"{node['rows']:,}" in texts
        assert prices[number] in texts
        if "test" not in node:
            assert document["classes"][node["label"]] in texts
    assert all(words.size >= 10 for words in scene.shapes() if isinstance(words, Words))


def test_the_question_of_a_big_tree_is_shown_in_full(big):
    document = big.to_dict()
    shown = nodes_of(tree_scene(document))
    for told in words_of(document):
        if told.question:
            assert told.question in [words.text for words in words_in(shown[told.number])]


@pytest.mark.parametrize("way", WAYS)
def test_lines_are_as_wide_as_their_share_of_the_rows(heart, way):
    document = heart.to_dict()
    edges = edges_of(tree_scene(document, orientation=way))
    rows = [node["rows"] for node in document["nodes"]]
    width = {n: next(s.width for s in group.shapes if isinstance(s, Curve)) for n, group in edges.items()}
    widest = max(width, key=lambda n: rows[n])
    for number, line in width.items():
        assert line == pytest.approx(max(width[widest] * rows[number] / rows[widest], 1.3))


@pytest.mark.parametrize("way", WAYS)
def test_bars_are_divided_as_the_classes_are(heart, way):
    document = heart.to_dict()
    for number, group in nodes_of(tree_scene(document, orientation=way)).items():
        bars = [s for s in group.shapes if isinstance(s, Rect) and s.fill in ("#0072b2", "#e69f00")]
        value = document["nodes"][number]["value"]
        total = bars[-1].x + bars[-1].width - bars[0].x
        for bar, weight in zip(bars, value, strict=True):
            assert bar.width == pytest.approx(total * weight / sum(value), abs=1.7)


def test_prices_are_those_of_the_text_and_what_was_paid_is_their_sum(heart):
    document = heart.to_dict()
    root, first, leaf = (words_of(document)[number] for number in (0, 1, 2))
    assert (root.adds, root.paid) == ("+203.80 for 2 tests", "203.80")
    assert (first.adds, first.paid) == ("+1.00", "204.80")
    assert leaf.facts == ["89% of 91 rows", "pays 204.80"]


def test_a_tree_without_prices_or_asked_not_to_shows_none(heart):
    free = {**heart.to_dict(), "prices": None}
    for scene in (tree_scene(free), tree_scene(heart.to_dict(), prices=False)):
        assert not any(
            "pays" in words.text or "→" in words.text for words in scene.shapes() if isinstance(words, Words)
        )


def test_nodes_below_max_depth_are_counted(big):
    document = big.to_dict()
    told = words_of(document, max_depth=2)
    assert sum(1 + node.hidden for node in told) == len(document["nodes"])
    assert any(
        "nodes below" in words.text
        for words in tree_scene(document, max_depth=2).shapes()
        if isinstance(words, Words)
    )


def test_a_path_is_marked_with_its_lines(heart):
    scene = tree_scene(heart.to_dict(), path=[0, 1, 3, 4])
    assert sorted(n for n, group in nodes_of(scene).items() if group.marked) == [0, 1, 3, 4]
    assert sorted(n for n, group in edges_of(scene).items() if group.marked) == [1, 3, 4]


def test_small_trees_grow_downwards_wide_ones_to_the_right_and_deep_ones_are_outlines(heart, big):
    def way(tree, **options):
        boxes = {n: group.shapes[0] for n, group in nodes_of(tree_scene(tree.to_dict(), **options)).items()}
        if boxes[1].y > boxes[0].y + 40:
            return "top-down"
        return "left-right" if boxes[1].x > boxes[0].x + 100 else "outline"

    assert way(heart) == "top-down"
    X, y = load_heart()
    flat = CARTClassifier(max_depth=4, costs=heart_prices()).fit(X, y).tree_
    assert way(flat) == "left-right"
    words = [words_in(group)[0] for group in nodes_of(tree_scene(big.to_dict())).values()]
    assert [w.y for w in words] == sorted(w.y for w in words)  # a row each, in order
    assert len({w.y for w in words}) == len(words)


def test_means_stand_on_one_scale_for_all_leaves():
    X, _ = load_heart()
    tree = CARTRegressor(max_leaves=5).fit(X.drop(columns="age"), X["age"]).tree_
    document = tree.to_dict()
    ticks = []
    for number, group in nodes_of(tree_scene(document, orientation="outline")).items():
        (tick,) = [s for s in group.shapes if isinstance(s, Rect) and s.fill == "#1f5fa8"]
        ticks.append((document["nodes"][number]["value"][0], tick.x))
    ticks.sort()
    assert [x for _, x in ticks] == sorted(x for _, x in ticks)
    (a, xa), (b, xb), (c, xc) = ticks[0], ticks[len(ticks) // 2], ticks[-1]
    assert (xb - xa) / (xc - xa) == pytest.approx((b - a) / (c - a))


def test_a_tree_of_one_leaf_can_be_drawn():
    for seed in range(4):
        for way in WAYS:
            scene = tree_scene(random_document(seed, n_tests=0), orientation=way)
            assert list(nodes_of(scene)) == [0]


def test_the_lightest_of_many_classes_share_a_colour():
    document = random_document(3, n_classes=13, hostile=False)
    document["nodes"][0]["value"] = [float(k % 7) for k in range(13)]
    document["classes"] = [f"class {k}" for k in range(13)]
    (legend, *_) = tree_scene(document).groups
    named = [w.text for w in words_in(legend)]
    assert "3 other classes" in named
    assert not {"class 0", "class 7", "class 8"} & set(named)  # of weight 0, 0 and 1, after class 1
    assert len({s.fill for s in legend.shapes if isinstance(s, Rect)}) == 11


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"orientation": "up"}, "orientation must be one of auto, top-down"),
        ({"width": 0}, "width must be a positive number"),
        ({"max_depth": -1}, "max_depth must be at least 0"),
        ({"path": [0, 99]}, "path names node 99, but the tree's nodes are 0 to 10"),
    ],
)
def test_wrong_options_are_named(heart, options, problem):
    with pytest.raises(ValueError, match=problem):
        tree_scene(heart.to_dict(), **options)


def test_prices_that_depend_on_outcomes_are_the_most(heart):
    document = heart.to_dict()
    column = document["columns"][document["nodes"][1]["test"]["column"]]
    assert column["name"] == "chest_pain"
    outcomes = [{"value": value, "price": 1.0 + i} for i, value in enumerate(column["categories"])]
    features = [{"feature": c["name"], "price": 10.0} for c in document["columns"] if c != column]
    document["prices"] = {
        "prices": [*features, {"feature": "chest_pain", "outcomes": outcomes}],
        "pay": "once",
    }
    told = words_of(document)
    assert told[0].adds == "+10.00"
    assert told[1].adds == "up to +4.00"
    assert told[1].paid == "up to 14.00"


@pytest.mark.parametrize("n_tests", [1, 20, 400])
def test_a_notebook_shows_the_picture_of_a_tree_and_of_a_large_one_the_first_levels(n_tests):
    document = random_document(1, n_tests=n_tests, n_classes=3, binary=True)
    html = Tree.from_dict(document)._repr_html_()
    shown = {int(number) for number in re.findall(r'class="thriftree-node" data-node="(\d+)"', html)}
    assert 0 in shown
    assert len(shown) <= 2 * 60 - 1
    assert (len(shown) < len(document["nodes"])) == (n_tests == 400)
    assert ElementTree.fromstring(html).tag == "div"
    assert len(html) < 300_000


@pytest.mark.parametrize(
    ("share", "words"), [(1, "100%"), (0.997, "99.7%"), (0.99996, "99.996%"), (0.5, "50%")]
)
def test_a_share_that_is_not_quite_all_is_not_said_to_be_all(heart, share, words):
    document = heart.to_dict()
    leaf = next(i for i, node in enumerate(document["nodes"]) if "test" not in node)
    other = 1 - document["nodes"][leaf]["label"]
    document["nodes"][leaf]["value"][1 - other] = share
    document["nodes"][leaf]["value"][other] = 1 - share
    assert words_of(document)[leaf].certainty == words
    assert f" · {words} · " in Tree.from_dict(document).to_text()
