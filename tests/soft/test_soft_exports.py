"""Exports of soft trees, run: every answer is that of the soft tree, to 1e-12."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from onnx_runs import listing_of, run
from programs import ask_node, c_inputs, run_driver, with_every_missing
from soft_documents import check_soft_agreement, random_soft_document, rows_for
from soft_tables import mixed, spread
from thoroughness import tries

from thriftree import SoftTree, SoftTreeClassifier, SoftTreeRegressor
from thriftree.document.follow import scalar
from thriftree.export import SOFT_EXPORTERS
from thriftree.export.soft_form import SoftForm
from thriftree.soft_exports import SoftExports
from thriftree.testing.random_documents import Columns

C_DRIVER = """
#include "tree.c"
#include <stdio.h>

{pools}

int main(void) {{
    double raw[{n_raw}];
    while (fread(raw, sizeof(double), {n_raw}, stdin) == {n_raw}) {{
        struct predict_input in;
        double out[{n_out}];
        {fill}
        out[0] = predict(&in);
        predict_leaf_probabilities(&in, out + 1);
        {shares}
        fwrite(out, sizeof(double), {n_out}, stdout);
    }}
    return 0;
}}
"""


def soft_python(document: dict[str, Any], rows: Columns) -> tuple[list[Any], Any, Any]:
    names: dict[str, Any] = {}
    exec(compile(SoftTree.from_dict(document).to_python(), "exported", "exec"), names)
    given = with_every_missing(rows)
    answers = None
    if document["classes"] is not None:
        answers = [names["predict_probabilities"](row) for row in given]
    return (
        [names["predict"](row) for row in given],
        answers,
        [names["predict_leaf_probabilities"](row) for row in given],
    )


def soft_c(document: dict[str, Any], rows: Columns, folder: Path) -> tuple[list[Any], Any, Any]:
    source = SoftTree.from_dict(document).to_c()
    (folder / "tree.c").write_text(source, encoding="utf-8")
    given = c_inputs(source, [column.column for column in SoftForm(document).columns], rows)
    n_leaves, classes = len(document["leaves"]), document["classes"]
    n_out = 1 + n_leaves + len(classes or ())
    driver = C_DRIVER.format(
        pools="\n".join(given.pools),
        n_raw=len(given.raw),
        n_out=n_out,
        fill="\n        ".join(given.fill),
        shares=f"predict_probabilities(&in, out + {1 + n_leaves});" if classes else "",
    )
    out = np.array(run_driver(folder, driver, given.raw, n_out, "-lm"))
    labels = [scalar(classes[int(k)]) for k in out[:, 0]] if classes else out[:, 0].tolist()
    return labels, out[:, 1 + n_leaves :] if classes else None, out[:, 1 : 1 + n_leaves]


def soft_node(
    document: dict[str, Any], rows: Columns, folder: Path, node: Path
) -> tuple[list[Any], Any, Any]:
    source = SoftTree.from_dict(document).to_javascript()
    names = ["predict", "predictProbabilities", "predictLeafProbabilities"]
    labels, answers, leaves = ask_node(source, rows, folder, node, names)
    return labels, answers or None, leaves


def soft_onnx(document: dict[str, Any], rows: Columns) -> tuple[list[Any], Any, Any]:
    outputs = run(SoftTree.from_dict(document).to_onnx(missing_inputs=True), rows)
    if document["classes"] is None:
        return outputs["variable"][:, 0].tolist(), None, None
    return outputs["label"].tolist(), outputs["probabilities"], None


@pytest.fixture(params=["python", "c", "onnx", pytest.param("node", marks=pytest.mark.full)])
def agrees(request: Any, tmp_path: Path) -> Any:
    """Runs a document's export on rows, and compares."""
    name = request.param
    node = request.getfixturevalue("require")("node") if name == "node" else None

    def check(document: dict[str, Any], rows: Columns) -> None:
        match name:
            case "python":
                got = soft_python(document, rows)
            case "c":
                got = soft_c(document, rows, tmp_path)
            case "onnx":
                got = soft_onnx(document, rows)
            case _:
                got = soft_node(document, rows, tmp_path, node)
        check_soft_agreement(document, rows, *got)

    return check


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize("axis", [None, True, False], ids=["ranges", "axis", "oblique"])
def test_random_soft_trees_agree_in_every_row(agrees, axis, hard):
    for seed in range(tries(25, 3)):
        document = random_soft_document(seed, axis=axis, hard=hard, n_gates=seed % 9)
        agrees(document, rows_for(document, seed, 400))


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_linear_leaves_agree(agrees, n_classes):
    for seed in range(tries(10, 1)):
        document = random_soft_document(seed, linear=True, n_classes=n_classes, n_gates=seed % 5 + 1)
        agrees(document, rows_for(document, seed, 300))


