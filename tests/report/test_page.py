"""The page as text: one file, safe whatever the data say, small, written whole."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from report_cases import classifier, hostile_case, regressor
from sklearn.base import clone

from thriftree import CARTClassifier, Tree, write_report
from thriftree.export.svg import svg_of
from thriftree.report.rendering import _amount, _digits, embedded_json
from thriftree.report.sheet import READABLE, levels_on_paper, sheet_of
from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document


class Page(HTMLParser):
    """What a browser would see: tags with attributes, scripts and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        where = self.inside[-1] if self.inside else ""
        {"script": self.scripts, "style": self.styles}.get(where, self.words).append(data)


def written(tmp_path, *arguments, **words) -> str:
    write_report(tmp_path / "report.html", *arguments, **words)
    return (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(12))
def test_hostile_names_are_text_and_add_no_element(tmp_path, seed):
    document, frame, answers = hostile_case(seed, 80)
    page = Page(
        written(tmp_path, Tree.from_dict(document), frame, answers, title="</title><script>alert(1)</script>")
    )
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert [tag for tag, _ in page.tags].count("img") == 1
    assert not [
        name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"
    ]
    facts = json.loads(page.scripts[0])
    assert facts["title"] == "</title><script>alert(1)</script>"
    assert facts["title"] in page.words


def test_embedded_json_reads_back_and_has_nothing_that_ends_an_element():
    value = {text: [text, {"x": text}] for text in (*HOSTILE_TEXTS, "<!--", "]]>", "\u2028\u2029")}
    text = embedded_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)
    with pytest.raises(ValueError, match="JSON compliant"):
        embedded_json(float("nan"))


def test_the_policy_names_the_one_script_and_the_one_style_and_no_network(tmp_path):
    page = Page(written(tmp_path, *classifier()))
    (policy,) = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]

    def hashed(text):
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    assert policy.startswith("default-src 'none'; ")
    assert f"script-src {hashed(page.scripts[-1])};" in policy
    assert f"style-src {hashed(''.join(page.styles))};" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_the_page_refers_to_nothing_outside(tmp_path):
    page = Page(written(tmp_path, *classifier()))
    links = [value for _, a in page.tags for name, value in a.items() if name in ("src", "href")]
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\(|@import", "".join(page.styles))
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|innerHTML|outerHTML|eval)\b", page.scripts[-1])


def test_every_link_within_the_page_leads_to_a_section(tmp_path):
    page = Page(written(tmp_path, *classifier()))
    ids = {a["id"] for _, a in page.tags if "id" in a}
    assert {a["href"].removeprefix("#") for tag, a in page.tags if tag == "a"} <= ids
    assert {a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a} <= ids


@pytest.mark.parametrize("make", [classifier, regressor])
def test_an_estimator_and_its_tree_give_the_same_figures(tmp_path, make):
    model, X, y = make()
    of_model, of_tree = (
        json.loads(Page(written(tmp_path, tree, X, y, rows="held out")).scripts[0])
        for tree in (model, model.tree_)
    )
    assert ["estimator", type(model).__name__] in of_model["settings"]
    assert of_tree["settings"] == []
    for facts in (of_model, of_tree):
        del facts["settings"]
    assert of_model == of_tree


def test_the_name_of_y_is_the_target(tmp_path):
    model, X, y = classifier()
    assert (
        "A decision tree for recovery"
        in Page(written(tmp_path, model, X, pd.Series(y, name="recovery"))).words
    )
    assert "no or yes?" in Page(written(tmp_path, model, X, y)).words
    assert "Who recovers" in Page(written(tmp_path, model, X, y, title="Who recovers")).words


def test_what_is_no_fitted_tree_is_refused_and_nothing_is_written(tmp_path):
    model, X, y = classifier()
    for wrong, message in ((clone(model), "call fit first"), ("a tree", "not str")):
        with pytest.raises(TypeError, match=message):
            write_report(tmp_path / "report.html", wrong, X, y)
    with pytest.raises(ValueError, match="y has the shape"):
        write_report(tmp_path / "report.html", model, X, y[:-1])
    assert list(tmp_path.iterdir()) == []


