"""Where soft trees start: a tree made fuzzy, sharper where rows lie near its thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit
from soft_tables import BOTH, GATES, answers, mixed, spread, target_of
from thoroughness import tries

from thriftree import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    SoftTreeClassifier,
    SoftTreeRegressor,
)
from thriftree.methods.soft.start import BLUR, STEEPNESS


def spreads_by_hand(tree, X):
    """Per gate, in preorder, its column and the spread of the node's rows about its threshold, in units of
    the column: one and a half times the distance of the nearest quarter, from a ten-thousandth of a
    standard deviation to a whole one.
    """
    found = {}

    def visit(node, rows):
        start, end = tree.core.child_begin[node : node + 2]
        if start == end:
            return
        left, right = tree.core.children[start:end]
        j, t = tree.core.column[node], tree.core.keys[tree.core.key_begin[node]]
        away = sorted(abs(row[j] - t) for row in rows)
        deviation = X[:, j].std()
        near = 1.5 * away[math.ceil(len(away) / 4) - 1] if away else deviation
        found[node] = j, min(max(near, 0.0001 * deviation), deviation)
        visit(left, [row for row in rows if row[j] <= t])
        visit(right, [row for row in rows if row[j] > t])

    visit(0, list(X))
    return found


def fuzzy_by_hand(tree, X, steepness):
    """Answers of a tree of thresholds made fuzzy, from its document."""
    spreads = spreads_by_hand(tree, X)

    def below(node, row):
        start, end = tree.core.child_begin[node : node + 2]
        if start == end:
            value = tree.core.value[node]
            if tree.classes is None:
                return value[:1]
            return (1 - BLUR) * value / value.sum() + BLUR / len(value)
        left, right = tree.core.children[start:end]
        j, t = tree.core.column[node], tree.core.keys[tree.core.key_begin[node]]
        share = expit(steepness * (t - row[j]) / spreads[node][1])
        return share * below(left, row) + (1 - share) * below(right, row)

    return np.array([below(0, row) for row in X])


@BOTH
@GATES
@pytest.mark.parametrize("sharpness", [0.5, 1.0, 6.0])
def test_before_the_first_iteration_it_is_the_tree_made_fuzzy(cls, gates, sharpness):
    cart = CARTRegressor if cls is SoftTreeRegressor else CARTClassifier
    for seed in range(tries(20, 4)):
        X, y = target_of(cls, seed)
        by = {} if cls is SoftTreeRegressor else {"impurity": "entropy"}
        tree = cart(max_depth=4, **by).fit(X, y).tree_
        for init in ("tree", tree):
            model = cls(gates=gates, init=init, max_iter=0, sharpness=sharpness).fit(X, y)
            assert model.n_iter_ == 0
            expected = fuzzy_by_hand(tree, X, STEEPNESS * sharpness)
            found = answers(model, X).reshape(len(X), -1)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def long_tailed(seed, n_rows=400, tail=2.0):
    """A column whose thresholds lie close together, far below its standard deviation; and one of noise."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n_rows)
    y = (np.abs(score) < 0.5).astype(int)
    return np.column_stack([np.exp(tail * score), rng.normal(size=n_rows)]), y


@pytest.mark.parametrize("tail", [2.0, 3.0])
def test_thresholds_within_a_long_tailed_column_are_kept(tail):
    X, y = long_tailed(0, tail=tail)
    fresh, of_fresh = long_tailed(1, tail=tail)
    for gates in ("oblique", "axis"):
        model = SoftTreeClassifier(gates=gates, max_depth=2).fit(X, y)
        assert model.score(fresh, of_fresh) > 0.97


def test_a_priced_descent_starts_from_the_spread_of_the_columns():
    """Else prices have hardly a slope: their share of a weight w is w² / (w² + 1) first."""
    X, y = long_tailed(0)
    unpriced, priced = (
        SoftTreeClassifier(max_iter=0, max_depth=1, costs=[1.0, 1.0], price_weight=weight).fit(X, y)
        for weight in (0.0, 0.01)
    )
    assert np.abs(priced.soft_tree_.gate_weights).max() == STEEPNESS
    assert np.abs(unpriced.soft_tree_.gate_weights).max() > 2 * STEEPNESS


def beside_a_threshold(tree, X):
    """Rows with a value that is a threshold but for its last digit, which standardising may round off."""
    beside = np.zeros(len(X), dtype=bool)
    for node in np.flatnonzero(tree.core.column >= 0):
        apart = np.abs(X[:, tree.core.column[node]] - tree.core.keys[tree.core.key_begin[node]])
        beside |= (apart > 0) & (apart < 1e-12)
    return beside


