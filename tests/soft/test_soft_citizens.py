"""Soft trees on the command line, in reports, in pictures and in `compare`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from soft_tables import mixed, spread

from thriftree import CARTClassifier, SoftTree, SoftTreeClassifier, SoftTreeRegressor, write_report
from thriftree.comparison import compare
from thriftree.plot.scene import Curve, Rect, Words
from thriftree.plot.soft_scene import soft_scene, terms_of
from thriftree.report.soft_facts import soft_facts_of


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in a folder with a table; gives what it printed."""
    from thriftree.cli.running import run

    X, y = mixed(0)
    X.assign(target=y).to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.chdir(tmp_path)

    def command(*words, code=0):
        assert run(words) == code
        printed = capsys.readouterr()
        return printed.out if code == 0 else printed.err

    return command


def test_the_command_line_fits_predicts_explains_and_reports(run, tmp_path):
    pytest.importorskip("typer")
    said = run(
        *("fit", "table.csv", "--target", "target", "--method", "soft", "--set", "max_depth=2"),
        *("--test-share", "0", "-o", "soft.json"),
    )
    assert "gate 0:" in said
    assert "expected gates" in said
    tree = SoftTree.load(tmp_path / "soft.json")
    X = pd.read_csv(tmp_path / "table.csv").drop(columns="target")
    run("predict", "soft.json", "table.csv", "--proba", "--cost", "--leaf", "-o", "answers.csv")
    answers = pd.read_csv(tmp_path / "answers.csv")
    assert answers["prediction"].astype(str).tolist() == [str(one) for one in tree.predict(X)]
    np.testing.assert_allclose(answers["cost"], tree.predict_cost(X))
    np.testing.assert_allclose(answers.iloc[:, 1], tree.predict_proba(X)[:, 0])
    reach = tree.path_probabilities(X)[:, tree.n_gates :]
    assert answers["leaf"].tolist() == reach.argmax(axis=1).tolist()
    told = json.loads(run("explain", "soft.json", "table.csv", "--row", "3", "--json"))
    assert list(told["probabilities"].values()) == pytest.approx(tree.predict_proba(X[3:4])[0].tolist())
    run("report", "soft.json", "table.csv", "--target", "target", "-o", "page.html")
    assert "Gates and leaves" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "asks for all columns at once" in run("ask", "soft.json", code=2)


def test_report_knows_the_rows_that_a_soft_tree_learnt_from(run, tmp_path):
    pytest.importorskip("typer")
    run(
        *("fit", "table.csv", "--target", "target", "--method", "soft", "--set", "max_depth=1"),
        *("--test-share", "0.25", "-o", "soft.json", "--json"),
    )
    kept = json.loads((tmp_path / "soft.json").read_text(encoding="utf-8"))
    assert kept["learnt_from"]["target"] == "target"
    assert "learnt_from" not in SoftTree.load(tmp_path / "soft.json").to_dict()
    words = ("report", "soft.json", "--target", "target", "-o", "page.html", "--json")
    assert json.loads(run(*words, "table.csv"))["measured_on"] == 75
    table = pd.read_csv(tmp_path / "table.csv").sample(frac=1.0, random_state=0)
    table.to_csv(tmp_path / "shuffled.csv", index=False)
    assert json.loads(run(*words, "shuffled.csv"))["measured_on"] == 75


def test_the_facts_of_a_report_are_what_the_tree_says():
    X, y = mixed(1)
    model = SoftTreeClassifier(max_iter=20, costs=[2.0] * X.shape[1]).fit(X, y)
    facts = soft_facts_of(model.soft_tree_, X, y, rows="training", settings=None)
    figures = {one["name"]: one["value"] for one in facts["figures"]}
    assert figures["Accuracy"] == f"{model.score(X, y):.1%}"
    assert figures["Expected price"] == f"{model.expected_cost_:.2f}"
    np.testing.assert_allclose(facts["reach"], model.path_probabilities(X).mean(axis=0))
    for row in facts["rows"]:
        assert row["said"] == str(model.predict(X)[row["row"]])
    assert soft_facts_of(model.soft_tree_, X, y, sample=0)["rows"] == []
    weight = np.arange(len(y)) % 2
    weighted = soft_facts_of(model.soft_tree_, X, y, sample_weight=weight)
    half = soft_facts_of(model.soft_tree_, X[weight == 1], y[weight == 1])
    assert weighted["figures"][0]["value"] == half["figures"][0]["value"]


def test_a_report_of_numbers_is_a_page_without_scripts(tmp_path):
    X, y = spread(2, numbers=True)
    model = SoftTreeRegressor(max_iter=20, leaves="linear").fit(X, y)
    write_report(tmp_path / "page.html", model, X, y, title="<b>odd & title</b>")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;odd &amp; title" in page
    assert "<script" not in page
    assert "SoftTreeRegressor" in page
    assert f"{model.score(X, y):.3f}" in page
    with pytest.raises(ValueError, match="no room for a frontier"):
        write_report(tmp_path / "page.html", model, X, y, frontier=object())