def test_without_jinja2_the_error_names_the_extra(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'thriftree\[report\]'"):
        write_report(tmp_path / "report.html", *classifier())
    assert list(tmp_path.iterdir()) == []


def test_a_report_on_a_tree_of_thousands_of_leaves_stays_below_two_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 5)), rng.integers(0, 3, 20_000)
    model = CARTClassifier().fit(X[:10_000], y[:10_000])
    assert model.tree_.n_leaves > 3000
    text = written(tmp_path, model, X[10_000:], y[10_000:])
    assert len(text.encode()) < 2_000_000
    assert re.search(r"The tree has .* nodes\. This page holds the", text)


def test_one_leaf_is_a_report_too(tmp_path):
    model = CARTClassifier(max_depth=0).fit([[1.0], [2.0]], ["a", "b"])
    assert "This tree asks nothing: its answer is a for everyone." in written(tmp_path, model, [[1.0]], ["a"])


def test_a_figure_that_is_not_quite_0_or_1_does_not_read_so_and_ends_of_an_interval_differ():
    def shown(value, form, interval=None):
        return _amount(value, form, _digits(value, form, interval))

    assert shown(0.9996, "share") == "99.96\u00a0%"
    assert shown(0.0004, "share") == "0.04\u00a0%"
    assert shown(1.0, "share", [0.987, 1.0]) == "100\u00a0%"
    assert shown(0.85, "share", [0.74, 0.921]) == "85\u00a0%"
    assert _amount(0.921, "share", _digits(0.85, "share", [0.74, 0.921])) == "92\u00a0%"
    assert shown(0.781, "share", [0.7784, 0.7836]) == "78.1\u00a0%"
    assert shown(0.9966, "score", [0.991, 0.999]) == "0.997"
    assert shown(-0.21, "score") == "-0.21"


def test_of_many_columns_those_that_the_tree_does_not_ask_for_are_folded(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 60)), columns=[f"gene {i}" for i in range(60)])
    text = written(tmp_path, CARTClassifier(max_leaves=3).fit(X, X["gene 7"] > 0), X, X["gene 7"] > 0)
    asked, folded = text.split("<details>")
    assert '<th scope="row" dir="auto">gene 7</th>' in asked
    assert "59 columns that the tree does not ask for" in folded
    assert '<th scope="row" dir="auto">gene 8</th>' in folded


def test_every_colour_of_the_tree_is_in_its_key(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = np.array(list("abcdefghijklm"))[np.argsort(np.argsort(X[:, 0])) * 13 // 600]
    text = written(tmp_path, CARTClassifier(max_leaves=20).fit(X, y), X, y)
    key = text.split('<span class="legend">')[1].split("</p>")[0]
    assert key.count("<rect") == 11
    assert "other classes" in key


def test_of_a_tree_too_large_for_paper_the_sheet_has_the_first_levels():
    small, large = (random_document(0, n_tests=n, n_classes=2, hostile=False, binary=True) for n in (9, 300))
    assert levels_on_paper(small) is None
    assert sheet_of(small).levels is None
    levels = levels_on_paper(large)
    shown, level = 0, [0]
    for _ in range(levels):
        below = [large["nodes"][n] for n in level]
        shown += sum("children" not in node for node in below)
        level = [child for node in below for child in node.get("children", ())]
    assert shown + len(level) <= 90
    sheet = sheet_of(large)
    assert 1 <= sheet.levels <= levels
    width, height = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', sheet.picture).groups())
    assert (min(190 / width, 195 / height) if sheet.portrait else min(277 / width, 120 / height)) >= READABLE


@pytest.mark.parametrize(("n_tests", "seeds"), [(6, 4), (70, 3)])
def test_the_sheet_takes_the_clearest_layout_that_can_be_read_or_the_largest(n_tests, seeds):
    for seed in range(seeds):
        document = random_document(seed, n_tests=n_tests, n_classes=2, hostile=False, binary=True)
        layouts = [svg_of(document, orientation=o) for o in ("top-down", "left-right", "outline")]

        def scale(picture, portrait):
            width, height = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', picture).groups())
            return min(190 / width, 195 / height) if portrait else min(277 / width, 120 / height)

        scales = [max(scale(picture, portrait) for portrait in (True, False)) for picture in layouts]
        readable = [i for i, one in enumerate(scales) if one >= READABLE]
        best = readable[0] if readable else int(np.argmax(scales))
        sheet = sheet_of(document)
        assert sheet.picture == layouts[best]
        assert scale(sheet.picture, sheet.portrait) == scales[best]
