"""Learners of other libraries in the study: what is counted of them is what their trees are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.which_tree.fitted import Encoded, Ours
from studies.which_tree.learners import CLASSIFIERS, REGRESSORS

NEEDS = {"C5.0": "c50py", "HSTree": "imodels", "HSTreeCV": "imodels", "FIGS": "imodels"}
PEERS = [name for name, learner in CLASSIFIERS.items() if learner.group != "ours"]


@pytest.fixture(scope="module")
def table():
    """Numbers, categories and missing values; three classes."""
    random = np.random.default_rng(1)
    n = 150
    score = random.normal(size=n)
    kind = random.choice(["a", "b", "c"], n)
    X = pd.DataFrame({"x": score, "kind": kind, "noise": random.normal(size=n)})
    X.loc[::17, "x"] = np.nan
    y = np.where(kind == "a", "none", np.where(score > 0, "high", "low")).astype(object)
    return X, y


def fitted(name, table):
    pytest.importorskip(NEEDS.get(name, "sklearn"))
    X, y = table
    learner = CLASSIFIERS[name]
    return learner.make(learner.settings, 0).fit(X, y)


@pytest.mark.filterwarnings("ignore")  # of other libraries
@pytest.mark.parametrize("name", PEERS)
def test_a_peer_answers_with_the_classes_and_shares_of_each(name, table):
    X, y = table
    model = fitted(name, table)
    assert model.classes_.tolist() == ["high", "low", "none"]
    shares = model.predict_proba(X)
    assert shares.shape == (150, 3)
    assert shares.sum(axis=1) == pytest.approx(np.ones(150))
    labels = model.predict(X)
    assert np.mean(labels == y) > 0.85
    new = X.assign(kind="never seen")  # what training did not have
    assert set(model.predict(new)) <= set(model.classes_)


def asked(node, row, is_leaf, goes_left, left, right):
    """The questions of one row, one after the other."""
    n = 0
    while not is_leaf(node):
        node = left(node) if goes_left(node, row) else right(node)
        n += 1
    return n


@pytest.mark.filterwarnings("ignore")
def test_the_questions_of_figs_are_those_of_all_its_trees(table):
    X, _ = table
    model = fitted("FIGS", table)
    numbers = model._numbers(X)
    each = [
        sum(
            asked(
                root,
                row,
                lambda node: node.left is None,
                lambda node, row: row[node.feature] <= node.threshold,
                lambda node: node.left,
                lambda node: node.right,
            )
            for root in model.estimator.trees_
        )
        for row in numbers
    ]
    assert model.questions(X) == pytest.approx(np.mean(each))
    assert model.leaves() == model.estimator.complexity_ + len(model.estimator.trees_)


@pytest.mark.filterwarnings("ignore")
def test_the_questions_of_c50_are_on_the_way_to_its_leaf(table):
    X, _ = table
    model = fitted("C5.0", table)
    rules = model._estimator.export_rules()
    texts = rules.split("\n") if isinstance(rules, str) else list(rules)
    conditions = [str(text).count(" AND ") + 1 for text in texts if str(text).strip()]
    leaf = model._estimator.apply(X)
    assert model.leaves() == len(conditions)
    assert model.questions(X) == pytest.approx(np.mean([conditions[i] for i in leaf]))


def test_the_questions_of_lightgbm_are_those_of_every_tree(table):
    X, _ = table
    model = fitted("LightGBM, one tree", table)
    frame = model._model.booster_.trees_to_dataframe()
    depth = dict(zip(frame["node_index"], frame["node_depth"] - 1, strict=True))
    leaf = model._model.booster_.predict(model._columns.numbers(X), pred_leaf=True)
    each = [sum(depth[f"{tree}-L{one}"] for tree, one in enumerate(row)) for row in leaf]
    assert model.questions(X) == pytest.approx(np.mean(each))
    assert model.leaves() == sum("L" in index for index in frame["node_index"])


@pytest.mark.filterwarnings("ignore")
def test_the_sizes_of_scikit_learn_are_its_own(table):
    X, _ = table
    for name in ("scikit-learn", "scikit-learn tuned"):
        model = fitted(name, table)
        tree = getattr(model.estimator, "best_estimator_", model.estimator)
        assert model.leaves() == tree.get_n_leaves()
        assert 0 < model.questions(X) <= tree.get_depth()


def test_what_is_no_tree_has_no_leaves(table):
    model = fitted("Logistic regression", table)
    assert (model.leaves(), model.questions(table[0])) == (None, None)


@pytest.mark.parametrize("name", [name for name, one in REGRESSORS.items() if name != "ThriftTree"])
def test_a_regressor_predicts_numbers(name, table):
    X, _ = table
    y = X["x"].fillna(0).to_numpy() + (X["kind"] == "a").to_numpy()
    learner = REGRESSORS[name]
    model = learner.make(learner.settings, 0).fit(X, y)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.85
    assert model.leaves() > 1
    assert model.questions(X) >= 1


def test_tuned_trees_of_numbers_do_not_depend_on_the_unit(table):
    X, _ = table
    y = X["x"].fillna(0).to_numpy() + np.random.default_rng(0).normal(0, 0.3, 150)
    learner = REGRESSORS["scikit-learn tuned"]
    leaves = {learner.make(learner.settings, 0).fit(X, y * unit).leaves() for unit in (1.0, 1024.0)}
    assert len(leaves) == 1


def test_ours_get_the_frame_as_it_is_and_the_seed():
    learner = CLASSIFIERS["ThriftTree"].make(CLASSIFIERS["ThriftTree"].settings, 7)
    assert isinstance(learner, Ours)
    assert learner.estimator.random_state == 7
    assert not isinstance(learner, Encoded)
