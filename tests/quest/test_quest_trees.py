"""Whole trees of QUEST: every node against the slow QUEST on its rows, and what must not change a tree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quest_by_rows import crimcoord, selected, split_point
from sklearn.datasets import load_iris, load_wine
from thoroughness import tries

from thriftree import CARTClassifier, LimitReachedWarning, QUESTClassifier


def children(core, node):
    return core.children[core.child_begin[node] : core.child_begin[node + 1]].tolist()


def rows_of_nodes(model, X):
    """Per node, which rows pass it."""
    return model.decision_path(X).toarray().astype(bool).T


def gini(y):
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return len(y) * (1 - np.sum(shares**2))


def assert_every_node_is_right(model, X, y, categorical=()):
    """Column, sides and the side of missing values, at each node. Returns how many tests were looked at."""
    core, at_node = model.tree_.core, rows_of_nodes(model, X)
    for node in range(core.n_nodes):
        here, y_here = X[at_node[node]], y[at_node[node]]
        column = int(core.column[node])
        if column < 0:
            assert len(np.unique(y_here)) == 1 or not selected(here, y_here, categorical)
            continue
        assert column in selected(here, y_here, categorical)
        x = here[:, column]
        known = ~np.isnan(x)
        if column in categorical:
            scores = crimcoord(x[known], y_here[known])
            x = np.array([scores.get(v, np.nan) for v in x])
        is_left = x <= split_point(x[known], y_here[known]) + 1e-9 * np.ptp(x[known])
        found = at_node[children(core, node)[0]][at_node[node]]
        np.testing.assert_array_equal(found[known], is_left[known])
        if not known.all():
            left, right, lost = y_here[known & is_left], y_here[known & ~is_left], y_here[~known]
            with_left = gini(np.append(left, lost)) + gini(right)
            with_right = gini(left) + gini(np.append(right, lost))
            if not np.isclose(with_left, with_right):
                assert (found[~known] == (with_left < with_right)).all()
    return core.n_nodes - core.n_leaves


@pytest.mark.parametrize("seed", range(8))
def test_every_node_of_a_tree_of_numbers_is_that_of_the_slow_quest(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(150, 4)) * [1, 10, 0.01, 1]
    y = (X[:, 0] > 0.3).astype(int) + (np.abs(X[:, 1]) > 8)
    y[random.random(150) < 0.1] = 0
    if seed % 2:
        X[random.random(X.shape) < 0.1] = np.nan
    model = QUESTClassifier(pruning=None).fit(X, y)
    assert assert_every_node_is_right(model, X, y) > 5


@pytest.mark.parametrize("seed", range(8))
def test_every_node_of_a_tree_of_categories_is_that_of_the_slow_quest(seed):
    random = np.random.default_rng(100 + seed)
    X = np.column_stack([random.integers(0, 5, 200), random.integers(0, 9, 200), random.normal(size=200)])
    chance = random.dirichlet(np.ones(2) / 2, (5, 9))[X[:, 0].astype(int), X[:, 1].astype(int), 0]
    y = (random.random(200) < chance).astype(int)
    if seed % 2:
        X[random.random(X.shape) < 0.1] = np.nan
    model = QUESTClassifier(pruning=None, categorical_features=[0, 1]).fit(X, y)
    assert assert_every_node_is_right(model, X, y, (0, 1)) > 5


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_every_node_on_known_sets_is_that_of_the_slow_quest(load):
    X, y = load(return_X_y=True)
    assert assert_every_node_is_right(QUESTClassifier(pruning=None).fit(X, y), X, y) > 5


@pytest.mark.parametrize("seed", range(5))
def test_another_unit_moves_no_row(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 5))
    y = random.integers(0, 2, 300) + (X[:, 1] > 0)
    model = QUESTClassifier(pruning=None).fit(X, y)
    moved = X * [3.7, 1e6, 1e-6, 0.1, 12] + [5, -40, 1e-6, 0, 700]
    again = QUESTClassifier(pruning=None).fit(moved, y)
    np.testing.assert_array_equal(model.apply(X), again.apply(moved))
    turned = QUESTClassifier(pruning=None).fit(-X, y)
    assert turned.tree_.n_nodes == model.tree_.n_nodes
    np.testing.assert_array_equal(turned.predict(-X), model.predict(X))


@pytest.mark.parametrize("seed", range(4))
def test_a_weight_counts_as_so_many_rows_also_in_p_values(seed):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.normal(size=(80, 2)).round(1), random.integers(0, 4, 80)])
    y, times = random.integers(0, 3, 80), random.integers(1, 5, 80)
    model = QUESTClassifier(pruning=None, categorical_features=[2])
    once = model.fit(X, y, sample_weight=times).tree_.core
    often = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_.core
    np.testing.assert_array_equal(once.column, often.column)
    np.testing.assert_allclose(once.score, often.score, rtol=1e-12)
    assert once.n_leaves > 5


def test_fully_grown_a_tree_tells_all_rows_apart_that_differ():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(400, 3)), random.integers(0, 4, 400)
    assert QUESTClassifier(pruning=None).fit(X, y).score(X, y) == 1


def test_exclusive_or_of_categories_can_be_learnt():
    X = pd.DataFrame({"a": list("xxyy") * 10, "b": list("xyxy") * 10})
    y = (X["a"] == X["b"]).to_numpy()
    model = QUESTClassifier(pruning=None).fit(X, y)
    assert model.score(X, y) == 1
    assert model.tree_.n_leaves == 4


@pytest.mark.parametrize("min_leaf", [15, 0.1])
def test_branches_keep_what_they_must(min_leaf):
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(250, 3)), random.integers(0, 12, 250)])
    y = random.integers(0, 3, 250)
    weight = random.integers(1, 5, 250).astype(float)
    model = QUESTClassifier(pruning=None, min_leaf=min_leaf, categorical_features=[3])
    core = model.fit(X, y, sample_weight=weight).tree_.core
    leaves = core.column < 0
    assert core.n_leaves > 4
    kept = core.rows[leaves] if min_leaf == 15 else core.weight[leaves] / weight.sum()
    assert kept.min() >= min_leaf


def test_a_column_that_cannot_keep_the_leaves_is_passed_over():
    x = np.zeros(60)
    x[0] = 1
    y = np.repeat([0, 1], 30)
    y[0] = 2  # the first column tells this row, and it alone
    other = np.arange(60) % 7
    model = QUESTClassifier(pruning=None, min_leaf=5, max_depth=1).fit(np.column_stack([x, other]), y)
    assert model.tree_.core.column[0] == 1


def test_class_weights_move_the_split_but_not_the_choice_of_the_column():
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 600)
    X = random.normal(size=(600, 4))
    X[:, 2] += y
    plain = QUESTClassifier(max_depth=1, pruning=None).fit(X, y).tree_.core
    heavy = QUESTClassifier(max_depth=1, pruning=None, class_weight={0: 1, 1: 5}).fit(X, y).tree_.core
    costly = QUESTClassifier(max_depth=1, pruning=None, error_costs=[[0, 1], [5, 0]]).fit(X, y).tree_.core
    assert plain.column[0] == heavy.column[0] == costly.column[0] == 2
    assert heavy.keys[0] < plain.keys[0]
    assert heavy.keys[0] == costly.keys[0]
    assert heavy.score[0] == pytest.approx(plain.score[0], rel=1e-9)


def test_a_score_is_minus_the_logarithm_of_p():
    X, y = load_iris(return_X_y=True)
    core = QUESTClassifier(random_state=0).fit(X, y).tree_.core
    from scipy.stats import f_oneway

    p = min(f_oneway(*(x[y == c] for c in range(3))).pvalue for x in X.T)
    assert core.score[0] == pytest.approx(-np.log(p))


def test_binned_numbers_count_as_their_bins():
    random = np.random.default_rng(2)
    X = np.exp(random.normal(size=(500, 3)))
    y = (X[:, 1] > 1).astype(int)
    model = QUESTClassifier(max_bins=16, pruning=None, max_depth=1).fit(X, y)
    assert model.tree_.core.column[0] == 1
    bins = np.searchsorted(np.quantile(X, np.arange(1, 16) / 16, axis=0)[:, 1], X[:, 1])
    in_left = model.apply(X) == 1
    assert bins[in_left].max() < bins[~in_left].min()


def test_ordered_categories_are_split_in_their_order():
    sizes = pd.Categorical(["S", "M", "L", "XL"] * 20, categories=["S", "M", "L", "XL"], ordered=True)
    y = np.isin(sizes, ["L", "XL"])
    model = QUESTClassifier(pruning=None).fit(pd.DataFrame({"size": sizes}), y)
    assert model.tree_.n_leaves == 2
    assert model.score(pd.DataFrame({"size": sizes}), y) == 1


def test_pruned_by_cross_validation_noise_is_mostly_a_leaf_and_a_signal_stays():
    n_leaves = []
    for seed in range(tries(5, 3)):
        random = np.random.default_rng(seed)
        X = random.normal(size=(150, 4))
        noise = QUESTClassifier(random_state=0).fit(X, random.integers(0, 2, 150))
        n_leaves.append(noise.tree_.n_leaves)
        signal = QUESTClassifier(random_state=0).fit(X, (X[:, 3] > 0) ^ (random.random(150) < 0.1))
        assert signal.tree_.core.column[0] == 3
    assert np.median(n_leaves) == 1


def test_quest_is_about_as_accurate_as_cart():
    from sklearn.model_selection import cross_val_score

    X, y = load_wine(return_X_y=True)
    quest = cross_val_score(QUESTClassifier(random_state=0), X, y, cv=5).mean()
    cart = cross_val_score(CARTClassifier(pruning="cost_complexity", random_state=0), X, y, cv=5).mean()
    assert quest > cart - 0.03


def test_weights_that_sum_to_less_than_the_classes_are_warned_of():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 1] > 0).astype(int)
    with pytest.warns(UserWarning, match="Divide the weights by their mean"):
        QUESTClassifier(pruning=None).fit(X, y, sample_weight=np.full(60, 1 / 60))


def test_a_memory_limit_ends_the_growth_at_a_node_whose_sums_do_not_fit():
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 2))
    y = random.integers(0, 60, 60_000)
    with pytest.warns(LimitReachedWarning, match="memory_limit_mb"):
        model = QUESTClassifier(pruning=None, memory_limit_mb=50).fit(X, y)  # 60 MB of sums a column
    assert (model.stopped_by_, model.tree_.n_nodes) == ("memory_limit", 1)


def test_columns_that_do_not_fit_together_are_looked_at_one_by_one():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(4000, 40)), random.integers(0, 2, 4000)
    model = QUESTClassifier(pruning=None, max_depth=2)
    wanted = model.fit(X, y).tree_.to_json()
    bounded = model.set_params(memory_limit_mb=15).fit(X, y)
    assert bounded.stopped_by_ is None
    assert bounded.tree_.to_json() == wanted


def test_threads_change_nothing():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, X.round(), y[::-1]])
    model = QUESTClassifier(pruning=None, categorical_features=[20, 24, 26])
    assert model.set_params(n_jobs=2).fit(X, y).tree_ == model.set_params(n_jobs=1).fit(X, y).tree_


def test_time_that_runs_out_ends_the_growth_and_keeps_the_tree():
    X, y = np.random.default_rng(0).normal(size=(20_000, 40)), np.arange(20_000) % 3
    with pytest.warns(LimitReachedWarning, match="time_limit_s"):
        model = QUESTClassifier(pruning=None, time_limit_s=0.5).fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert model.predict(X).shape == (20_000,)
