"""ONNX models, run by onnxruntime."""

import builtins

import numpy as np
import pytest
from engine_documents import columns_asked
from onnx.reference import ReferenceEvaluator
from onnx_runs import feed_of, listing_of, run, session_of
from thoroughness import tries

from thriftree.testing.random_documents import HOSTILE_TEXTS, frame_of, random_document, random_rows
from thriftree.tree import Tree


def assert_agreement(document, rows, outputs):
    tree, frame = Tree.from_dict(document), frame_of(document, rows)
    wanted = tree.predict(frame).tolist()
    if document["classes"] is None:
        assert outputs["variable"][:, 0].tolist() == wanted
    else:
        assert outputs["label"].tolist() == wanted
        assert [type(label) for label in outputs["label"].tolist()] == [type(label) for label in wanted]
        assert (outputs["probabilities"] == tree.predict_proba(frame)).all()


@pytest.mark.parametrize("seed", range(tries(40, 15)))
def test_the_model_decides_every_row_as_the_tree_does(seed):
    document = random_document(seed, n_tests=seed % 13)
    rows = random_rows(document, seed, 500)
    model = Tree.from_dict(document).to_onnx(missing_inputs=True)
    assert_agreement(document, rows, run(model, rows))


@pytest.mark.parametrize("seed", range(10))
def test_the_reference_runtime_of_onnx_decides_as_the_tree_does(seed):
    document = random_document(seed + 50, n_tests=8)
    rows = random_rows(document, seed, 60)
    model = Tree.from_dict(document).to_onnx(missing_inputs=True)
    names = [output.name for output in model.graph.output]
    outputs = ReferenceEvaluator(model).run(None, feed_of(model, rows))
    assert_agreement(document, rows, dict(zip(names, outputs, strict=True)))


@pytest.mark.full
@pytest.mark.parametrize("n_classes", [0, 2, 5])
@pytest.mark.parametrize("seed", range(100, 130))
def test_the_model_decides_ten_thousand_rows_as_the_tree_does(seed, n_classes):
    document = random_document(seed, n_tests=25, n_columns=8, n_classes=n_classes)
    rows = random_rows(document, seed, 10_000)
    model = Tree.from_dict(document).to_onnx(missing_inputs=True)
    assert_agreement(document, rows, run(model, rows))


@pytest.mark.parametrize("seed", range(20))
def test_without_missing_inputs_an_empty_text_is_missing_unless_it_is_a_category(seed):
    document = random_document(seed, n_tests=8)
    rows = random_rows(document, seed, 500)
    for column in columns_asked(document):
        known = column.get("categories", ())
        values = rows[column["name"]]
        if "" in known or (known and isinstance(known[0], (int, bool)) and not isinstance(known[0], str)):
            rows[column["name"]] = [known[0] if value is None else value for value in values]
        elif known and isinstance(known[0], str):
            rows[column["name"]] = [None if value == "" else value for value in values]
    model = Tree.from_dict(document).to_onnx()
    assert all(entry["missing_input"] is None for entry in listing_of(model))
    assert_agreement(document, rows, run(model, rows))


def test_cuts_are_compared_as_64_bit_floats_up_to_the_last_bit():
    cut = 0.1 + 0.2
    document = _stump(cut)
    model = Tree.from_dict(document).to_onnx()
    values = [cut, np.nextafter(cut, 1), np.nextafter(cut, 0), 0.3, np.inf, -np.inf, None]
    assert run(model, {"x": values})["label"].tolist() == ["low", "high", "low", "low", "high", "low", "high"]
    assert np.float32(cut) == np.float32(np.nextafter(cut, 1))  # which 32 bits would not tell apart


