"""What `thriftree fit` shows and writes, and how `report` knows the rows that it learnt from."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from command import HEART, HEART_DATA, refused, run
from sklearn.metrics import confusion_matrix

from thriftree import Tree
from thriftree.cli.screen import MOST_TREE_LINES
from thriftree.table.files import read_table

ID3 = (*HEART_DATA[:3], "-m", "id3")


@pytest.fixture
def divided(tmp_path):
    """A tree of 70 % of the heart rows, and the file of the others."""
    tree, rows = str(tmp_path / "tree.json"), str(tmp_path / "held_out.parquet")
    assert run("fit", *ID3, "-o", tree, "--save-held-out", rows).code == 0
    return tree, rows


def measured_on(page) -> str:
    return re.search(r"Measured on [^<]*", page.read_text(encoding="utf-8"))[0]


def test_a_large_tree_is_shown_by_its_first_lines_and_how_to_see_the_others(tmp_path):
    path = tmp_path / "tree.json"
    shown = run("fit", *ID3, "-o", path).out.split("\n\n")[1].splitlines()
    lines = run("export", path, "--to", "text").out.splitlines()
    assert len(shown) == MOST_TREE_LINES
    assert shown[:-1] == lines[: MOST_TREE_LINES - 1]
    more = len(lines) - MOST_TREE_LINES + 1
    assert shown[-1] == f"… {more} more lines: thriftree export {path} --to text"
    assert "write it with -o, then thriftree export" in run("fit", *ID3).out


def test_figures_of_two_classes_are_those_of_their_confusion_matrix(divided):
    tree, rows = Tree.load(divided[0]), parquet.read_table(divided[1])
    truth = np.array(rows["heart_disease"].to_pylist())
    said = tree.predict(rows.select([column.name for column in tree.columns]))
    (tn, fp), (fn, tp) = confusion_matrix(truth, said, labels=["absent", "present"])
    facts = run("fit", *ID3, "--positive", "present", "--json").json
    assert facts["test_figures"] == {
        "sensitivity": {"share": tp / (tp + fn), "rows": tp + fn},
        "specificity": {"share": tn / (tn + fp), "rows": tn + fp},
        "ppv": {"share": tp / (tp + fp), "rows": tp + fp},
        "npv": {"share": tn / (tn + fn), "rows": tn + fn},
    }
    assert facts["base_rate"] == (truth == "absent").mean()
    out = run("fit", *ID3, "--positive", "present").out
    assert f"sensitivity                {tp / (tp + fn):.1%}" in out
    assert (
        f"base rate                  {(truth == 'absent').mean():.1%}  right by always saying absent" in out
    )
    assert max(map(len, out.split("\n\n")[2].splitlines())) <= 80


def test_positive_is_one_of_two_classes(file):
    assert "did you mean 'present'?: the classes are absent and present" in refused(
        "fit", *ID3, "--positive", "presnt"
    )
    three = file("x,y\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(12)))
    assert refused("fit", three, "-t", "y", "--positive", "a").startswith("--positive is for two classes")
    number = file("x,y\n" + "".join(f"{i},{i / 8}\n" for i in range(12)))
    assert "the target is a number" in refused("fit", number, "-t", "y", "--positive", "1")


def test_quiet_prints_nothing_and_writes_all_the_same(tmp_path):
    result = run("fit", *ID3, "--quiet", "-o", tmp_path / "tree.json")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert Tree.load(tmp_path / "tree.json").n_leaves > 1


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_held_out_rows_are_those_that_the_tree_did_not_learn_from(tmp_path, ending):
    path = str(tmp_path / f"rows.{ending}")
    assert run("fit", *ID3, "--save-held-out", path).code == 0
    everything, kept = read_table(HEART), read_table(path)
    assert kept.num_rows == 91
    assert set(kept.column_names) == set(everything.column_names)
    rows = {tuple(row.items()) for row in everything.to_pylist()}
    for row in kept.select(everything.column_names).to_pylist():
        assert tuple(row.items()) in rows


def test_a_page_of_fit_is_measured_on_the_held_out_rows(tmp_path):
    page = tmp_path / "page.html"
    assert run("fit", *ID3, "--report", page).code == 0
    assert measured_on(page) == "Measured on 91 rows that were held out: the tree was grown from 212 others."


@pytest.mark.parametrize("method", ["id3", "soft"])
def test_explain_and_pages_call_a_row_by_one_number(file, tmp_path, method):
    """Its place in the file, from 0, though some rows are not measured on and one has no target."""
    places = np.arange(40)
    labels = np.where(places * 7 % 40 < 20, "a", "b")
    labels[3] = ""
    rows = file("x,y\n" + "".join(f"{x},{label}\n" for x, label in zip(places, labels, strict=True)))
    tree, page = tmp_path / "tree.json", tmp_path / "page.html"
    words = ("-m", method, "--report", page, "-o", tree)
    assert run("fit", rows, "-t", "y", *words).code == 0
    pages = [page.read_text(encoding="utf-8")]
    assert run("report", tree, rows, "-t", "y", "-o", page).code == 0
    pages.append(page.read_text(encoding="utf-8"))
    for text in pages:
        if method == "soft":
            found = re.findall(r"(\d+)</t[dh]>\s*<td[^>]*>([ab])</td>", text)
            assert len(found) > 5
            assert all(labels[int(number)] == label for number, label in found)
        else:
            sample = json.loads(re.search(r'"sample":(\{[^}]*\})', text)[1])
            assert sample["rows"] == [value for (value,) in sample["values"]]
    if method == "id3":
        last = sample["rows"][-1]
        assert re.search(rf"\bx is {last}\b", run("explain", tree, rows, "--row", last).out)


def test_report_knows_the_rows_that_the_tree_learnt_from_in_any_table(divided, tmp_path):
    tree, held_out = divided
    words = ("-t", "heart_disease", "-o", tmp_path / "page.html")
    said = "Measured on 91 rows that were held out: the tree was grown from 212 others."
    result = run("report", tree, HEART, *words)
    assert result.err.splitlines()[0] == "the tree learnt from 212 of the 303 rows: measured on the other 91"
    assert measured_on(tmp_path / "page.html") == said
    # Shuffled, in another order of columns, with a column more, numbers as floats, in another form of file.
    table = read_table(HEART)
    order = np.random.default_rng(0).permutation(table.num_rows)
    other = table.take(order).select(table.column_names[::-1]).append_column("note", pa.array(range(303)))
    age = other.column_names.index("age")
    other = other.set_column(age, "age", other["age"].cast(pa.float64()))
    parquet.write_table(other, tmp_path / "other.parquet")
    assert run("report", tree, tmp_path / "other.parquet", *words, "--json").json["measured_on"] == 91
    assert run("report", tree, held_out, *words, "--json").json["measured_on"] == 91
    assert measured_on(tmp_path / "page.html") == said


def test_rows_that_the_tree_learnt_from_are_not_called_held_out(tmp_path):
    tree, page = tmp_path / "tree.json", tmp_path / "page.html"
    assert run("fit", *ID3, "--test-share", "0", "-o", tree).code == 0
    words = ("report", tree, HEART, "-t", "heart_disease", "-o", page)
    assert "learnt from every one of these rows" in refused(*words, "--held-out")
    assert "the tree learnt from all 303 rows" in run(*words).err
    assert measured_on(page).startswith("Measured on the 303 rows that the tree was grown from")


def test_the_file_keeps_the_fingerprints_and_the_tree_does_not(divided):
    tree = Tree.load(divided[0])
    assert "learnt_from" not in tree.to_dict()
    assert run("predict", divided[0], HEART).code == 0


def test_outputs_that_cannot_be_written_are_refused_before_learning(tmp_path):
    same = tmp_path / "same.json"
    assert "two outputs have the same name" in refused("fit", *ID3, "-o", same, "--report", same)
    rows = ("--save-held-out", tmp_path / "rows.csv")
    assert "no rows are held out" in refused("fit", *ID3, *rows, "--test-share", "0")
    assert "no form of table" in refused("fit", *ID3, "--save-held-out", tmp_path / "rows.txt")
