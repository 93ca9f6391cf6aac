"""Soft trees as estimators: learning, weights, columns, and bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from oracles import soft_trees
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from soft_tables import BOTH, GATES, answers, mixed, spread, target_of
from thoroughness import tries

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    LimitReachedWarning,
    SoftTreeClassifier,
    SoftTreeRegressor,
)

# --- learning -----------------------------------------------------------------------------------------------


@BOTH
@GATES
@pytest.mark.parametrize("init", ["tree", "random"])
def test_it_learns_and_the_loss_never_rises(cls, gates, init):
    X, y = target_of(cls, 1, n_rows=600)
    model = cls(gates=gates, init=init, random_state=3).fit(X[:400], y[:400])
    assert (np.diff(model.loss_curve_) < 0).all()
    assert model.n_iter_ == len(model.loss_curve_) - 1 > 5
    stump = cls(max_depth=0).fit(X[:400], y[:400])
    assert stump.get_n_leaves() == 1
    assert model.score(X[400:], y[400:]) > stump.score(X[400:], y[400:]) + 0.15


def test_the_oblique_tree_finds_an_oblique_border():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5))
    y = (X.sum(axis=1) > 0).astype(int)
    soft = SoftTreeClassifier().fit(X[:400], y[:400]).score(X[400:], y[400:])
    hard = CARTClassifier(max_depth=4).fit(X[:400], y[:400]).score(X[400:], y[400:])
    assert soft > 0.95 > hard


def test_three_hundred_classes_are_told_apart_better_than_by_cart():
    """The squares of so many logits would outweigh the loss if each paid as much as one of two."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(300), 8)
    X = 2 * rng.normal(size=(300, 6))[y] + rng.normal(size=(len(y), 6))
    train = np.arange(len(y)) % 4 > 0
    soft = SoftTreeClassifier(max_iter=60).fit(X[train], y[train])
    cart = CARTClassifier(max_depth=4, smoothing=1).fit(X[train], y[train])
    losses = [
        -np.log(one.predict_proba(X[~train]))[np.arange((~train).sum()), y[~train]] for one in (soft, cart)
    ]
    assert losses[0].mean() < losses[1].mean() - 1
    assert soft.score(X[~train], y[~train]) >= cart.score(X[~train], y[~train])


@BOTH
@GATES
def test_a_whole_weight_is_a_repetition_to_the_last_digit(cls, gates):
    for seed in range(tries(12, 3)):
        X, y = target_of(cls, seed, n_rows=60)
        times = np.random.default_rng(seed).integers(0, 4, len(X))
        rows = np.random.default_rng(seed + 1).permutation(np.repeat(np.arange(len(X)), times))
        once = cls(gates=gates, max_iter=50).fit(X, y, sample_weight=times)
        often = cls(gates=gates, max_iter=50).fit(X[rows], y[rows])
        np.testing.assert_array_equal(once.soft_tree_.parameters, often.soft_tree_.parameters)
        np.testing.assert_array_equal(answers(once, X), answers(often, X))


@GATES
def test_class_weights_are_weights_of_rows(gates):
    X, y = spread(4)
    factors = {0: 1.0, 1: 3.0, 2: 2.0}
    a = SoftTreeClassifier(gates=gates, class_weight=factors).fit(X, y)
    b = SoftTreeClassifier(gates=gates).fit(X, y, sample_weight=np.array([1.0, 3.0, 2.0])[y])
    # Numbers are standardised by the rows' own weights, so only trees of one leaf are the same.
    assert not np.array_equal(a.predict_proba(X), SoftTreeClassifier(gates=gates).fit(X, y).predict_proba(X))
    assert a.soft_tree_.n_leaves == b.soft_tree_.n_leaves
    stumps = [
        SoftTreeClassifier(max_depth=0, class_weight=factors, tol=0.0).fit(X, y),
        SoftTreeClassifier(max_depth=0, tol=0.0).fit(X, y, sample_weight=np.array([1.0, 3.0, 2.0])[y]),
    ]
    np.testing.assert_allclose(stumps[0].predict_proba(X), stumps[1].predict_proba(X), atol=1e-6)