def test_only_columns_that_are_tested_are_inputs_and_they_have_the_types_of_their_values():
    document = _stump(1.5)
    document["columns"] += [
        {"name": "unused", "kind": "number"},
        {"name": "colour", "kind": "category", "categories": ["blue", "red"]},
        {"name": "size", "kind": "ordered", "categories": [3, 5]},
        {"name": "flag", "kind": "category", "categories": [False, True]},
    ]
    for column, child in zip((2, 3, 4), (1, 1, 1), strict=True):
        nodes = document["nodes"]
        test = {"column": column, "kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1}
        below = [dict(node) for node in nodes]
        for node in below:
            if "children" in node:
                node["children"] = [c + 1 for c in node["children"]]
        leaf = dict(nodes[child], label=1)
        leaf.pop("test", None)
        leaf.pop("children", None)
        document["nodes"] = [{**nodes[0], "test": test, "children": [1, len(below) + 1]}, *below, leaf]
    inputs = session_of(Tree.from_dict(document).to_onnx()).get_inputs()
    assert {given.name: given.type for given in inputs} == {
        "x": "tensor(double)",
        "colour": "tensor(string)",
        "size": "tensor(int64)",
        "flag": "tensor(bool)",
    }
    assert all(given.shape == ["rows", 1] for given in inputs)


@pytest.mark.parametrize("name", [*HOSTILE_TEXTS, "label", "probabilities", "less", "cuts", "input_0"])
def test_any_column_name_can_be_an_input(name):
    document = _stump(0.5, name)
    model = Tree.from_dict(document).to_onnx()
    (entry,) = listing_of(model)
    assert entry["column"] == name
    assert entry["input"] == ("input_0" if name in ("", "label", "probabilities") else name)
    assert run(model, {name: [0.0, 1.0]})["label"].tolist() == ["low", "high"]


def test_a_made_up_name_never_takes_a_columns_own():
    document = random_document(4, n_columns=3, n_tests=9, kinds=("number",), hostile=False, n_classes=2)
    for column, name in zip(document["columns"], ("", "input_0", "label"), strict=True):
        column["name"] = name
    listing = listing_of(Tree.from_dict(document).to_onnx())
    assert [entry["column"] for entry in listing] == ["", "input_0", "label"]
    assert [entry["input"] for entry in listing] == ["input_0_2", "input_0", "input_2"]


def test_a_tree_that_is_one_leaf_needs_a_column_to_count_rows():
    document = random_document(1, n_tests=0, n_classes=3, hostile=False)
    rows = random_rows(document, 1, 7)
    model = Tree.from_dict(document).to_onnx(missing_inputs=True)
    assert len(listing_of(model)) == 1
    assert_agreement(document, rows, run(model, rows))


def test_a_column_of_no_known_categories_can_be_asked_whether_it_is_missing():
    document = _stump(0.5)
    document["columns"][0] = {"name": "x", "kind": "category", "categories": []}
    document["nodes"][0]["test"].update(keys=[], to=[0])
    for model in (Tree.from_dict(document).to_onnx(), Tree.from_dict(document).to_onnx(missing_inputs=True)):
        assert run(model, {"x": ["a", None]})["label"].tolist() == ["low", "high"]


def test_no_rows_give_no_answers():
    session = session_of(Tree.from_dict(_stump(0.5)).to_onnx())
    label, probabilities = session.run(None, {"x": np.zeros((0, 1))})
    assert label.shape == (0,)
    assert probabilities.shape == (0, 2)


def test_a_chain_of_a_thousand_tests_is_followed_to_its_end():
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0}
    nodes = []
    for k in range(1000):
        test = {"column": 0, "kind": "ordered", "keys": [float(k)], "to": [0, 1], "missing": 1, "other": 0}
        nodes += [
            {**leaf, "value": [0.0, 0.0], "test": test, "children": [2 * k + 1, 2 * k + 2]},
            {**leaf, "value": [float(k), 0.0]},
        ]
    nodes.append({**leaf, "value": [-1.0, 0.0]})
    document = {**_stump(0.0), "classes": None, "nodes": nodes}
    values = [-5.0, 0.0, 0.5, 998.5, 999.0, 999.5, None]
    answers = run(Tree.from_dict(document).to_onnx(), {"x": values})["variable"][:, 0]
    assert answers.tolist() == [0.0, 0.0, 1.0, 999.0, 999.0, -1.0, -1.0]


def test_labels_of_several_types_are_refused_with_the_place():
    mixed = random_document(1, n_tests=0, n_classes=2)
    mixed["classes"] = ["a", 1]
    with pytest.raises(ValueError, match=r"the target has labels of several types \(int, str\)"):
        Tree.from_dict(mixed).to_onnx()
    document = _stump(0.5)
    document["columns"][0] = {"name": "x", "kind": "ordered", "categories": ["a", 1]}
    with pytest.raises(ValueError, match=r"column 'x' has labels of several types"):
        Tree.from_dict(document).to_onnx()


def test_integers_beyond_64_bits_are_refused_with_the_place():
    document = _stump(0.5)
    document["classes"] = [1, 2**63]
    with pytest.raises(ValueError, match="the target has integer labels beyond ONNX's int64"):
        Tree.from_dict(document).to_onnx()


def test_half_a_surrogate_pair_is_refused_with_the_place():
    with pytest.raises(ValueError, match=r"the column name .* is not valid Unicode"):
        Tree.from_dict(_stump(0.5, "\ud800")).to_onnx()


def test_without_onnx_the_error_names_the_extra(monkeypatch):
    real = builtins.__import__

    def absent(name, *rest):
        if name == "onnx":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"pip install 'thriftree\[onnx\]'"):
        Tree.from_dict(_stump(0.5)).to_onnx()


def _stump(cut, name="x"):
    seen = {"rows": 2, "objects": 2, "weight": 2.0, "impurity": 0.5}
    test = {"column": 0, "kind": "ordered", "keys": [cut], "to": [0, 1], "missing": 1, "other": 0}
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": name, "kind": "number"}],
        "classes": ["low", "high"],
        "nodes": [
            {**seen, "value": [1.0, 1.0], "label": 0, "test": test, "children": [1, 2]},
            {**seen, "value": [1.0, 0.0], "label": 0},
            {**seen, "value": [0.0, 1.0], "label": 1},
        ],
    }
