"""Soft trees as hard ones: `to_tree`."""

from __future__ import annotations

import numpy as np
import pytest
from soft_tables import mixed, spread
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


@pytest.mark.parametrize("leaves", ["constant", "linear"])
def test_a_hardened_tree_sends_rows_one_way_and_its_leaves_hold_what_they_say(leaves):
    X, y = mixed(9)
    model = SoftTreeClassifier(max_iter=20, max_depth=3, leaves=leaves).fit(X, y)
    weight = np.arange(len(y)) % 3 + 1.0
    tree = model.harden(X, y, weight)
    reach = tree.path_probabilities(X)
    assert set(np.unique(reach)) <= {0.0, 1.0}
    np.testing.assert_array_equal(reach, model.soft_tree_.with_sharpness(np.inf).path_probabilities(X))
    leaf = reach[:, tree.n_gates :].argmax(axis=1)
    for one in np.unique(leaf):
        inside = leaf == one
        for k, label in enumerate(model.classes_):
            share = weight[inside][y[inside] == label].sum() / weight[inside].sum()
            blurred = 0.99 * share + 0.01 / len(model.classes_)
            np.testing.assert_allclose(tree.predict_proba(X)[inside, k], blurred, rtol=1e-9)
    with pytest.raises(ValueError, match="which fit did not see"):
        model.harden(X, np.full(len(y), "new"))


def test_a_hardened_tree_of_numbers_holds_means():
    X, y = spread(3, numbers=True)
    model = SoftTreeRegressor(max_iter=30, max_depth=3).fit(X, y)
    tree = model.harden(X, y)
    leaf = tree.path_probabilities(X)[:, tree.n_gates :].argmax(axis=1)
    for one in np.unique(leaf):
        np.testing.assert_allclose(tree.predict(X)[leaf == one], y[leaf == one].mean(), rtol=1e-9)
    assert np.mean((tree.predict(X) - y) ** 2) < np.var(y)


def test_a_soft_tree_learns_what_another_classifier_says():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    X, y = spread(6)
    for teacher in (RandomForestClassifier(20, max_depth=4, random_state=0), LogisticRegression()):
        said = teacher.fit(X, y).predict_proba(X)
        model = SoftTreeClassifier(l2=1e-4).distill(teacher, X)
        untold = SoftTreeClassifier(l2=1e-4, max_depth=0).distill(teacher, X)
        loss = -(said * model.predict_log_proba(X)).sum(axis=1).mean()
        assert loss < 0.8 * -(said * untold.predict_log_proba(X)).sum(axis=1).mean()
        assert np.mean(model.predict(X) == teacher.predict(X)) > 0.8
        # The loss that is made small is the cross-entropy to what the teacher says.
        plain = SoftTreeClassifier(l2=0.0, max_iter=5).distill(teacher, X)
        found = -(said * plain.predict_log_proba(X)).sum(axis=1).mean()
        assert plain.loss_curve_[-1] == pytest.approx(found, rel=1e-9)


def test_distilling_takes_weights_frames_and_refuses_no_shares():
    X, y = mixed(4)
    teacher = CARTClassifier(max_depth=3, smoothing=1).fit(X, y)
    weight = np.arange(len(y)) % 2
    half = SoftTreeClassifier(max_iter=10).distill(teacher, X[weight == 1])
    weighted = SoftTreeClassifier(max_iter=10).distill(teacher, X, weight)
    np.testing.assert_allclose(weighted.predict_proba(X), half.predict_proba(X), rtol=1e-6)

    class Odd:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.zeros((len(X), 3))

    with pytest.raises(ValueError, match="predict_proba of Odd"):
        SoftTreeClassifier().distill(Odd(), X)
