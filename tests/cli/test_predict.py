"""`thriftree predict`: what the tree answers, row by row, in every form of output."""

import csv
import io
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from command import HEART, refused, run

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.datasets import load_heart
from thriftree.table.files import read_table
from thriftree.testing.random_documents import HOSTILE_TEXTS


@pytest.fixture(scope="module")
def expected(heart_tree):
    tree, (X, _) = Tree.load(heart_tree), load_heart()
    shares = tree.predict_proba(X)
    return {
        "age": [str(int(age)) for age in X["age"]],
        "prediction": tree.predict(X).tolist(),
        "probability_absent": shares[:, 0].tolist(),
        "probability_present": shares[:, 1].tolist(),
        "cost": tree.predict_cost(X).tolist(),
        "leaf": tree.apply(X).tolist(),
    }


ALL = ("--proba", "--cost", "--leaf", "--keep", "age")


def columns_of_csv(text):
    header, *rows = csv.reader(io.StringIO(text))
    typed = [
        [float(c) if name not in ("age", "prediction") else c for name, c in zip(header, row, strict=True)]
        for row in rows
    ]
    return dict(zip(header, map(list, zip(*typed, strict=True)), strict=True))


def test_csv_on_standard_output_has_the_answers_of_the_library(heart_tree, expected):
    result = run("predict", heart_tree, HEART, *ALL)
    assert (result.code, result.err) == (0, "")
    assert columns_of_csv(result.out) == expected


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow", "out.feather"])
def test_every_form_of_file_has_the_same_answers(heart_tree, expected, tmp_path, name):
    path = tmp_path / name
    result = run("predict", heart_tree, HEART, *ALL, "-o", path)
    assert (result.code, result.out, result.err) == (0, "", f"wrote 303 rows to {path}\n")
    if name.endswith(".csv"):
        assert columns_of_csv(path.read_text()) == expected
    else:
        table = parquet.read_table(path) if "parquet" in name else pa.ipc.open_file(path).read_all()
        assert table.to_pydict() == expected


def test_without_options_there_is_one_plain_column(heart_tree, expected):
    lines = run("predict", heart_tree, HEART).out.splitlines()
    assert lines == ["prediction", *expected["prediction"]]


def test_one_json_document_has_the_rows_or_says_where_they_are(heart_tree, expected, tmp_path):
    document = run("predict", heart_tree, HEART, *ALL, "--json").json
    assert document["rows"] == 303
    assert {name: [row[name] for row in document["predictions"]] for name in expected} == expected
    path = str(tmp_path / "out.parquet")
    assert run("predict", heart_tree, HEART, "--json", "-o", path).json == {
        "rows": 303,
        "columns": ["prediction"],
        "output": path,
    }


def test_rows_come_from_a_pipe_in_any_form(heart_tree, expected):
    with open(HEART, "rb") as file:
        content = file.read()
    assert run("predict", heart_tree, "-", stdin=content).out.splitlines()[1:] == expected["prediction"]
    table = read_table(HEART)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert (
        run("predict", heart_tree, "-", stdin=sink.getvalue()).out.splitlines()[1:] == expected["prediction"]
    )


def test_a_table_without_rows_gives_a_table_without_rows(heart_tree, file, tmp_path):
    with open(HEART, encoding="utf-8") as rows:
        header = rows.readline()
    assert run("predict", heart_tree, file(header)).out == "prediction\n"
    run("predict", heart_tree, file(header), "--cost", "-o", tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").to_pydict() == {"prediction": [], "cost": []}


@pytest.mark.parametrize("labels", [[1, 2], [True, False], [0.5, 1.5], list(HOSTILE_TEXTS)])
def test_labels_keep_their_type_in_parquet_and_their_text_in_csv(tmp_path, labels):
    y = np.array(labels, object if isinstance(labels[0], str) else None)
    if y.dtype.kind == "f":
        document = CARTClassifier().fit([[0], [1]], [0, 1]).tree_.to_dict()
        tree = Tree.from_dict({**document, "classes": [{"float": label} for label in labels]})
    else:
        tree = CARTClassifier().fit(np.arange(len(y)).reshape(-1, 1), y).tree_
    tree.save(tmp_path / "tree.json")
    rows = tmp_path / "rows.csv"
    rows.write_text("x0\n" + "\n".join(map(str, range(len(y)))) + "\n")
    said = tree.predict(np.arange(len(y)).reshape(-1, 1)).tolist()
    run("predict", tmp_path / "tree.json", rows, "-o", tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").column("prediction").to_pylist() == said
    printed = csv.reader(io.StringIO(run("predict", tmp_path / "tree.json", rows).out, newline=""))
    texts = [row[0] if row else "" for row in printed][1:]
    assert texts == [str(label).lower() if isinstance(label, bool) else str(label) for label in said]


def test_a_number_is_answered_by_the_mean(tmp_path):
    X = np.arange(20.0).reshape(-1, 1)
    tree = CARTRegressor(max_leaves=3).fit(X, X[:, 0] / 3).tree_
    tree.save(tmp_path / "tree.json")
    rows = tmp_path / "rows.csv"
    rows.write_text("x0\n" + "\n".join(map(str, range(20))) + "\n")
    printed = run("predict", tmp_path / "tree.json", rows).out.splitlines()[1:]
    assert [float(text) for text in printed] == tree.predict(X).tolist()
    assert "predicts a number: leave it out" in refused("predict", tmp_path / "tree.json", rows, "--proba")


def test_a_bad_row_late_in_the_file_leaves_an_older_output_as_it_was(heart_tree, file, tmp_path):
    with open(HEART, encoding="utf-8") as rows:
        content = rows.read()
    out = tmp_path / "out.csv"
    out.write_text("older")
    names = [column.name for column in Tree.load(heart_tree).columns]
    tested = {
        names[node["test"]["column"]] for node in Tree.load(heart_tree).to_dict()["nodes"] if "test" in node
    }
    column = next(name for name in ("major_vessels", "age", "st_depression") if name in tested)
    header, *lines = content.splitlines()
    cells = lines[-1].split(",")
    cells[header.split(",").index(column)] = "many"
    bad = "\n".join([header, *lines[:-1], ",".join(cells)])
    path = file(bad)
    assert refused("predict", heart_tree, path, "-o", str(out)) == (
        f"{path}, line 304: 'many' in the column '{column}' is not a number: correct it, leave the cell "
        "empty, or say --missing with the word that means missing"
    )
    assert out.read_text() == "older"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "rows.csv"]
    answered = run("predict", heart_tree, path, "-o", str(out), "--missing", "many")
    assert answered.code == 0


def test_a_model_file_of_an_estimator_is_as_good_as_a_trees(tmp_path):
    X, y = load_heart()
    model = CARTClassifier(max_leaves=5).fit(X, y)
    model.save(tmp_path / "model.json")
    printed = run("predict", tmp_path / "model.json", HEART).out.splitlines()[1:]
    assert printed == model.predict(X).tolist()
