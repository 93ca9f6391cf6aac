"""PMML: read by an interpreter of our own, and in the full run by JPMML and the standard's schema."""

import gc
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from engine_documents import columns_asked
from pmml_reader import PmmlTree
from thoroughness import tries

from thriftree.export.xml_text import NOT_XML
from thriftree.testing.random_documents import HOSTILE_TEXTS, frame_of, random_document, random_rows
from thriftree.tree import Tree


def texts_of(document):
    for column in columns_asked(document):
        yield column["name"]
        yield from (label for label in column.get("categories", ()) if isinstance(label, str))
    yield from (label for label in document["classes"] or () if isinstance(label, str))


def writable_document(seed, **options):
    """A random tree without characters that XML cannot hold."""
    for tried in range(seed * 1000, (seed + 1) * 1000):
        document = random_document(tried, **options)
        if not any(NOT_XML.search(text) for text in texts_of(document)):
            return document
    raise AssertionError("every tree has control characters")


@pytest.mark.parametrize("seed", range(tries(40, 15)))
def test_the_predicates_decide_every_row_as_the_tree_does(seed):
    document = writable_document(seed, n_tests=seed % 13)
    rows = random_rows(document, seed, 150)
    tree, frame = Tree.from_dict(document), frame_of(document, rows)
    pmml = PmmlTree(tree.to_pmml())
    columns = [rows[column["name"]] for column in columns_asked(document)]
    leaves = [
        pmml.leaf({name: values[i] for name, values in zip(pmml.inputs, columns, strict=True)})
        for i in range(150)
    ]
    assert [int(leaf.get("id")) for leaf in leaves] == tree.apply(frame).tolist()
    answers, wanted = [pmml.answer(leaf) for leaf in leaves], tree.predict(frame).tolist()
    assert answers == wanted
    assert [type(answer) for answer in answers] == [type(answer) for answer in wanted]
    if document["classes"] is not None:
        assert [pmml.shares(leaf) for leaf in leaves] == tree.predict_proba(frame).tolist()


_JAVA_FINDERS: list[Any] = []


@pytest.fixture
def java_imports():
    """Packages of Java can be imported inside alone: some have names of Python's, such as dill. And Java
    hears of Python's garbage inside alone: in a process that is forked off later there is no Java to answer,
    so that the first collection there would wait for ever.
    """
    before, heard = list(sys.meta_path), list(gc.callbacks)
    sys.meta_path += _JAVA_FINDERS
    yield
    gc.callbacks[:] = heard
    _JAVA_FINDERS[:] = [finder for finder in sys.meta_path if finder not in before]
    sys.meta_path[:] = before


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # of the Java bridge
@pytest.mark.usefixtures("java_imports")
@pytest.mark.parametrize("n_classes", [0, 2, 5])
def test_jpmml_decides_ten_thousand_rows_as_the_tree_does(n_classes, tmp_path, require):
    require("java")
    from jpmml_evaluator import make_evaluator

    for seed in range(12):
        document = writable_document(seed + 200, n_tests=20, n_classes=n_classes)
        rows = random_rows(document, seed, 10_000)
        tree, frame = Tree.from_dict(document), frame_of(document, rows)
        path = tmp_path / f"{seed}.pmml"
        path.write_text(tree.to_pmml(), encoding="utf-8")
        pmml = PmmlTree(path.read_text(encoding="utf-8"))
        columns = [pd.Series(rows[column["name"]], dtype=object) for column in columns_asked(document)]
        scored = (
            make_evaluator(str(path))
            .verify()
            .evaluateAll(pd.DataFrame(dict(zip(pmml.inputs, columns, strict=True))))
        )
        assert scored[pmml.outputs[-1].get("name")].astype(int).tolist() == tree.apply(frame).tolist()
        assert scored[pmml.target].tolist() == tree.predict(frame).tolist()
        if n_classes:
            names = [output.get("name") for output in pmml.outputs[:-1]]
            assert np.abs(scored[names].to_numpy(float) - tree.predict_proba(frame)).max() < 1e-15


