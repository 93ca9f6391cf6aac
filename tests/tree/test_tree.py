"""The tree as users hold it: predictions from tables, costs, files, copies."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy.sparse import csr_matrix
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tree_documents import column_inputs, cuts_of, documents, path

from thriftree.columns import ColumnSchema
from thriftree.document.checks import TreeFormatError
from thriftree.tree import Tree

QUICK = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def from_sklearn(estimator: Any, classes: list[Any] | None) -> Tree:
    """The same tree in our form: scikit-learn sends missing values right where it saw none."""
    fitted = estimator.tree_
    nodes: list[dict[str, Any]] = []

    def add(i: int) -> int:
        number = len(nodes)
        rows = int(fitted.n_node_samples[i])
        values = fitted.value[i, 0].tolist()
        node: dict[str, Any] = {"rows": rows, "objects": rows, "weight": float(rows), "impurity": 0.0}
        node["value"] = [v * rows for v in values] if classes else [values[0], float(fitted.impurity[i])]
        if classes:
            node["label"] = int(np.argmax(values))
        nodes.append(node)
        if fitted.children_left[i] >= 0:
            column, cut = int(fitted.feature[i]), float(fitted.threshold[i])
            node["test"] = {
                "column": column,
                "kind": "ordered",
                "keys": [cut],
                "to": [0, 1],
                "missing": 1,
                "other": 0,
            }
            node["children"] = [add(fitted.children_left[i]), add(fitted.children_right[i])]
        return number

    add(0)
    columns = [{"name": f"x{i}", "kind": "number"} for i in range(estimator.n_features_in_)]
    document = {
        "format": "thriftree-tree",
        "version": 1,
        "columns": columns,
        "classes": classes,
        "nodes": nodes,
    }
    return Tree.from_dict(document)


@pytest.fixture
def points() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(500, 4)).astype(np.float32)
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0, "same", "other")


def test_predictions_are_those_of_the_scikit_learn_tree(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = points
    theirs = DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, y)
    ours = from_sklearn(theirs, theirs.classes_.tolist())
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    paths = ours.decision_path(X, n_threads=2)
    assert isinstance(paths, csr_matrix)
    assert paths.has_canonical_format
    assert (paths != theirs.decision_path(X)).nnz == 0
    assert (ours.n_leaves, ours.depth) == (theirs.get_n_leaves(), theirs.get_depth())


def test_a_numeric_target_is_predicted_by_the_mean(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = points
    theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, X[:, 2] ** 2)
    ours = from_sklearn(theirs, None)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    assert ours.classes is None
    with pytest.raises(ValueError, match="no class probabilities"):
        ours.predict_proba(X)


def test_without_prices_every_test_on_the_path_costs_one(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = points
    tree = from_sklearn(DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y), ["other", "same"])
    tests = np.asarray(tree.decision_path(X).sum(axis=1)).ravel() - 1
    weight = np.arange(1.0, 501.0)
    np.testing.assert_array_equal(tree.predict_cost(X), tests)
    assert tree.expected_cost(X) == pytest.approx(tests.mean())
    assert tree.expected_cost(X, sample_weight=weight) == pytest.approx((tests * weight).sum() / weight.sum())
    assert tree.worst_case_cost() == tests.max() == 5.0


def test_smoothing_adds_to_every_class(points: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = points
    tree = from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y), ["other", "same"])
    weights = tree.core.value[tree.apply(X)]
    smooth = (weights + 1) / (weights.sum(axis=1, keepdims=True) + 2)
    np.testing.assert_allclose(tree.predict_proba(X, smoothing=1.0), smooth)
    with pytest.raises(ValueError, match="smoothing"):
        tree.predict_proba(X, smoothing=-1.0)
    n_classes = len(tree.classes or ())
    np.testing.assert_allclose(
        tree.predict_proba(X, smoothing=1e308), np.full((len(X), n_classes), 1 / n_classes)
    )


def test_a_leaf_without_weight_gives_classes_equal_shares(spec_document: dict[str, Any]) -> None:
    node = {**spec_document["nodes"][2], "value": [0.0, 0.0], "rows": 0, "objects": 0, "weight": 0.0}
    columns = [{"name": "x", "kind": "number"}]
    tree = Tree.from_dict({**spec_document, "prices": None, "columns": columns, "nodes": [node]})
    assert tree.predict_proba(np.zeros((1, 1))).tolist() == [[0.5, 0.5]]
    assert tree.worst_case_cost() == 0.0


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (["a", "b"], "U1"),
        ([3, 4], "int64"),
        ([False, True], "bool"),
        ([{"float": 0.5}, {"float": 1.0}], "float64"),
    ],
)
def test_predicted_labels_have_their_natural_type(
    spec_document: dict[str, Any], labels: Any, dtype: str
) -> None:
    columns = [{"name": "x", "kind": "number"}]
    one_leaf = {**spec_document, "prices": None, "classes": labels, "columns": columns}
    tree = Tree.from_dict({**one_leaf, "nodes": [spec_document["nodes"][6]]})
    predicted = tree.predict(np.zeros((2, 1)))
    assert predicted.dtype == np.dtype(dtype)
    assert predicted.tolist() == [(tree.classes or ())[1]] * 2


@pytest.mark.parametrize("labels", [["a", 1], ["a", "b\0"], [-1, 2**63]])
def test_labels_that_numpy_would_change_stay_objects(spec_document: dict[str, Any], labels: Any) -> None:
    columns = [{"name": "x", "kind": "number"}]
    one_leaf = {**spec_document, "prices": None, "classes": labels, "columns": columns}
    tree = Tree.from_dict({**one_leaf, "nodes": [spec_document["nodes"][6]]})
    (predicted,) = tree.predict(np.zeros((1, 1)))
    assert predicted == labels[1]
    assert type(predicted) is type(labels[1])


@QUICK
@given(documents())
def test_copies_and_pickles_are_equal_and_predict_the_same(document: dict[str, Any]) -> None:
    tree = Tree.from_dict(document)
    inputs = column_inputs(50, np.random.default_rng(0), cuts_of(document))
    for again in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
        assert again == tree
        assert again.core.apply(inputs).tolist() == [path(document, inputs, row)[-1] for row in range(50)]


def test_what_a_tree_gives_out_does_not_change_it(spec_tree: Tree, spec_document: dict[str, Any]) -> None:
    document = spec_tree.to_dict()
    document["prices"]["pay"] = "each"
    document["columns"][1]["categories"].clear()
    (spec_tree.prices or {}).clear()
    (spec_tree.settings or {})["params"].clear()
    assert spec_tree == Tree.from_dict(spec_document)
    with pytest.raises(AttributeError):
        spec_tree.depth = 3  # type: ignore[misc]


def test_a_saved_tree_loads_equal(spec_tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    spec_tree.save(file)
    spec_tree.save(str(file))
    assert Tree.load(file) == spec_tree
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree.json"]


def test_a_saved_file_has_the_permissions_of_any_new_file(spec_tree: Tree, tmp_path: Path) -> None:
    spec_tree.save(tmp_path / "tree.json")
    (tmp_path / "plain").touch()
    assert (tmp_path / "tree.json").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "tree.json").chmod(0o600)
    spec_tree.save(tmp_path / "tree.json")
    assert (tmp_path / "tree.json").stat().st_mode & 0o777 == 0o600


def test_a_failed_save_leaves_the_old_file(
    spec_tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tree.json"
    spec_tree.save(file)

    def full_disk(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        spec_tree.save(file)
    assert Tree.load(file) == spec_tree
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree.json"]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(TreeFormatError, match="not UTF-8"):
        Tree.load(tmp_path / "tree.json")


def test_columns_and_classes_must_fit_the_arrays(spec_tree: Tree) -> None:
    core, columns = spec_tree.core, spec_tree.columns
    with pytest.raises(ValueError, match="3 columns, but 1 were described"):
        Tree(core, [ColumnSchema("age", "number")], ["a", "b"])
    with pytest.raises(ValueError, match="2 classes, but 0 labels"):
        Tree(core, columns)
    with pytest.raises(ValueError, match="2 classes, but 3 labels"):
        Tree(core, columns, ["a", "b", "c"])


def test_the_representation_says_what_the_tree_is(spec_tree: Tree) -> None:
    assert repr(spec_tree) == "<Tree for 2 classes: 5 leaves, depth 2, 3 columns>"


def test_exporters_are_methods_with_documentation(spec_tree: Tree) -> None:
    assert "to_text" in dir(Tree)
    assert "thriftree.export.text.text_of" in (Tree.to_text.__doc__ or "")
    with pytest.raises(AttributeError):
        spec_tree.to_nothing()