@pytest.mark.parametrize("linear", [False, True], ids=["constant", "linear"])
@pytest.mark.parametrize("n_classes", [0, 1, 3])
def test_a_tree_of_one_leaf_agrees(agrees, n_classes, linear):
    document = random_soft_document(5, n_gates=0, n_classes=n_classes, linear=linear)
    agrees(document, rows_for(document, 0, 20))


def test_gates_that_weigh_nothing_agree(agrees):
    document = random_soft_document(5, n_gates=3, n_classes=2)
    for gate in document["gates"]:
        gate["weights"] = []
    agrees(document, rows_for(document, 0, 20))


def test_sums_that_are_far_from_0_agree(agrees):
    document = random_soft_document(2, n_gates=7, n_classes=3, axis=False, kinds=("number",))
    document["sharpness"] = 1e6
    agrees(document, rows_for(document, 0, 200))


@pytest.mark.parametrize(
    "settings",
    [{}, {"gates": "axis"}, {"leaves": "linear"}, {"sharpness": math.inf}],
    ids=["oblique", "axis", "linear", "hard"],
)
def test_learned_trees_agree(agrees, settings):
    X, y = mixed(3)
    frames = [(SoftTreeClassifier, X, y)]
    numbers, target = spread(3, numbers=True)
    names = [f"x{j}" for j in range(numbers.shape[1])]
    frames.append((SoftTreeRegressor, pd.DataFrame(numbers, columns=names), target))
    for cls, frame, target in frames:
        model = cls(max_depth=3, max_iter=30, **settings).fit(frame, target)
        rows = {name: [None if pd.isna(value) else value for value in frame[name].tolist()] for name in frame}
        if "colour" in rows:
            rows["colour"][:3] = ["violet", None, ""]
        agrees(model.soft_tree_.to_dict(), rows)


def test_a_fuzzy_tree_read_hard_sends_a_row_on_the_threshold_left(agrees):
    X, y = np.array([[0.0, 5.0], [1.0, 1.0], [3.0, 2.0], [7.0, 4.0]]), [0, 0, 1, 1]
    frame = pd.DataFrame(X, columns=["a", "b"])
    tree = SoftTreeClassifier(max_depth=1, max_iter=0, sharpness=math.inf).fit(frame, y).soft_tree_
    below, above = float(np.nextafter(2.0, 0)), float(np.nextafter(2.0, 3.0)) + 1e-9
    rows = {"a": [2.0, below, above], "b": [1.0, 3.0, 9.0]}
    assert tree.predict(pd.DataFrame(rows)).tolist() == [0, 0, 1]
    agrees(tree.to_dict(), rows)


def test_onnx_without_inputs_for_missing_takes_empty_texts():
    X, y = mixed(1)
    tree = SoftTreeClassifier(max_depth=2, max_iter=10).fit(X, y).soft_tree_
    model = tree.to_onnx()
    assert all(entry["missing_input"] is None for entry in listing_of(model))
    rows = {name: [None if pd.isna(v) else v for v in X[name].tolist()] for name in X}
    np.testing.assert_allclose(run(model, rows)["probabilities"], tree.predict_proba(X), atol=1e-12)