@pytest.mark.full
def test_documents_keep_to_the_schema_of_the_standard():
    import jpmml_evaluator
    from lxml import etree

    jars = (Path(jpmml_evaluator.__file__).parent / "dependencies").glob("pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(next(jars)) as jar:
        schema = etree.XMLSchema(etree.fromstring(jar.read("pmml.xsd")))
    for seed in range(100):
        document = writable_document(seed, n_tests=seed % 13)
        schema.assertValid(etree.fromstring(Tree.from_dict(document).to_pmml()))


@pytest.mark.parametrize("text", [text for text in HOSTILE_TEXTS if not NOT_XML.search(text)])
def test_names_and_labels_come_back_as_they_are(text):
    document = _tree_of_categories([text, "a\\", 'a\\"', "plain"])
    document["columns"][0]["name"] = text
    document["classes"] = [text, "plain", "a\\", 'a\\"']
    pmml = PmmlTree(Tree.from_dict(document).to_pmml())
    assert pmml.inputs == [text or "column_0"]
    for value in [text, "a\\", 'a\\"', "plain", "other", None]:
        expected = Tree.from_dict(document).predict(frame_of(document, {text: [value]}))[0]
        assert pmml.answer(pmml.leaf({pmml.inputs[0]: value})) == expected


def test_sets_of_plain_texts_are_arrays():
    document = _tree_of_categories(["x y", 'say "no"', "c", "d"])
    pmml = Tree.from_dict(document).to_pmml()
    array, *_ = ElementTree.fromstring(pmml).iter("{http://www.dmg.org/PMML-4_4}Array")
    assert array.text == '"x y" "say \\"no\\""'


def test_control_characters_are_refused_with_the_place():
    document = _tree_of_categories(["\x07bell", "b", "c", "d"])
    with pytest.raises(
        ValueError, match=r"the category '\\x07bell' of column 'x' holds a character that XML"
    ):
        Tree.from_dict(document).to_pmml()


def test_the_target_has_the_name_that_was_asked_for_unless_a_column_has_it():
    document = _tree_of_categories(["a", "b", "c", "d"])
    assert PmmlTree(Tree.from_dict(document).to_pmml()).target == "target"
    assert PmmlTree(Tree.from_dict(document).to_pmml(target="sick")).target == "sick"
    assert PmmlTree(Tree.from_dict(document).to_pmml(target="x")).target == "x_2"
    for wrong in ("", 5):
        with pytest.raises(ValueError, match=f"target must be a name that XML can hold, not {wrong!r}"):
            Tree.from_dict(document).to_pmml(target=wrong)


def test_large_integers_are_doubles_and_larger_ones_are_refused():
    document = _tree_of_categories([2**40, 2**40 + 1, 5, 7])
    pmml = PmmlTree(Tree.from_dict(document).to_pmml())
    assert pmml.fields["x"].get("dataType") == "double"
    assert pmml.answer(pmml.leaf({"x": 2.0**40 + 1})) == "k0"
    assert pmml.answer(pmml.leaf({"x": 2.0**40 + 2})) == "k3"
    document["columns"][0]["categories"][0] = 2**53 + 1
    with pytest.raises(ValueError, match=r"column 'x' has integer labels beyond 2\^53"):
        Tree.from_dict(document).to_pmml()


def test_a_tree_of_any_depth_is_written():
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [0.0, 0.0]}
    nodes = []
    for k in range(3000):
        test = {"column": 0, "kind": "ordered", "keys": [float(k)], "to": [0, 1], "missing": 1, "other": 0}
        nodes += [{**leaf, "test": test, "children": [2 * k + 1, 2 * k + 2]}, leaf]
    document = {**_tree_of_categories(["a"] * 4), "classes": None, "nodes": [*nodes, leaf]}
    document["columns"] = [{"name": "x", "kind": "number"}]
    assert Tree.from_dict(document).to_pmml().count("<Node ") == 6001


def _tree_of_categories(categories):
    """Three leaves: for the first two categories, for the third and missing values, and for the rest."""
    seen = {"rows": 2, "objects": 2, "weight": 2.0, "impurity": 0.5, "value": [1.0, 1.0, 0.0, 0.0]}
    test = {"column": 0, "kind": "category", "keys": [0, 1, 2], "to": [0, 0, 1], "missing": 1, "other": 2}
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": "x", "kind": "category", "categories": categories}],
        "classes": ["k0", "k1", "k2", "k3"],
        "nodes": [
            {**seen, "label": 0, "test": test, "children": [1, 2, 3]},
            {**seen, "label": 0},
            {**seen, "label": 1},
            {**seen, "label": 3},
        ],
    }
