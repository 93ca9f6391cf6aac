"""Hierarchical shrinkage of a tree's answers: the paper's formula, labels that stay, files and edits."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.hierarchical_shrinkage import kept_by_label, shrunk_value
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor
from thriftree.document.answers import node_numbers, node_shares
from thriftree.document.checks import TreeFormatError
from thriftree.document.shrinkage import LEAST_LEAD
from thriftree.testing.random_documents import frame_of, random_document, random_rows
from thriftree.tree import Tree

MANY = settings(max_examples=tries(300, 40), deadline=None)
STRENGTHS = st.floats(1e-3, 1e6)


def table(seed: int, n_rows: int = 60, n_classes: int = 3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_rows, 3)).astype(float)
    y = np.where(
        rng.random(n_rows) < 0.6, X[:, 0].astype(int) % n_classes, rng.integers(0, n_classes, n_rows)
    )
    return X, y, rng.integers(1, 5, n_rows).astype(float)


def classifier(seed: int, **parameters: Any) -> Tree:
    X, y, weight = table(seed)
    return CARTClassifier(**{"max_leaves": 12, **parameters}).fit(X, y, weight).tree_


def path_to(tree: Tree, node: int) -> list[int]:
    path = [node]
    while path[-1]:
        path.append(int(tree.core.parent[path[-1]]))
    return path[::-1]


def shares_by_definition(tree: Tree, node: int, strength: float, smoothing: int = 0) -> list[Fraction]:
    path = path_to(tree, node)
    weights = [Fraction(float(tree.core.weight[one])) for one in path]
    found = []
    for k in range(len(tree.classes or ())):
        values = []
        for one in path:
            value = [Fraction(float(w)) + smoothing for w in tree.core.value[one]]
            values.append(value[k] / sum(value))
        found.append(shrunk_value(values, weights, Fraction(strength)))
    return found


@MANY
@given(st.integers(0, 10**6), STRENGTHS, st.sampled_from([0, 1]))
def test_probabilities_are_those_of_the_paper(seed: int, strength: float, smoothing: int) -> None:
    raw = classifier(seed, class_weight="balanced" if seed % 2 else None)
    tree = raw.with_shrinkage(strength, keeps_labels=False)
    shown = node_shares(tree.to_dict(), smoothing)
    for node in range(tree.n_nodes):
        expected = shares_by_definition(tree, node, strength, smoothing)
        np.testing.assert_allclose(shown[node], [float(share) for share in expected], rtol=0, atol=1e-13)


@MANY
@given(st.integers(0, 10**6), STRENGTHS)
def test_a_leaf_is_shrunk_only_as_far_as_its_label_stays_strictly_the_largest(
    seed: int, strength: float
) -> None:
    raw = classifier(seed)
    shown = node_shares(raw.with_shrinkage(strength).to_dict())
    for node in range(raw.n_nodes):
        label, value = int(raw.core.label[node]), raw.core.value[node]
        shares = [Fraction(float(w)) / Fraction(float(value.sum())) for w in value]
        drawn = shares_by_definition(raw, node, strength)
        expected = kept_by_label(shares, drawn, label, Fraction(LEAST_LEAD))
        np.testing.assert_allclose(shown[node], [float(share) for share in expected], rtol=0, atol=1e-12)
        if np.count_nonzero(value == value.max()) == 1:
            assert all(shown[node][label] > share for k, share in enumerate(shown[node]) if k != label)
        assert int(shown[node].argmax()) == label


@MANY
@given(st.integers(0, 10**6), st.integers(0, 5), STRENGTHS)
def test_shares_stay_probabilities_whatever_a_file_counts(seed: int, n_classes: int, strength: float) -> None:
    document = random_document(seed, n_classes=n_classes, hostile=False, shrunk=True, n_tests=6)
    document["shrinkage"]["strength"] = strength
    if n_classes == 0:
        means = [node["value"][0] for node in document["nodes"]]
        numbers = node_numbers(document)
        assert min(means) - 1e-9 <= numbers.min()
        assert numbers.max() <= max(means) + 1e-9
        return
    shown = node_shares(document)
    assert (shown >= 0).all()
    np.testing.assert_allclose(shown.sum(axis=1), 1, rtol=1e-15)
    for node, shares in zip(document["nodes"], shown, strict=True):
        value = np.array(node["value"])
        if document["shrinkage"]["keeps_labels"] and value.sum() and value.argmax() == node["label"]:
            assert shares.argmax() == node["label"]


def test_almost_equal_classes_keep_their_label_in_floats() -> None:
    """A lead of one unit in the last place, drawn towards a root that says otherwise."""
    document = classifier(1, max_leaves=2).to_dict()
    for lead in (1, 2, 3, 7):
        large = float(2**52 + lead)
        document["nodes"][1] |= {"value": [float(2**52), large, 0.0], "label": 1, "weight": 3.0}
        document["nodes"][0] |= {"value": [900.0, 50.0, 50.0], "label": 0, "weight": 1000.0}
        shown = node_shares(Tree.from_dict(document).with_shrinkage(1e9).to_dict())[1]
        raw = node_shares(document)[1]
        assert shown[1] >= max(shown[0], shown[2])
        assert (shown[1] > shown[0]) == (raw[1] > raw[0])


def test_classes_that_tie_stay_as_they_are_if_the_others_would_win() -> None:
    document = classifier(1, max_leaves=2).to_dict()
    document["nodes"][1] |= {"value": [0.0, 4.0, 4.0], "label": 1, "weight": 8.0}
    document["nodes"][0] |= {"value": [10.0, 10.0, 40.0], "label": 2, "weight": 60.0}
    assert node_shares(Tree.from_dict(document).with_shrinkage(10).to_dict())[1].tolist() == [0, 0.5, 0.5]


def test_no_shrinkage_and_none_are_the_leaves_own() -> None:
    X, y, weight = table(3)
    raw = CARTClassifier(max_leaves=8).fit(X, y, weight)
    for nothing in (None, 0, 0.0):
        model = CARTClassifier(max_leaves=8, shrinkage=nothing).fit(X, y, weight)
        assert model.tree_ == raw.tree_
        assert model.shrinkage_ is None
        assert "shrinkage" not in model.tree_.to_dict()
        assert (model.predict_proba(X) == raw.predict_proba(X)).all()
    almost = raw.tree_.with_shrinkage(1e-12)
    np.testing.assert_allclose(almost.predict_proba(X), raw.predict_proba(X), rtol=0, atol=1e-9)


def test_with_all_strength_every_leaf_says_what_the_root_says() -> None:
    X, y, weight = table(3)
    tree = classifier(3).with_shrinkage(1e300, keeps_labels=False)
    root = tree.core.value[0] / tree.core.value[0].sum()
    np.testing.assert_allclose(tree.predict_proba(X), np.tile(root, (len(X), 1)), rtol=1e-12)
    regressor = CARTRegressor(max_leaves=8, shrinkage=1e300).fit(X, y * 1.5, weight)
    np.testing.assert_allclose(regressor.predict(X), np.average(y * 1.5, weights=weight), rtol=1e-12)


@pytest.mark.parametrize("seed", range(tries(20, 4)))
def test_weights_are_repeated_rows(seed: int) -> None:
    X, y, weight = table(seed)
    again = np.repeat(np.arange(len(X)), weight.astype(int))
    for learner, target in ((CARTClassifier, y), (CARTRegressor, y / 3)):
        model = learner(max_leaves=9, shrinkage=7.5)
        weighted = model.fit(X, target, weight)
        answers = weighted.predict(X), getattr(weighted, "predict_proba", weighted.predict)(X)
        repeated = learner(max_leaves=9, shrinkage=7.5).fit(X[again], target[again])
        np.testing.assert_allclose(repeated.predict(X), answers[0], rtol=1e-12)
        np.testing.assert_allclose(
            getattr(repeated, "predict_proba", repeated.predict)(X), answers[1], rtol=1e-12
        )


@pytest.mark.parametrize("seed", range(tries(30, 6)))
def test_numbers_are_those_of_the_paper_and_values_stay_raw(seed: int) -> None:
    X, y, weight = table(seed)
    raw = CARTRegressor(max_leaves=10).fit(X, y * 0.7, weight).tree_
    model = CARTRegressor(max_leaves=10, shrinkage=12.5).fit(X, y * 0.7, weight)
    assert (model.tree_.core.value == raw.core.value).all()
    for answer, leaf in zip(model.predict(X), raw.apply(X), strict=True):
        path = path_to(raw, int(leaf))
        means = [Fraction(float(raw.core.value.reshape(-1, 2)[one, 0])) for one in path]
        counts = [Fraction(float(raw.core.weight[one])) for one in path]
        assert answer == pytest.approx(float(shrunk_value(means, counts, Fraction(12.5))), rel=1e-12)


def test_with_costs_of_mistakes_nothing_holds_the_label() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0.8).astype(int)
    costs = [[0, 1], [6, 0]]
    model = CARTClassifier(max_leaves=10, shrinkage=1000, error_costs=costs).fit(X, y)
    plain = CARTClassifier(max_leaves=10, error_costs=costs).fit(X, y)
    assert (model.predict(X) == plain.predict(X)).all()
    shares = model.predict_proba(X)
    assert (shares.argmax(axis=1) != model.predict(X)).any()
    assert (shares == plain.tree_.with_shrinkage(1000, keeps_labels=False).predict_proba(X)).all()


def test_smoothing_comes_first() -> None:
    X, y, weight = table(5)
    model = CARTClassifier(max_leaves=8, smoothing=1, shrinkage=20).fit(X, y, weight)
    tree = model.tree_.with_shrinkage(20, keeps_labels=False)
    leaf = int(tree.apply(X)[0])
    expected = [float(share) for share in shares_by_definition(tree, leaf, 20, smoothing=1)]
    np.testing.assert_allclose(tree.predict_proba(X, 1.0)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_shrunk_tree_is_read_back_equal(seed: int) -> None:
    document = random_document(seed, shrunk=True)
    tree = Tree.from_dict(document)
    assert tree.to_dict() == document
    assert tree.shrinkage == document["shrinkage"]["strength"]
    X = frame_of(document, random_rows(document, seed, 50))
    for again in (Tree.from_json(tree.to_json()), pickle.loads(pickle.dumps(tree))):
        assert again == tree
        assert hash(again) == hash(tree)
        assert again.predict(X).tolist() == tree.predict(X).tolist()
    assert tree.with_shrinkage(None) != tree
    assert tree.with_shrinkage(document["shrinkage"]["strength"] * 2) != tree


REFUSED = {
    "strength NaN": ({"strength": nan}, r"\$\.shrinkage\.strength: must be a finite number"),
    "strength infinite": ({"strength": inf}, r"\$\.shrinkage\.strength: must be a finite number"),
    "strength negative": ({"strength": -1.0}, r"\$\.shrinkage\.strength: must be above 0, not -1\.0"),
    "strength 0": ({"strength": 0}, r"\$\.shrinkage\.strength: must be above 0"),
    "strength text": ({"strength": "10"}, r"\$\.shrinkage\.strength: must be a finite number"),
    "strength true": ({"strength": True}, r"\$\.shrinkage\.strength: must be a finite number"),
    "labels 1": ({"keeps_labels": 1}, r"\$\.shrinkage\.keeps_labels: must be true or false"),
    "another key": ({"lambda": 1.0}, r"\$\.shrinkage: the key 'lambda' is not known"),
}


@pytest.mark.parametrize("change", REFUSED)
def test_a_file_with_another_shrinkage_is_refused_with_the_place(change: str) -> None:
    document = random_document(2, n_classes=3, shrunk=True)
    wrong, message = REFUSED[change]
    document["shrinkage"] |= wrong
    with pytest.raises(TreeFormatError, match=message):
        Tree.from_dict(document)


def test_keys_of_shrinkage_in_the_wrong_place_are_refused() -> None:
    classes, numbers = (random_document(2, n_classes=n, n_tests=3, shrunk=True) for n in (3, 0))
    for document, key in ((classes, "keeps_labels"), (classes, "strength")):
        less = copy.deepcopy(document)
        del less["shrinkage"][key]
        with pytest.raises(TreeFormatError, match=rf"\$\.shrinkage: the key '{key}' is missing"):
            Tree.from_dict(less)
    with pytest.raises(TreeFormatError, match="the key 'keeps_labels' is not known"):
        Tree.from_dict({**numbers, "shrinkage": classes["shrinkage"]})
    for nothing in (None, 10.0, []):
        with pytest.raises(TreeFormatError, match=r"\$\.shrinkage: must be an object"):
            Tree.from_dict({**classes, "shrinkage": nothing})
    stated = copy.deepcopy(numbers)
    stated["nodes"][0]["stated"] = True
    with pytest.raises(TreeFormatError, match=r"\$\.nodes\[0\]\.stated: must be true, and at a leaf"):
        Tree.from_dict(stated)
    for document in (classes, random_document(2, n_classes=0, shrunk=False)):
        stated = copy.deepcopy(document)
        stated["nodes"][-1]["stated"] = True
        with pytest.raises(TreeFormatError, match="the key 'stated' is not known"):
            Tree.from_dict(stated)


@pytest.mark.parametrize("wrong", [-1, nan, inf])
def test_a_strength_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"shrinkage is .*: give a finite number above 0, or None"):
        classifier(0).with_shrinkage(wrong)


def test_edits_shrink_anew() -> None:
    X, y, weight = table(7)
    model = CARTClassifier(max_leaves=9, shrinkage=15).fit(X, y, weight)
    raw = CARTClassifier(max_leaves=9).fit(X, y, weight)
    inner = next(n for n in range(1, model.tree_.n_nodes) if model.tree_.core.column[n] >= 0)
    for edited, plain in (
        (model.collapse(inner, X, y, weight), raw.collapse(inner, X, y, weight)),
        (
            model.refit_below(inner, X, y, weight, max_depth=2),
            raw.refit_below(inner, X, y, weight, max_depth=2),
        ),
        (model.reorder(0, 2, X, y, weight), raw.reorder(0, 2, X, y, weight)),
    ):
        assert edited.tree.shrinkage == 15
        assert edited.tree == plain.tree.with_shrinkage(15)
        assert (edited.estimator.predict_proba(X) == plain.tree.with_shrinkage(15).predict_proba(X)).all()
    with pytest.raises(ValueError, match="shrinkage is about the whole tree"):
        model.refit_below(inner, X, y, weight, shrinkage=3)


def test_a_leaf_that_is_relabelled_says_its_label_or_number() -> None:
    X, y, weight = table(7)
    tree = CARTClassifier(max_leaves=9, shrinkage=15).fit(X, y, weight).tree_
    leaf = int(tree.apply(X)[0])
    other = (int(tree.core.label[leaf]) + 1) % 3
    changed = tree.relabel(leaf, other)
    assert changed.predict(X)[0] == other
    numbers = CARTRegressor(max_leaves=9, shrinkage=15).fit(X, y * 1.0, weight).tree_
    leaf = int(numbers.apply(X)[0])
    changed = numbers.relabel(leaf, 77.25)
    assert changed.predict(X)[0] == 77.25
    elsewhere = changed.apply(X) != leaf
    assert (changed.predict(X)[elsewhere] == numbers.predict(X)[elsewhere]).all()
    assert Tree.from_json(changed.to_json()).predict(X)[0] == 77.25
    above = int(numbers.core.parent[leaf])
    assert changed.collapse(above) == numbers.collapse(above)


def test_a_node_that_is_heavier_than_its_parent_makes_no_probability_negative() -> None:
    """As after growing a part anew from other rows: the root has one row, its child a thousand."""
    test = {"column": 0, "kind": "ordered", "to": [0, 1], "missing": 0, "other": 0}
    seen = {"rows": 1, "objects": 1, "impurity": 0.0}
    document = {
        "format": "thriftree-tree",
        "version": 1,
        "shrinkage": {"strength": 10.0, "keeps_labels": False},
        "columns": [{"name": "x", "kind": "number"}],
        "classes": ["a", "b"],
        "nodes": [
            {
                **seen,
                "weight": 1.0,
                "value": [0.0, 1.0],
                "label": 1,
                "test": {**test, "keys": [0.0]},
                "children": [1, 4],
            },
            {
                **seen,
                "weight": 1000.0,
                "value": [1.0, 0.0],
                "label": 0,
                "test": {**test, "keys": [-1.0]},
                "children": [2, 3],
            },
            {**seen, "weight": 500.0, "value": [0.0, 1.0], "label": 1},
            {**seen, "weight": 500.0, "value": [1.0, 0.0], "label": 0},
            {**seen, "weight": 1.0, "value": [1.0, 0.0], "label": 0},
        ],
    }
    shown = Tree.from_dict(document).predict_proba(np.array([[-2.0], [-0.5], [1.0]]))
    np.testing.assert_allclose(shown, [[0, 1], [1 / 11, 10 / 11], [1 / 11, 10 / 11]], rtol=0, atol=1e-15)
