"""The worked examples of the two lectures on decision trees (papers 003 and 004)."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from thriftree import C45Classifier, CARTClassifier, ID3Classifier

LECTURES = json.loads((Path(__file__).parents[1] / "reference" / "lectures_003_004.json").read_text())


def example(name: str) -> tuple[pd.DataFrame, list[str], dict[str, Any]]:
    """Features (as categories), target, and the figures of every column."""
    figures = LECTURES[name]
    table = pd.DataFrame(LECTURES[f"{name}_table"], columns=[*figures, "target"]).astype(str)
    return table[list(figures)], table["target"].tolist(), figures


@pytest.mark.parametrize("name", ["restaurant", "ferrari"])
def test_every_column_alone_scores_as_in_the_lecture(name: str) -> None:
    X, y, figures = example(name)
    for column, figure in figures.items():
        alone = X[[column]]
        one_test: dict[str, Any] = {"max_depth": 1, "min_leaf": 1}
        id3 = ID3Classifier(**one_test).fit(alone, y)
        assert id3.tree_.core.score[0] == pytest.approx(figure["info_gain"], abs=1e-12)
        if figure["info_gain"] > 0:
            c45 = C45Classifier(pruning=None, **one_test).fit(alone, y)
            assert c45.tree_.core.score[0] == pytest.approx(figure["gain_ratio"], abs=1e-12)
        if len(figure["parts"]) == 2:
            gini = CARTClassifier(**one_test).fit(alone, y)
            assert gini.tree_.core.score[0] == pytest.approx(float(Fraction(figure["gini_gain"])), abs=1e-12)


@pytest.mark.parametrize("name", ["restaurant", "ferrari"])
def test_the_branches_hold_the_classes_of_the_lecture(name: str) -> None:
    X, y, figures = example(name)
    for column, figure in figures.items():
        model = ID3Classifier(max_depth=1).fit(X[[column]], y)
        leaves = {part: set() for part in figure["parts"]}
        for value, leaf in zip(X[column], model.apply(X[[column]]), strict=True):
            leaves[value].add(int(leaf))
        for part, counts in figure["parts"].items():
            (leaf,) = leaves[part]
            weights = model.tree_.core.value.reshape(-1, 2)[leaf]
            assert weights.tolist() == [counts.get(label, 0) for label in model.classes_]


def test_the_restaurant_tree_asks_how_crowded_it_is_first() -> None:
    X, y, _ = example("restaurant")
    assert X.columns[ID3Classifier().fit(X, y).tree_.core.column[0]] == "Crowded"


def test_the_ferrari_tree_asks_for_rain_first_by_every_criterion() -> None:
    X, y, _ = example("ferrari")
    models = [CARTClassifier(impurity=i) for i in ("gini", "entropy", "misclassification")]
    for model in [*models, ID3Classifier(), C45Classifier()]:
        assert X.columns[model.fit(X, y).tree_.core.column[0]] == "Rain"


def test_misclassification_cannot_tell_two_tests_apart_that_entropy_and_gini_can() -> None:
    reference = LECTURES["misclass_003"]
    counts = reference["example_consistent"][0]
    for test in ("c1", "c2"):
        (a, b), (c, d) = counts[test]
        X = np.repeat([[0.0], [0.0], [1.0], [1.0]], [a, b, c, d], axis=0)
        y = np.repeat([0, 1, 0, 1], [a, b, c, d])
        core = {
            impurity: CARTClassifier(impurity=impurity, max_depth=1).fit(X, y).tree_.core
            for impurity in ("misclassification", "entropy", "gini")
        }
        assert core["entropy"].score[0] == pytest.approx(reference[test]["entropy_gain"], abs=1e-12)
        assert core["gini"].score[0] == pytest.approx(reference[test]["gini_gain"], abs=1e-12)
        # After either test as much is misclassified as before, so neither is made.
        assert core["misclassification"].impurity.tolist() == pytest.approx([reference[test]["misclass"]])


def test_an_identifier_has_the_largest_gain_and_a_small_gain_ratio() -> None:
    reference = LECTURES["ssn_gain_ratio"]
    q = reference["q"]
    X = pd.DataFrame({"number": [f"id{i}" for i in range(q)]})
    y = np.arange(q) % 2
    id3 = ID3Classifier().fit(X, y)
    assert id3.tree_.n_leaves == q
    assert id3.tree_.core.score[0] == pytest.approx(reference["H(8/8)"], abs=1e-12)
    c45 = C45Classifier(pruning=None, min_leaf=1).fit(X, y)
    assert c45.tree_.core.score[0] == pytest.approx(reference["gain_ratio"], abs=1e-12)


@pytest.mark.parametrize("model", [CARTClassifier(), CARTClassifier(impurity="entropy"), ID3Classifier()])
def test_exclusive_or_is_learnt_although_no_single_test_gains(model: Any) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([0, 1, 1, 0])
    model.fit(X, y)
    assert model.tree_.core.score[0] == pytest.approx(0.0, abs=1e-12)
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("model", [CARTClassifier(), ID3Classifier(), C45Classifier()])
def test_equal_rows_of_different_classes_get_the_majority(model: Any) -> None:
    X = np.zeros((5, 2))
    model.fit(X, ["b", "a", "b", "a", "b"])
    assert model.tree_.n_nodes == 1
    assert model.predict(X[:1]).tolist() == ["b"]
    assert model.predict_proba(X[:1]).tolist() == [[0.4, 0.6]]
