"""PUBLICClassifier as its users meet it."""

from __future__ import annotations

import numpy as np
import pytest
from public_tables import noisy_table

from thriftree import CARTClassifier, LimitReachedWarning, PUBLICClassifier

BOUNDS = ["1", "S", "V", None]


def steps(n=400, noise=0.1, seed=0):
    """Three classes in five steps of the first column, a useless second, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = np.array([0, 1, 2, 0, 1])[(X[:, 0] * 5).astype(int)]
    noisy = rng.random(n) < noise
    y[noisy] = rng.integers(0, 3, noisy.sum())
    return X, y


@pytest.mark.parametrize("bound", BOUNDS)
def test_steps_are_found_and_noise_is_not_modelled(bound):
    X, y = steps(800)
    model = PUBLICClassifier(bound=bound).fit(X, y)
    core = model.tree_.core
    assert model.tree_.n_leaves == 5
    assert set(core.column[core.column >= 0]) == {0}
    np.testing.assert_allclose(np.sort(core.keys), [0.2, 0.4, 0.6, 0.8], atol=0.01)
    assert CARTClassifier().fit(X, y).tree_.n_leaves > 100


def test_bounds_save_most_of_the_nodes_of_noise():
    rng = np.random.default_rng(1)
    X, y = rng.random((2000, 3)), rng.integers(0, 2, 2000)
    split = {bound: PUBLICClassifier(bound=bound).fit(X, y).n_expanded_ for bound in BOUNDS}
    assert PUBLICClassifier().fit(X, y).tree_.n_leaves == 1
    assert split["V"] <= split["S"] < split["1"] < split[None] / 2


def test_heavier_rows_say_more():
    X, y = steps(60, noise=0.2)
    sizes = [PUBLICClassifier().fit(X, y, np.full(60, w)).tree_.n_leaves for w in (0.01, 1.0, 50.0)]
    assert sizes[0] == 1
    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_table_of_one_class_or_of_one_value_is_one_leaf(bound):
    one_class = PUBLICClassifier(bound=bound).fit([[1.0], [2.0]], ["a", "a"])
    one_value = PUBLICClassifier(bound=bound).fit([[1.0], [1.0]], ["a", "b"])
    for model in (one_class, one_value):
        assert (model.tree_.n_nodes, model.n_expanded_) == (1, 0)
    assert one_class.mdl_cost_ == 1.0
    assert one_value.mdl_cost_ == pytest.approx(3 + np.log2(np.pi))


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_tree_that_a_limit_cut_short_is_pruned_too(bound):
    X, y = steps(3000)
    with pytest.warns(LimitReachedWarning, match="time_limit"):
        model = PUBLICClassifier(bound=bound, time_limit_s=0).fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert model.tree_.n_leaves == 1


def test_strings_and_categories_are_divided_in_two_sets():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "grey"], 300)
    frame = pandas.DataFrame({"noise": rng.random(300), "colour": colour})
    model = PUBLICClassifier().fit(frame, np.isin(colour, ["red", "blue"]))
    assert model.tree_.n_leaves == 2
    # Kind of three nodes, one of two columns, one of 2^4 - 2 sets; the leaves are pure.
    assert model.mdl_cost_ == pytest.approx(3 + 1 + np.log2(14))


def test_wrong_words_are_refused_with_what_may_be_said():
    table = noisy_table(0)
    with pytest.raises(ValueError, match="'bound' parameter of PUBLICClassifier must be"):
        PUBLICClassifier(bound="W").fit(table.X, table.y)
    with pytest.raises(TypeError, match="max_leaves"):
        PUBLICClassifier(max_leaves=3)


def test_rows_of_as_many_classes_are_learnt_by_heart():
    """As the guide warns: the published cost of a pure leaf does not say which class it has."""
    X = np.random.default_rng(0).normal(size=(100, 2))
    assert PUBLICClassifier().fit(X, np.arange(100)).tree_.n_leaves == 100
    assert PUBLICClassifier(min_leaf=10).fit(X, np.arange(100)).tree_.n_leaves <= 10
