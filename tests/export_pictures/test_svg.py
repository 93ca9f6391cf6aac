"""The tree as SVG: valid, self-contained, and safe whatever names and categories say."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from thriftree import CARTClassifier, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.messages import printable
from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "g", "title", "rect", "path", "text"}
ATTRIBUTES = {
    *("class", "role", "aria-label", "viewBox", "direction", "font-family", "data-node", "data-marked"),
    *("x", "y", "width", "height", "rx", "d", "fill", "stroke", "stroke-width", "stroke-linejoin"),
    *("paint-order", "font-size", "font-weight", "text-anchor"),
}


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y).tree_


def texts_of(root):
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def titles_of(root):
    return {
        group.get("data-node"): group.findtext(f"{SVG}title")
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "thriftree-node"
    }


def hostile_document(number):
    """A tree of one question in which the text stands for a column, a category and a class."""
    text = HOSTILE_TEXTS[number]
    nodes = [
        {"rows": 9, "objects": 9, "weight": 9.0, "value": [4.0, 5.0], "label": 1, "impurity": 0.5},
        {"rows": 4, "objects": 4, "weight": 4.0, "value": [4.0, 0.0], "label": 0, "impurity": 0.0},
        {"rows": 5, "objects": 5, "weight": 5.0, "value": [0.0, 5.0], "label": 1, "impurity": 0.0},
    ]
    nodes[0] |= {
        "test": {
            "column": 0,
            "kind": "category",
            "keys": [0],
            "to": [0],
            "missing": 1,
            "other": 1,
            "score": None,
        },
        "children": [1, 2],
    }
    column = {"name": text, "kind": "category", "categories": [text, text + "!"]}
    document = {"format": "thriftree-tree", "version": 1, "settings": None, "prices": None}
    return {**document, "columns": [column], "classes": [text, text + "!"], "nodes": nodes}


@pytest.mark.parametrize("number", range(len(HOSTILE_TEXTS)))
def test_hostile_names_are_shown_as_text_and_nothing_else_appears(number):
    root = ElementTree.fromstring(Tree.from_dict(hostile_document(number)).to_svg())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
    assert {name for element in root.iter() for name in element.attrib} <= ATTRIBUTES
    shown = printable(HOSTILE_TEXTS[number])
    plain = titles_of(root)["0"].replace("\u200e", "")
    assert (shown or '""') in plain.replace('\\"', '"')
    assert len(titles_of(root)) == 3


@pytest.mark.parametrize("seed", range(10))
def test_random_trees_are_valid_xml_of_few_elements(seed):
    document = random_document(seed, n_tests=12, prices=seed % 2 == 0)
    root = ElementTree.fromstring(Tree.from_dict(document).to_svg(width=900))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
    assert {name for element in root.iter() for name in element.attrib} <= ATTRIBUTES
    assert len(titles_of(root)) == len(document["nodes"])


def test_it_has_no_ids_styles_scripts_or_links_so_that_pages_can_hold_many(heart):
    text = heart.to_svg()
    assert not re.search(r"\bid=|<style|\bstyle=|<script|href|url\(|@import", text)
    assert text.count("http") == 1  # the name space


def test_words_from_right_to_left_do_not_turn_the_sign_around():
    document = random_document(0, kinds=("number",), hostile=False, n_tests=3, binary=True)
    document["columns"] = [{**c, "name": f"עברית {j}"} for j, c in enumerate(document["columns"])]
    root = ElementTree.fromstring(Tree.from_dict(document).to_svg())
    asked = [text for text in texts_of(root) if "<=" in text and "עברית" in text]
    assert asked
    for text in asked:  # a mark of direction stands between the name and what follows
        assert re.search(r"\u200eעברית\u200e", text)


def test_the_size_is_the_width_asked_for_where_the_words_stay_readable(heart):
    def width(**options):
        return float(ElementTree.fromstring(heart.to_svg(**options)).get("width"))

    natural = width()
    assert width(width=2000) == natural
    assert width(width=0.9 * natural) == pytest.approx(0.9 * natural, abs=0.01)
    assert width(width=50) > 200


def test_long_words_are_cut_and_told_in_full_when_pointed_at():
    document = hostile_document(HOSTILE_TEXTS.index("x y"))
    long = "a very long name of a column " * 20
    document["columns"][0]["name"] = long
    root = ElementTree.fromstring(Tree.from_dict(document).to_svg())
    assert long in titles_of(root)["0"]
    assert all(len(text) < 60 for text in texts_of(root))
    assert any("…" in text for text in texts_of(root))


def test_marked_nodes_can_be_found(heart):
    root = ElementTree.fromstring(heart.to_svg(path=[0, 1, 2]))
    marked = [g.get("data-node") for g in root.iter(f"{SVG}g") if g.get("data-marked") == "true"]
    assert sorted(marked) == ["0", "1", "1", "2", "2"]  # the nodes, and the lines to two of them


def test_matplotlib_is_not_needed():
    program = (
        "import sys\n"
        "from thriftree.export.svg import svg_of\n"
        "from thriftree.testing.random_documents import random_document\n"
        "assert svg_of(random_document(1)).startswith('<svg')\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.full
def test_a_browser_draws_the_words_within_their_boxes(heart, require, tmp_path):
    script = """
    <script>
    const wide = [], seen = [];
    for (const group of document.querySelectorAll(".thriftree-node")) {
      const box = group.querySelector("rect").getBBox();
      for (const text of group.querySelectorAll("text")) {
        const words = text.getBBox();
        seen.push(words.width);
        if (words.x + words.width > box.x + box.width + 1) wide.push(text.textContent);
      }
    }
    document.body.textContent = `${Math.min(...seen) > 0}: ${wide.length} of ${seen.length} too wide`;
    </script>
    """
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><body>{heart.to_svg()}{script}</body>", encoding="utf-8"
    )
    command = [require("browser"), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    drawn = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    lines = sum(len(group.findall(f"{SVG}text")) for group in ElementTree.fromstring(heart.to_svg()))
    legend = 3
    assert (
        f"true: 0 of {lines - legend - 10} too wide" in drawn
    )  # without the legend and the answers on lines