@BOTH
@GATES
def test_the_order_and_the_units_of_columns_change_nothing(cls, gates):
    for seed in range(tries(8, 2)):
        X, y = target_of(cls, seed, n_rows=150)
        order = np.random.default_rng(seed).permutation(X.shape[1])
        # all the way down: where losses differ by 1e-13, answers can differ by more than 1e-6
        settings = {"gates": gates, "l2": 0.03, "tol": 0.0, "max_iter": 5000, "max_depth": 2}
        model = cls(**settings).fit(X, y)
        moved = cls(**settings).fit(X[:, order], y)
        np.testing.assert_allclose(answers(moved, X[:, order]), answers(model, X), atol=1e-6)
        units = np.array([1000.0, 1e-6, 3.0, 0.7])
        scaled = cls(**settings).fit(X * units + units, y)
        np.testing.assert_allclose(answers(scaled, X * units + units), answers(model, X), atol=1e-6)


@BOTH
def test_no_digit_depends_on_the_number_of_threads(cls):
    X, y = target_of(cls, 0, n_rows=3000)
    one, two = cls(n_jobs=1, max_iter=20).fit(X, y), cls(n_jobs=2, max_iter=20).fit(X, y)
    np.testing.assert_array_equal(one.soft_tree_.parameters, two.soft_tree_.parameters)
    np.testing.assert_array_equal(answers(one, X), answers(two, X))


@BOTH
@pytest.mark.parametrize("kind", ["constant", "linear"])
def test_the_fitted_tree_is_its_definition(cls, kind):
    X, y = target_of(cls, 2)
    model = cls(leaves=kind).fit(X, y)
    tree = model.soft_tree_
    gates = list(zip(tree.gate_weights, tree.gate_offsets, strict=True))
    scaled = (X - tree.design.centres) * tree.design.scales
    nothing = np.zeros(tree.design.n_terms)
    weights = tree.leaf_weights
    leaves = [
        [(nothing if weights is None else weights[i, k], offset) for k, offset in enumerate(leaf)]
        for i, leaf in enumerate(tree.leaf_offsets)
    ]
    for row, found in zip(scaled, answers(model, X).reshape(len(X), -1), strict=True):
        slow = soft_trees.answer(
            tree.left.tolist(), tree.right.tolist(), gates, leaves, row, 1.0, tree.classes is not None
        )
        np.testing.assert_allclose(found, tree.centre + tree.deviation * slow, rtol=1e-10)
    reach = model.path_probabilities(X)
    assert reach.shape == (len(X), tree.n_gates + tree.n_leaves)
    np.testing.assert_allclose(reach[:, tree.n_gates :].sum(axis=1), 1, atol=1e-14)
    if kind == "linear":
        return
    np.testing.assert_allclose(
        reach[:, tree.n_gates :] @ tree.leaf_answers, answers(model, X).reshape(len(X), -1), rtol=1e-10
    )


def test_frames_with_categories_and_missing_values_are_read_as_they_are():
    X, y = mixed(7)
    model = SoftTreeClassifier().fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.soft_tree_.design.term_names() == [
        "colour=blue",
        "colour=green",
        "colour=red",
        "colour is missing",
        "size",
        "size is missing",
        "weight",
    ]
    import polars as pl

    np.testing.assert_array_equal(model.predict_proba(pl.from_pandas(X)), model.predict_proba(X))
    new = pd.DataFrame({"colour": ["violet", None], "size": [0.1, np.nan], "weight": [np.nan, 1.0]})
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1)


# --- limits -------------------------------------------------------------------------------------------------