def test_dates_are_read_as_python_has_them():
    days = pd.date_range("2020-01-01", periods=60, freq="D")
    X = pd.DataFrame({"day": days, "size": np.arange(60.0) % 7})
    y = (np.arange(60) // 15) % 2
    tree = SoftTreeClassifier(max_depth=2, max_iter=20).fit(X, y).soft_tree_
    names: dict[str, Any] = {}
    exec(tree.to_python(), names)
    rows = [{"day": day.to_pydatetime(), "size": size} for day, size in X.itertuples(index=False)]
    got = [names["predict_probabilities"](row) for row in [*rows, {"day": None, "size": 1.0}]]
    more = pd.concat([X, pd.DataFrame({"day": [pd.NaT], "size": [1.0]})], ignore_index=True)
    np.testing.assert_allclose(got, tree.predict_proba(more), atol=1e-12)
    assert "microseconds since 1970-01-01" in tree.to_c()
    assert "microseconds since 1970-01-01" in tree.to_javascript()


def test_infinity_is_refused_as_in_predict():
    document = random_soft_document(1, kinds=("number",), hostile=False, axis=False)
    names: dict[str, Any] = {}
    exec(SoftTree.from_dict(document).to_python(), names)
    with pytest.raises(ValueError, match="column 'column 0' holds infinity"):
        names["predict"]({"column 0": math.inf})


@pytest.mark.full
def test_infinity_is_refused_in_javascript(require, tmp_path):
    document = random_soft_document(1, kinds=("number",), hostile=False, axis=False)
    source = SoftTree.from_dict(document).to_javascript()
    rows: Columns = {column["name"]: [math.inf] for column in document["columns"]}
    with pytest.raises(AssertionError, match="column 0 holds infinity"):
        ask_node(source, rows, tmp_path, require("node"), ["predict"])


def test_only_columns_that_are_weighed_are_asked_for():
    document = random_soft_document(1, axis=True, n_gates=1, n_classes=2, hostile=False)
    tree = SoftTree.from_dict(document)
    form = SoftForm(document)
    (name,) = [column.column["name"] for column in form.columns]
    others = {column["name"] for column in document["columns"]} - {name}
    for source in (tree.to_python(), tree.to_c(), tree.to_javascript(), tree.to_sql()):
        assert name in source
        assert not any(other in source for other in others)
    assert [entry["column"] for entry in listing_of(tree.to_onnx())] == [name]


@pytest.mark.parametrize("name", sorted(SOFT_EXPORTERS))
def test_a_method_has_the_signature_of_its_exporter(name):
    method = inspect.signature(getattr(SoftTree, f"to_{name}"))
    function = inspect.signature(SOFT_EXPORTERS[name].load())
    assert list(method.parameters.values())[1:] == list(function.parameters.values())[1:]
    assert method.return_annotation == function.return_annotation
    assert SOFT_EXPORTERS[name].summary.rstrip(".") in getattr(SoftTree, f"to_{name}").__doc__


def test_every_method_that_exports_is_registered():
    public = {name[3:] for name in vars(SoftExports) if name.startswith("to_")}
    assert public - {"dict"} == set(SOFT_EXPORTERS)


def test_names_that_a_language_has_are_refused():
    tree = SoftTree.from_dict(random_soft_document(0))
    for export, name, language in (
        (tree.to_python, "import", "Python"),
        (tree.to_c, "exp", "C"),
        (tree.to_javascript, "Math", "JavaScript"),
    ):
        with pytest.raises(ValueError, match=f"name must be an identifier of {language}"):
            export(name=name)
    with pytest.raises(ValueError, match="form must be one of"):
        tree.to_javascript(form="amd")


@pytest.mark.parametrize("seed", range(3))
def test_no_line_of_javascript_holds_markup(seed):
    source = SoftTree.from_dict(random_soft_document(seed)).to_javascript()
    for mark in ("</", "<script", "<img", "<!--", "\r", "\u2028", "\u202e"):
        assert mark not in source
