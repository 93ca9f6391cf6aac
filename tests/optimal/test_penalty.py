"""The penalty of a leaf by cross-validation, along the path of penalties."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal_problems import NO_LIMITS, problem, table
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from thoroughness import tries

from thriftree import OptimalTreeClassifier, regularised_risk
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.path import QuickPath, _slopes, penalties_to_try
from thriftree.tuning.leaf_penalty import UNMEASURED

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :6]


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 40)), min_size=1, max_size=14))
def test_the_slopes_are_where_the_best_of_the_trees_changes(points):
    sizes = sorted({(1, 50.0), *((n, float(risk)) for n, risk in points)})
    slopes = _slopes(sizes)
    assert all(a > b > 0 for a, b in pairwise(slopes))

    def best(penalty):
        return min((risk + penalty * n, n) for n, risk in sizes)[1]

    ends = [2 * max([50.0, *slopes]), *slopes, 0.0]
    between = [best((a + b) / 2) for a, b in pairwise(ends)]
    assert len(set(between)) == len(between), "each piece has a tree of its own"
    for (a, b), n in zip(pairwise(ends), between, strict=True):
        for share in (0.1, 0.9):
            assert best(a + share * (b - a)) == n, "and it is the best all along the piece"


def test_each_penalty_to_try_stands_for_a_tree_of_another_size():
    for seed in range(tries(40, 5)):
        rows = table(seed, n_rows=80, n_values=4)
        given_rows, plan = problem(rows, max_depth=3)
        penalties = penalties_to_try(given_rows, plan, None, NO_LIMITS, [])
        assert (np.diff(penalties) > 0).all()
        trees = QuickPath(given_rows, plan, None, NO_LIMITS).trees(penalties.tolist())
        leaves = [tree.n_leaves for tree in trees]
        assert leaves == sorted(leaves, reverse=True)
        assert len(set(leaves)) == len(leaves)
        assert leaves[-1] == 1


def test_cross_validation_takes_the_penalty_of_least_loss_and_of_equals_the_largest():
    model = OptimalTreeClassifier(random_state=0, max_depth=3).fit(X, Y)
    results = model.cv_results_
    least = results["mean_loss"].min()
    equal = results["leaf_penalty"][results["mean_loss"] <= least * (1 + 1e-12)]
    assert model.leaf_penalty_ == equal[-1]
    assert (np.diff(results["leaf_penalty"]) > 0).all()
    assert (np.diff(results["mean_leaves"]) <= 0).all()
    assert model.objective_ == pytest.approx(regularised_risk(model.tree_, X, Y, model.leaf_penalty_))


def test_the_loss_of_a_fold_is_that_of_a_tree_which_saw_the_other_rows_only():
    folds = list(KFold(3, shuffle=True, random_state=1).split(X))
    model = OptimalTreeClassifier(max_depth=2, cv=folds).fit(X, Y)
    for at in (0, -1):
        penalty = float(model.cv_results_["leaf_penalty"][at])
        losses = []
        for train, test in folds:
            one = OptimalTreeClassifier(leaf_penalty=penalty, max_depth=2).fit(X[train], Y[train])
            losses.append(float((one.predict(X[test]) != Y[test]).mean()))
        assert model.cv_results_["mean_loss"][at] == pytest.approx(np.mean(losses), abs=0.02)


def test_a_given_penalty_needs_no_folds(monkeypatch):
    def no_folds(*_):
        raise AssertionError("folds were made")

    monkeypatch.setattr(Sample, "take", no_folds)
    model = OptimalTreeClassifier(leaf_penalty=0.02, max_depth=2).fit(X, Y)
    assert (model.leaf_penalty_, model.cv_results_) == (0.02, None)


def test_rows_of_one_class_need_no_penalty():
    model = OptimalTreeClassifier().fit(X[:20], np.zeros(20, int))
    assert (model.leaf_penalty_, model.tree_.n_leaves, model.objective_) == (0.0, 1, 0.0)


def test_a_single_row_of_each_class_cannot_be_measured():
    model = OptimalTreeClassifier(cv=KFold(2)).fit(X[[0, 19]], Y[[0, 19]])
    assert model.leaf_penalty_ in (UNMEASURED, *(model.cv_results_ or {"leaf_penalty": ()})["leaf_penalty"])
