"""The other commands: each says what the library says, on the screen and as JSON."""

import csv
import json
import os

import pytest
from command import HEART, HEART_DATA, run

from thriftree import Tree, frontier
from thriftree.comparison import compare
from thriftree.datasets import heart_prices, load_heart
from thriftree.export import EXPORTERS


def test_explain_says_why_a_row_is_answered_so(heart_tree):
    tree, (X, _) = Tree.load(heart_tree), load_heart()
    wanted = tree.explain(X.iloc[[16]])
    assert run("explain", heart_tree, HEART, "--row", "16").out == f"{wanted}\n"
    facts = run("explain", heart_tree, HEART, "--row", "16", "--json").json
    assert facts["label"] == tree.predict(X)[16]
    assert facts["paid"] == pytest.approx(tree.predict_cost(X)[16])


def test_explain_takes_values_without_a_table_and_over_it(heart_tree):
    tree = Tree.load(heart_tree)
    given = {"thallium_scan": "normal", "major_vessels": 0}
    words = ("--set", "thallium_scan=normal", "--set", "major_vessels=0")
    assert run("explain", heart_tree, *words).out == f"{tree.explain(given)}\n"
    unknown = run("explain", heart_tree, HEART, "--row", "0", "-s", "thallium_scan=unknown", "--json").json
    assert unknown["steps"][0]["value"] == "missing"


def test_compare_prints_the_table_of_the_library():
    result = run("compare", *HEART_DATA, "--methods", "c45,id3", "--cv", "3", "--json")
    X, y = load_heart()
    wanted = compare(X, y, heart_prices(), methods=["c45", "id3"], cv=3).table()
    for got, row in zip(result.json["methods"], wanted, strict=True):
        assert {**got, "fit_time_s": 0} == pytest.approx({**row, "fit_time_s": 0})
    shown = run("compare", *HEART_DATA, "--methods", "c45", "--cv", "3").out.splitlines()
    assert shown[-2].split() == ["method", "accuracy", "AUC", "expected", "at", "worst", "leaves", "fit", "s"]
    assert shown[-1].split()[0:4] == [
        "c45",
        f"{wanted[0]['accuracy']:.1%}",
        "±",
        f"{wanted[0]['accuracy_error']:.1%}",
    ]


def test_compare_measures_numbers_by_r2(file):
    rows = "\n".join(f"{i % 17},{i % 17 * 1.5}" for i in range(120))
    table = run("compare", file(f"x,y\n{rows}\n"), "-t", "y", "-m", "cart", "--json").json["methods"]
    assert table[0]["r2"] > 0.95
    assert "accuracy" not in table[0]


QUARTER = ("--cv", "0")


@pytest.fixture(scope="module")
def front():
    X, y = load_heart()
    return frontier(X, y, heart_prices(), random_state=0)


def test_frontier_lists_the_trees_of_the_library_and_marks_the_best(front, tmp_path):
    tree = tmp_path / "best.json"
    result = run("frontier", *HEART_DATA, *QUARTER, "--budget", "50", "--tree", tree)
    assert result.code == 0
    best = front.best(budget=50)
    (marked,) = [line for line in result.out.splitlines() if line.startswith("●")]
    measured = f"{best.measured['accuracy']:.1%}"
    assert marked.split()[1:5] == [f"{best.accuracy:.1%}", measured, f"{best.compared}", f"{best.auc:.3f}"]
    assert "Scores are corrected for the choice" in result.out
    assert Tree.load(tree).to_text() == best.tree.to_text()


@pytest.mark.parametrize("name", ["front.png", "front.svg", "front.csv", "front.json"])
def test_frontier_writes_a_picture_or_its_table(front, tmp_path, name, monkeypatch):
    monkeypatch.setattr("thriftree.tuning.frontier.frontier", lambda *_rows, **_words: front)
    path = tmp_path / name
    facts = run("frontier", *HEART_DATA, *QUARTER, "-o", path, "--json").json
    assert [point["leaves"] for point in facts["points"]] == [point.leaves for point in front]
    if name.endswith(".csv"):
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [float(row["expected_cost"]) for row in rows] == [p.expected_cost for p in front]
        assert [float(row["measured_accuracy"]) for row in rows] == [p.measured["accuracy"] for p in front]
        assert [int(row["compared"]) for row in rows] == [p.compared for p in front]
    elif name.endswith(".json"):
        assert Tree.from_dict(json.loads(path.read_text())["points"][-1]["tree"]).n_leaves == front[-1].leaves
    else:
        assert path.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml")


@pytest.mark.parametrize("name", ["json", *(name for name in EXPORTERS if name != "sklearn")])
def test_export_writes_what_the_tree_makes(heart_tree, tmp_path, name):
    made = getattr(Tree.load(heart_tree), f"to_{name}")()
    path = tmp_path / "exported"
    assert run("export", heart_tree, "--to", name, "-o", path).code == 0
    if name == "excel":  # it holds the time of writing
        assert path.read_bytes()[:2] == b"PK"
    elif isinstance(made, str):
        assert path.read_text(encoding="utf-8") == made
        assert run("export", heart_tree, "--to", name).out.rstrip("\n") == made.rstrip("\n")
        assert run("export", heart_tree, "--to", name, "--json").json == {"to": name, "content": made}
    else:
        assert path.read_bytes() == made.SerializeToString()


def test_export_takes_the_exporters_own_words(heart_tree):
    assert "…" in run("export", heart_tree, "--to", "text", "--set", "max_depth=1").out
    sql = run("export", heart_tree, "--to", "sql", "--set", "dialect=bigquery").out
    assert sql.startswith("-- thriftree SQL, dialect bigquery: for BigQuery\n")
    assert "`thallium_scan` NOT IN (" in sql


def test_report_writes_a_page_about_the_rows_given(heart_tree, tmp_path):
    page = tmp_path / "page.html"
    words = ("--target", "heart_disease", "-o", str(page), "--title", "Hearts <b>", "--json")
    assert run("report", heart_tree, HEART, *words).json == {
        "output": str(page),
        "rows": 303,
        "measured_on": 303,
    }
    text = page.read_text(encoding="utf-8")
    assert "Hearts &lt;b&gt;" in text
    assert os.listdir(tmp_path) == ["page.html"]


def test_bench_tells_seconds_after_checking_the_answers():
    facts = run("bench", "--rows", "2000", "--columns", "3", "--json").json
    assert [line["work"] for line in facts["lines"]] == [
        "fit, every threshold",
        "fit, 255 bins a column",
        "predict",
    ]
    for line in facts["lines"]:
        assert line["ratio"] == pytest.approx(line["theirs_s"] / line["ours_s"])
