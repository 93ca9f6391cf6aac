"""Soft trees as hard ones: `to_tree`."""

from __future__ import annotations

import numpy as np
import pytest
from test_soft_trees import mixed, spread
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor, Tree


def test_its_leaves_hold_the_mean_of_the_soft_answers():
    for seed in range(tries(12, 3)):
        X, y = mixed(seed)
        model = SoftTreeClassifier(max_iter=30).fit(X, y)
        tree = model.to_tree(X, max_leaves=6)
        assert tree.n_leaves == 6
        soft, leaf = model.predict_proba(X), tree.apply(X)
        for one in np.unique(leaf):
            inside = leaf == one
            np.testing.assert_allclose(tree.predict_proba(X)[inside][0], soft[inside].mean(axis=0), rtol=1e-9)
            assert tree.core.rows[one] == np.count_nonzero(inside)
        assert tree.core.rows[0] == len(X)
        assert tree.settings["agreement"] == np.mean(tree.predict(X) == model.predict(X)) > 0.8
        assert Tree.from_json(tree.to_json()).to_json() == tree.to_json()


def test_a_tree_of_numbers_is_the_cart_of_the_soft_answers():
    X, y = spread(3, numbers=True)
    model = SoftTreeRegressor(max_iter=30).fit(X, y)
    tree = model.to_tree(X)
    there = CARTRegressor(max_leaves=model.get_n_leaves()).fit(X, model.predict(X))
    np.testing.assert_array_equal(tree.predict(X), there.predict(X))
    assert tree.settings["r2"] == pytest.approx(there.score(X, model.predict(X)))


def test_a_fuzzy_tree_read_sharply_gives_its_tree_back():
    X, y = spread(5)
    cart = CARTClassifier(max_depth=3).fit(X, y)
    model = SoftTreeClassifier(init=cart.tree_, max_iter=0, sharpness=np.inf).fit(X, y)
    again = model.to_tree(X)
    assert again.settings["agreement"] == 1
    np.testing.assert_array_equal(again.predict(X), cart.predict(X))


def test_a_soft_tree_that_answers_one_number_is_one_leaf():
    tree = SoftTreeRegressor().fit([[0.0], [1.0]], [3.0, 3.0]).to_tree([[0.0], [1.0]])
    assert tree.n_leaves == 1
    assert tree.settings["r2"] is None