@BOTH
def test_a_time_limit_leaves_a_model_and_says_so(cls):
    X, y = target_of(cls, 0)
    with pytest.warns(LimitReachedWarning, match="stopped at its time_limit_s"):
        model = cls(time_limit_s=0).fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert np.isfinite(answers(model, X)).all()


@BOTH
def test_ctrl_c_leaves_a_model(cls, monkeypatch):
    import signal

    from thriftree.methods.soft.design import Design

    X, y = target_of(cls, 0, n_rows=20_000)
    rows = Design.rows

    def then_interrupted(self, inputs, look):
        made = rows(self, inputs, look)
        monkeypatch.undo()  # once
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        return made

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    monkeypatch.setattr(Design, "rows", then_interrupted)
    model = cls(max_iter=10**6, tol=0.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert model.stopped_by_ == "interrupt"
    assert np.isfinite(answers(model, X)).all()


# --- bad and odd input --------------------------------------------------------------------------------------


@BOTH
def test_targets_that_are_not_known_are_refused(cls):
    with pytest.raises(ValueError, match="Input y contains NaN"):
        cls().fit([[0.0], [1.0]], [0.0, np.nan])


@BOTH
def test_infinity_is_refused_by_column(cls):
    X, y = target_of(cls, 0)
    bad = X.copy()
    bad[3, 2] = np.inf
    with pytest.raises(ValueError, match=r"column 'x2'.* holds infinity"):
        cls(init="random").fit(bad, y)
    with pytest.raises(ValueError, match=r"column 'x2'.* holds infinity"):
        cls().fit(X, y).predict(bad)


@BOTH
@GATES
def test_one_row_one_class_and_constant_columns_are_learned(cls, gates):
    one = cls(gates=gates).fit([[1.0, 2.0]], [1])
    assert one.predict([[5.0, 6.0]]) == pytest.approx([1])
    same = cls(gates=gates, init="random", random_state=0).fit([[1.0], [1.0], [1.0]], [2, 2, 2])
    assert same.predict([[0.0], [1.0]]) == pytest.approx([2, 2])
    X, y = target_of(cls, 0)
    with_constant = np.column_stack([X, np.full(len(X), 0.1)])
    plain, more = cls(gates=gates).fit(X, y), cls(gates=gates).fit(with_constant, y)
    np.testing.assert_allclose(answers(more, with_constant), answers(plain, X), atol=1e-9)


@BOTH
def test_many_columns_are_learned(cls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 10_000))
    y = (X[:, 77] > 0).astype(int)
    model = cls(max_iter=5, max_depth=2).fit(X, y)
    assert model.loss_curve_[-1] < model.loss_curve_[0]


@BOTH
@pytest.mark.parametrize(
    "bad",
    [
        {"gates": "round"},
        {"init": "cart"},
        {"max_depth": -1},
        {"l2": -1.0},
        {"sharpness": 0.0},
        {"max_iter": -1},
        {"tol": -1e-3},
        {"time_limit_s": -1.0},
    ],
    ids=lambda bad: next(iter(bad)),
)
def test_parameters_out_of_range_are_refused(cls, bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        cls(**bad).fit([[0.0], [1.0]], [0, 1])


@BOTH
def test_it_is_cloned_printed_and_asked_only_when_fitted(cls):
    X, y = target_of(cls, 0)
    tree = (CARTRegressor if cls is SoftTreeRegressor else CARTClassifier)(max_depth=2).fit(X, y).tree_
    model = cls(gates="axis", init=tree, l2=0.5)
    again = clone(model)
    assert again.get_params()["l2"] == 0.5
    assert repr(cls(l2=0.5)) == f"{cls.__name__}(l2=0.5)"
    np.testing.assert_array_equal(answers(model.fit(X, y), X), answers(again.fit(X, y), X))
    with pytest.raises(NotFittedError):
        clone(model).path_probabilities(X)
    with pytest.raises(ValueError, match="use max_leaves"):
        cls(max_leaf_nodes=3)
