"""Fitted scikit-learn trees, and the libraries that read those."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.tree._tree
from engine_documents import columns_asked, numeric_document
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor
from thriftree.testing.random_documents import frame_of, random_rows
from thriftree.tree import Tree


def matrix_of(document, rows):
    """The rows as numbers; a column of texts, which is not tested, is zeros."""
    columns = [rows[column["name"]] for column in document["columns"]]
    return np.array(
        [
            np.zeros(len(values))
            if any(isinstance(value, str) for value in values)
            else [math.nan if value is None else float(value) for value in values]
            for values in columns
        ]
    ).T


def assert_agreement(document, rows):
    tree, frame = Tree.from_dict(document), frame_of(document, rows)
    model = tree.to_sklearn()
    X = pd.DataFrame(matrix_of(document, rows), columns=[column["name"] for column in document["columns"]])
    assert model.predict(X).tolist() == tree.predict(frame).tolist()
    assert model.thriftree_nodes_[model.apply(X)].tolist() == tree.apply(frame).tolist()
    if document["classes"] is not None:
        assert (model.predict_proba(X) == tree.predict_proba(frame)).all()


@pytest.mark.parametrize("seed", range(tries(60, 20)))
def test_32_bit_numbers_are_decided_as_the_tree_decides_them(seed):
    kinds = ("number",) if seed % 2 else ("number", "ordered", "category")
    document = numeric_document(seed, n_tests=seed % 9, kinds=kinds)
    assert_agreement(document, random_rows(document, seed, 400, infinite=False, float32=True))


@pytest.mark.full
@pytest.mark.parametrize("n_classes", [0, 2, 5])
@pytest.mark.parametrize("seed", range(100, 130))
def test_ten_thousand_rows_are_decided_as_the_tree_decides_them(seed, n_classes):
    document = numeric_document(seed, n_tests=12, n_classes=n_classes)
    assert_agreement(document, random_rows(document, seed, 10_000, infinite=False, float32=True))


def test_the_random_trees_have_what_is_hard_for_scikit_learn():
    documents = [numeric_document(seed, n_tests=8) for seed in range(20)]
    tests = [node["test"] for document in documents for node in document["nodes"] if "test" in node]
    assert any(len(set(test["to"])) < len(test["to"]) - 1 for test in tests)  # children to copy
    assert any(test["missing"] not in test["to"] for test in tests)  # a child for missing values alone
    assert any("categories" in column for document in documents for column in columns_asked(document))


@pytest.mark.parametrize("seed", range(10))
def test_a_binary_tree_of_cuts_keeps_its_nodes_counts_and_importances(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) + rng.normal(size=120) > 0, "yes", "no")
    ours = CARTClassifier(max_leaves=9).fit(X, y)
    model = ours.tree_.to_sklearn()
    document = ours.tree_.to_dict()
    assert model.thriftree_nodes_.tolist() == list(range(ours.tree_.n_nodes))
    assert model.tree_.n_node_samples.tolist() == [node["rows"] for node in document["nodes"]]
    assert model.tree_.max_depth == ours.tree_.depth
    assert model.feature_importances_ == pytest.approx(ours.feature_importances_)
    assert (model.decision_path(X) != ours.decision_path(X)).nnz == 0
    assert not hasattr(model, "feature_names_in_")


def test_a_regression_tree_keeps_means_spreads_and_importances():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)).astype(np.float32), columns=list("abc"))
    y = X["a"].round() * 3 + rng.normal(size=200)
    ours = CARTRegressor(max_leaves=8).fit(X, y)
    model = ours.tree_.to_sklearn()
    assert isinstance(model, DecisionTreeRegressor)
    assert (model.predict(X) == ours.predict(X)).all()
    assert model.feature_importances_ == pytest.approx(ours.feature_importances_)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_test_of_several_branches_becomes_comparisons_whose_counts_add_up():
    document = _tree([10, 20, 30], {"keys": [0.0, 1.0], "to": [0, 1, 2], "missing": 1, "other": 0})
    tree = Tree.from_dict(document).to_sklearn().tree_
    assert tree.threshold[tree.feature >= 0].tolist() == [0.0, 1.0]
    assert tree.n_node_samples.tolist() == [60, 10, 50, 20, 30]
    assert tree.value[2, 0].tolist() == pytest.approx([0.0, 20 / 50, 30 / 50])
    assert tree.missing_go_to_left.tolist()[:3] == [0, 0, 1]


def test_copies_of_a_child_share_its_rows():
    document = _tree([10, 21], {"keys": [0.0, 1.0], "to": [0, 1, 0], "missing": 1, "other": 0})
    model = Tree.from_dict(document).to_sklearn()
    leaves = model.tree_.feature < 0
    assert model.thriftree_nodes_[leaves].tolist() == [1, 2, 1]
    assert model.tree_.weighted_n_node_samples[leaves].tolist() == [5.0, 21.0, 5.0]


def test_missing_values_alone_are_separated_below_infinity_as_scikit_learn_does():
    document = _tree([10, 20], {"keys": [], "to": [0], "missing": 1, "other": 0})
    model = Tree.from_dict(document).to_sklearn()
    assert model.tree_.threshold[0] == math.inf
    assert model.predict([[1e30], [math.nan]]).tolist() == [0, 1]


def test_a_test_of_texts_is_refused_with_node_column_and_remedy():
    document = _tree([10, 20], {"kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1})
    document["columns"][0] = {"name": "thal", "kind": "category", "categories": ["fixed", "normal"]}
    with pytest.raises(
        ValueError, match=r"node 0 tests column 'thal', whose category 'fixed' is a text.*ONNX"
    ):
        Tree.from_dict(document).to_sklearn()


def test_categories_beyond_32_bit_floats_are_refused():
    document = _tree([10, 20], {"kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1})
    document["columns"][0] = {"name": "code", "kind": "category", "categories": [16777217, 16777219]}
    with pytest.raises(ValueError, match=r"node 0 tests column 'code', whose category 16777217 is no 32-bit"):
        Tree.from_dict(document).to_sklearn()


def test_a_leaf_that_does_not_predict_its_heaviest_class_is_refused():
    document = _tree([10, 20], {"keys": [0.0], "to": [0, 1], "missing": 1, "other": 0})
    document["nodes"][2]["label"] = 0
    with pytest.raises(ValueError, match=r"node 2 predicts 0, but .* heaviest class, here 1"):
        Tree.from_dict(document).to_sklearn()


def test_class_labels_keep_their_type_and_letters():
    document = _tree([10, 20], {"keys": [0.0], "to": [0, 1], "missing": 1, "other": 0})
    for classes in (["a", "a\0"], [False, True], [1, "one"], [{"float": 1.0}, 2]):
        document["classes"] = classes
        tree = Tree.from_dict(document)
        wanted = tree.predict([[-1.0], [1.0]]).tolist()
        found = tree.to_sklearn().predict([[-1.0], [1.0]]).tolist()
        assert [(type(label), label) for label in found] == [(type(label), label) for label in wanted]


def test_a_scikit_learn_with_other_nodes_is_refused(monkeypatch):
    class Changed(sklearn.tree._tree.Tree):
        def __getstate__(self):
            nodes = np.zeros(0, [("left_child", int), ("category_mask", int)])
            return {**super().__getstate__(), "nodes": nodes}

    monkeypatch.setattr(sklearn.tree._tree, "Tree", Changed)
    document = _tree([10, 20], {"keys": [0.0], "to": [0, 1], "missing": 1, "other": 0})
    with pytest.raises(RuntimeError, match="category_mask"):
        Tree.from_dict(document).to_sklearn()


def test_a_tree_that_copies_blow_up_is_refused(monkeypatch):
    monkeypatch.setattr("thriftree.export.sklearn_nodes.MOST_NODES", 4)
    document = _tree([10, 20, 30], {"keys": [0.0, 1.0], "to": [0, 1, 2], "missing": 1, "other": 0})
    with pytest.raises(ValueError, match="more than 4 nodes"):
        Tree.from_dict(document).to_sklearn()


@pytest.mark.parametrize("n_classes", [0, 3])
def test_a_forest_of_the_tree_predicts_the_same(n_classes):
    document = numeric_document(7, n_tests=8, n_classes=n_classes, hostile=False)
    rows = random_rows(document, 7, 300, infinite=False, float32=True)
    X = pd.DataFrame(matrix_of(document, rows), columns=[column["name"] for column in document["columns"]])
    tree = Tree.from_dict(document)
    forest = tree.to_sklearn(forest=True)
    assert isinstance(forest, RandomForestClassifier if n_classes else RandomForestRegressor)
    assert forest.predict(X).tolist() == tree.to_sklearn().predict(X).tolist()


def test_the_model_can_be_copied_pickled_written_and_drawn():
    document = numeric_document(5, n_tests=6, n_classes=2, hostile=False)
    model = Tree.from_dict(document).to_sklearn()
    assert isinstance(model, DecisionTreeClassifier)
    X = pd.DataFrame(
        matrix_of(document, random_rows(document, 5, 50, infinite=False, float32=True)),
        columns=model.feature_names_in_,
    )
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert (twin.predict_proba(X) == model.predict_proba(X)).all()
    assert export_text(model, max_depth=100).count("class:") == (model.tree_.feature < 0).sum()
    assert len(plot_tree(model)) >= model.tree_.node_count


@pytest.mark.full
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_treelite_agrees_also_on_missing_values(n_classes):
    import treelite

    for seed in range(10):
        document = numeric_document(seed, n_tests=8, n_classes=n_classes, kinds=("number",))
        rows = random_rows(document, seed, 2_000, infinite=False, float32=True)
        X = matrix_of(document, rows)
        tree = Tree.from_dict(document)
        loaded = treelite.sklearn.import_model(tree.to_sklearn(forest=True))
        wanted = tree.predict_proba(X) if n_classes else tree.predict(X)[:, None]
        assert treelite.gtil.predict(loaded, X)[:, 0, :] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # shap's own
@pytest.mark.parametrize("n_classes", [0, 3])
def test_shap_values_add_up_to_the_prediction(n_classes):
    import shap

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).astype(np.float32)
    target = X[:, 0].round() if n_classes == 0 else np.digitize(X[:, 0] + X[:, 1], [-1, 1])
    ours = (CARTClassifier if n_classes else CARTRegressor)(max_leaves=8).fit(X, target)
    explainer = shap.TreeExplainer(ours.tree_.to_sklearn())
    sums = explainer.shap_values(X).sum(axis=1) + explainer.expected_value
    assert sums == pytest.approx(ours.predict_proba(X) if n_classes else ours.predict(X))


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # dtreeviz's own
def test_dtreeviz_finds_the_leaves_and_their_rows():
    import dtreeviz

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 3)), columns=["a", "b", "c"])
    y = (X["a"] + rng.normal(size=100) > 0).astype(int)
    ours = CARTClassifier(max_leaves=5).fit(X, y)
    model = ours.tree_.to_sklearn()
    shown = dtreeviz.model(
        model, X, y, feature_names=list(X.columns), target_name="sick", class_names=["no", "yes"]
    )
    leaves = {leaf.id: leaf.nsamples() for leaf in shown.shadow_tree.leaves}
    assert leaves == dict(zip(*np.unique(ours.apply(X), return_counts=True), strict=True))
    row = X.iloc[0].to_numpy()
    assert [node.id for node in shown.shadow_tree.predict_path(row)][-1] == ours.apply(X)[0]


def _tree(leaf_rows, test):
    """A root with one class a leaf, so many rows each."""
    n = len(leaf_rows)
    shared = {"impurity": 0.0}
    nodes = [
        {
            "rows": sum(leaf_rows),
            "objects": sum(leaf_rows),
            "weight": float(sum(leaf_rows)),
            "value": [float(rows) for rows in leaf_rows],
            "label": leaf_rows.index(max(leaf_rows)),
            "test": {"column": 0, "kind": "ordered", **test},
            "children": list(range(1, n + 1)),
            **shared,
        }
    ]
    for k, rows in enumerate(leaf_rows):
        value = [float(rows) if j == k else 0.0 for j in range(n)]
        counts = {"rows": rows, "objects": rows, "weight": float(rows)}
        nodes.append({**counts, "value": value, "label": k, **shared})
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": "x0", "kind": "number"}],
        "classes": list(range(n)),
        "nodes": nodes,
    }