@BOTH
@GATES
def test_an_infinite_sharpness_is_the_hard_rule_and_large_ones_come_near(cls, gates):
    cart = CARTRegressor if cls is SoftTreeRegressor else CARTClassifier
    for seed in range(tries(20, 4)):
        X, y = target_of(cls, seed)
        X = np.round(X, 1)  # some rows lie on thresholds of a tree of other rows
        tree = cart(max_depth=4).fit(X[:100:], y[:100]).tree_
        hard = tree.apply(X)
        model = cls(gates=gates, init=tree, max_iter=0, sharpness=math.inf).fit(X[:100], y[:100])
        reach = model.path_probabilities(X)[:, model.soft_tree_.n_gates :]
        leaves = np.flatnonzero(np.diff(tree.core.child_begin) == 0)
        told_apart = ~beside_a_threshold(tree, X)
        assert told_apart.mean() > 0.9
        np.testing.assert_array_equal(leaves[reach.argmax(axis=1)][told_apart], hard[told_apart])
        assert set(np.unique(reach)) <= {0.0, 1.0}
        sharp = model.soft_tree_.with_sharpness(1e9).path_probabilities(X)[:, model.soft_tree_.n_gates :]
        tested = np.unique(tree.core.keys)
        off = (np.abs(X[:, :, np.newaxis] - tested) > 1e-3).all(axis=(1, 2))
        assert off.any()
        np.testing.assert_allclose(sharp[off], reach[off], atol=1e-6)


def test_a_row_on_the_threshold_goes_where_x_up_to_t_goes():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    y = [0, 0, 1, 1]
    tree = CARTClassifier().fit(X, y).tree_
    assert tree.core.keys.tolist() == [2.0]
    model = SoftTreeClassifier(init=tree, max_iter=0, sharpness=math.inf).fit(X, y)
    assert model.predict([[2.0], [np.nextafter(2.0, 3.0) + 1e-9]]).tolist() == [0, 1]


def test_categories_and_missing_values_start_where_the_tree_sends_them():
    for seed in range(tries(20, 5)):
        X, y = mixed(seed)
        tree = CARTClassifier(max_depth=4).fit(X, y).tree_
        model = SoftTreeClassifier(init=tree, max_iter=0, sharpness=math.inf).fit(X, y)
        reach = model.path_probabilities(X)[:, model.soft_tree_.n_gates :]
        leaves = np.flatnonzero(np.diff(tree.core.child_begin) == 0)
        np.testing.assert_array_equal(leaves[reach.argmax(axis=1)], tree.apply(X))


def test_a_start_of_another_table_or_target_is_refused():
    X, y = spread(0)
    frame, classes = mixed(0)
    with pytest.raises(ValueError, match="gates have 2"):
        SoftTreeClassifier(init=C45Classifier().fit(frame, classes).tree_).fit(frame, classes)
    with pytest.raises(ValueError, match="init is a tree of numbers"):
        SoftTreeClassifier(init=CARTRegressor().fit(X, y).tree_).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        SoftTreeClassifier(init=CARTClassifier().fit(X[:, :2], y).tree_).fit(X, y)


@GATES
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_penalty_is_its_definition(gates, n_classes):
    """Axis gates pay a tenth, leaves of many classes no more than of two, and the weight of a threshold what
    it is in the spread of the rows about it.
    """
    X, _ = spread(5)
    y = np.argsort(np.argsort(X[:, 0] - X[:, 1] * X[:, 2])) * n_classes // len(X)
    model = SoftTreeClassifier(gates=gates, l2=0.02, max_iter=8, max_depth=2).fit(X, y)
    tree = model.soft_tree_
    outputs = tree.parameters[-tree.n_leaves * n_classes :]
    start = CARTClassifier(impurity="entropy", max_depth=2).fit(X, y).tree_
    units = np.ones_like(tree.gate_weights)
    for gate, (column, spread_of_rows) in enumerate(spreads_by_hand(start, X).values()):
        units[gate, column] = X[:, column].std() / spread_of_rows
    of_gates = (0.1 if gates == "axis" else 1.0) * ((tree.gate_weights / units) ** 2).sum()
    mean_loss = -np.log(model.predict_proba(X)[np.arange(len(X)), y]).mean()
    by_hand = mean_loss + 0.02 / 2 * (of_gates + 2 / n_classes * (outputs**2).sum())
    assert model.loss_curve_[-1] == pytest.approx(by_hand, rel=1e-12)