@pytest.mark.parametrize("leaves", ["constant", "linear"])
@pytest.mark.parametrize("gates", ["oblique", "axis"])
def test_the_picture_has_a_card_for_each_gate_and_leaf(gates, leaves):
    X, y = mixed(3)
    tree = SoftTreeClassifier(gates=gates, leaves=leaves, max_iter=5, max_depth=3).fit(X, y).soft_tree_
    scene = soft_scene(tree.to_dict(), tree.path_probabilities(X).mean(axis=0).tolist())
    nodes = [group.number for group in scene.groups if group.kind == "node"]
    assert sorted(nodes) == list(range(tree.n_gates + tree.n_leaves))
    assert sum(group.kind == "edge" for group in scene.groups) == 2 * tree.n_gates
    assert [term.name.replace(" = ", "=") for term in terms_of(tree.to_dict())] == [
        name.replace(" is missing", " missing") for name in tree.design.term_names()
    ]


def test_a_gate_of_one_number_is_drawn_as_its_curve():
    pytest.importorskip("matplotlib").use("Agg")
    from thriftree.plot import plot_soft_tree

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = SoftTreeClassifier(gates="axis", max_depth=1, max_iter=10).fit(X, y)
    (gate,) = (g for g in soft_scene(model.soft_tree_.to_dict()).groups if g.number == 0 and g.kind == "node")
    curve = max((shape for shape in gate.shapes if isinstance(shape, Curve)), key=lambda one: len(one.pieces))
    heights = [curve.start[1], *(end[1] for _, _, end in curve.pieces)]
    assert heights == sorted(heights) or heights == sorted(heights, reverse=True)
    axes = plot_soft_tree(model, X[:3])
    assert axes.get_xlim()[1] > 0
    with pytest.raises(TypeError, match="needs a SoftTree"):
        plot_soft_tree(CARTClassifier())


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 40.0, np.inf])
def test_a_curve_is_as_steep_as_its_gate(sharpness):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = SoftTreeClassifier(gates="axis", max_depth=1, max_iter=10).fit(X, y)
    tree = model.soft_tree_.with_sharpness(sharpness)
    curve = max(
        (one for one in shapes_of(tree, "node", 0) if isinstance(one, Curve)), key=lambda one: len(one.pieces)
    )
    x, y = np.array([curve.start, *(end for _, _, end in curve.pieces)]).T
    fine = np.linspace(x[0], x[-1], 20_001)
    at = 5 * (fine - x[0]) / (x[-1] - x[0]) - 2.5  # in standard deviations
    total = tree.gate_offsets[0] + tree.gate_weights[0][tree.gate_weights[0] != 0][0] * at
    true = (total >= 0) * 1.0 if sharpness == np.inf else 1 / (1 + np.exp(-sharpness * total))
    drawn = (82 - 26 - (y - y.min())) / (82 - 26)
    away = np.abs(np.interp(fine, x, drawn) - (true - true.max() + 1))
    assert np.mean(away) < 0.005
    assert sharpness == np.inf or away.max() < 0.04


def test_cards_have_the_numbers_that_the_table_of_rows_names_and_days_are_days():
    X = pd.DataFrame({"day": pd.date_range("2015-01-01", periods=300), "z": np.arange(300) % 7})
    model = SoftTreeClassifier(gates="axis", max_depth=1, max_iter=5).fit(X, np.arange(300) > 150)
    words = [[one.text for one in shapes_of(model, "node", k) if isinstance(one, Words)] for k in range(3)]
    middle, spread = X["day"].mean(), X["day"].std(ddof=0)
    ends = [(middle + sign * 2.5 * spread).round("s").isoformat(" ").removesuffix(":00") for sign in (-1, 1)]
    assert words[0] == ["day", *ends, "gate 0"]
    assert [card[-1] for card in words[1:]] == ["leaf 0", "leaf 1"]


def test_the_longest_bar_of_every_gate_is_as_long():
    X, y = mixed(3)
    tree = SoftTreeClassifier(max_depth=2).fit(X, y).soft_tree_
    for number in range(tree.n_gates):
        shapes = shapes_of(tree, "node", number)
        bars = [one.width for one in shapes if isinstance(one, Rect)][1:]
        largest = np.sort(np.abs(tree.gate_weights[number]))[::-1][: len(bars)]
        np.testing.assert_allclose(bars, np.maximum(30 * largest / largest[0], 1.0))
        told = [one.text for one in shapes if isinstance(one, Words)]
        assert [abs(float(word)) for word in told[1:-1:2]] == [float(f"{one:.3g}") for one in largest]


def shapes_of(tree, kind, number):
    """What one card of the picture is made of."""
    document = getattr(tree, "soft_tree_", tree).to_dict()
    (group,) = (one for one in soft_scene(document).groups if (one.kind, one.number) == (kind, number))
    return group.shapes


def test_soft_trees_can_be_compared_with_hard_ones():
    X, y = spread(1)
    found = compare(X, y, methods=["cart", "soft"], cv=2)
    assert [result.method for result in found.results] == ["cart", "soft"] or len(found.results) == 2


def test_the_outline_names_the_largest_weights():
    X, y = spread(4, numbers=True)
    tree = SoftTreeRegressor(max_iter=10, max_depth=1).fit(X, y).soft_tree_
    lines = tree.to_text().split("\n")
    assert len(lines) == 3
    names = tree.design.term_names()
    assert lines[0].startswith(f"gate 0: {names[np.abs(tree.gate_weights[0]).argmax()]} ")
    assert f"{tree.leaf_answers[0, 0]:.4g}" in lines[1]
