"""Model files that were made to harm: memory and work stay in proportion to the file and the rows."""

import json
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from command import refused, run

from thriftree import CARTClassifier, TestCosts, Tree, load

MB = 1 << 20


def tree_of(classes: list, **more) -> dict:
    """One question, of x; the second class is said of large x."""
    here = {"rows": 2, "objects": 2, "weight": 2, "value": [1, 1] + [0] * (len(classes) - 2), "label": 0}
    test = {"column": 0, "kind": "ordered", "keys": [0.5], "to": [0, 1], "missing": 0, "other": 0}
    nodes = [here | {"impurity": 0, "test": test, "children": [1, 2]}]
    nodes += [here | {"impurity": 0, "label": label} for label in (0, 1)]
    form = {"format": "thriftree-tree", "version": 1, "columns": [{"name": "x", "kind": "number"}]}
    return form | {"classes": classes, "nodes": nodes} | more


def peak_mb(work: Callable[[], object]) -> float:
    work()  # what is imported once
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()


@pytest.fixture
def rows(file):
    return file("x\n" + "0\n" * 60_000 + "1\n" * 10)


def test_a_long_name_of_a_class_takes_room_only_where_it_is_said(file, rows, tmp_path):
    tree = file(json.dumps(tree_of(["a", "b" * 20_000])), "tree.json")
    out = tmp_path / "out.csv"
    assert peak_mb(lambda: run("predict", tree, rows, "-o", out)) < 40
    said = out.read_text().splitlines()
    assert (said.count("a"), said.count("b" * 20_000)) == (60_000, 10)


def test_many_classes_are_answered_few_rows_at_a_time(file, tmp_path):
    tree = file(json.dumps(tree_of([f"class {k}" for k in range(500)])), "tree.json")
    out = tmp_path / "out.parquet"
    rows = file("x\n" + "0\n" * 40_000)
    # 40,000 rows of 500 shares are 160 MB.
    assert peak_mb(lambda: run("predict", tree, rows, "--proba", "-o", out)) < 80


def test_names_for_shares_are_told_apart_in_one_pass(monkeypatch):
    from thriftree.cli.predict import _share_names

    class Label(str):
        n_comparisons = 0

        def __eq__(self, other):
            Label.n_comparisons += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    assert _share_names([1, "1", 2]) == ["probability_1_0", "probability_1_1", "probability_2"]
    names = _share_names([Label(k) for k in range(2_000)])
    assert names[-1] == "probability_1999"
    assert Label.n_comparisons < 10_000


@pytest.mark.parametrize(("value", "times"), [("[]", 500_000), ("0", 200_000)], ids=["lists", "numbers"])
def test_settings_of_very_many_values_are_refused_before_they_are_copied(file, value, times):
    document = json.dumps(tree_of(["a", "b"], settings={"junk": "here"}))
    document = document.replace('"here"', f"[{','.join([value] * times)}]")
    path = file(document, "tree.json")
    message = refused("explain", path, "--set", "x=1")
    assert "$.settings: holds more than the 131072 values that are read" in message
    assert peak_mb(lambda: refused("explain", path, "--set", "x=1")) < 30 * len(document) / MB + 30


def test_labels_of_great_length_are_objects_that_share_their_texts():
    labels = np.array(["a", "b" * 20_000])
    X = np.zeros((50_000, 1))
    model = CARTClassifier().fit([[0], [1]], labels)
    for predict in (model.predict, model.tree_.predict):
        assert peak_mb(lambda predict=predict: predict(X)) < 20
        assert predict([[0], [1]]).tolist() == labels.tolist()


def test_short_labels_keep_the_type_that_numpy_gives_them(tmp_path):
    model = CARTClassifier().fit([[0], [1]], np.array(["a", "bc"]))
    assert model.predict([[0]]).dtype == model.tree_.predict([[0]]).dtype == np.dtype("<U2")
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").predict([[1]]).dtype == np.dtype("<U2")


def test_many_prices_are_read_and_far_too_many_refused(monkeypatch):
    prices = TestCosts({"x": 1.0}).to_dict()
    assert Tree.from_dict(tree_of(["a", "b"], prices=prices)).worst_case_cost() == 1
    monkeypatch.setattr("thriftree.document.read.MAX_PRICES", 1)
    with pytest.raises(ValueError, match=r"\$\.prices: holds more than the 1 values"):
        Tree.from_dict(tree_of(["a", "b"], prices=prices))
