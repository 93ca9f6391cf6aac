from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pruning_trees import (
    chain,
    checked,
    children_of,
    from_sklearn,
    leaves_by_number,
    make_tree,
    prunings,
    random_children,
)
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from thoroughness import tries

from thriftree import _core


def alphas_to_try(path):
    alphas = np.unique(path["alpha"])
    return [alphas[0] - 1, *alphas, *(alphas[:-1] + np.diff(alphas) / 2), alphas[-1] + 1]


@settings(max_examples=tries(150, 60), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_tests=st.integers(1, 6))
def test_for_every_alpha_the_result_is_the_smallest_minimiser(seed, n_tests):
    rng = np.random.default_rng(seed)
    children = random_children(rng, n_tests)
    tree = make_tree(children)
    cost = rng.integers(0, 12, len(children)).astype(float)  # whole numbers: ties are exact, and frequent
    every = list(prunings(children))
    for alpha in alphas_to_try(_core.cost_complexity_path(tree, cost)):
        objective = np.array([sum(cost[list(leaves)]) + alpha * len(leaves) for leaves, _ in every])
        smallest = min((every[i][0] for i in np.flatnonzero(objective <= objective.min() + 1e-9)), key=len)
        assert leaves_by_number(_core.prune_cost_complexity(tree, cost, alpha)) == smallest


@settings(max_examples=tries(100, 40), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_tests=st.integers(1, 6))
def test_any_size_that_shrinks_with_pruning_is_minimised(seed, n_tests):
    rng = np.random.default_rng(seed)
    children = random_children(rng, n_tests)
    tree = make_tree(children)
    cost = rng.random(len(children))
    test_size = rng.integers(0, 4, len(children)).astype(float)
    leaf_size = np.zeros(len(children))
    every = list(prunings(children))
    path = _core.weakest_link_path(tree, cost, leaf_size, test_size)
    finite = path["alpha"][np.isfinite(path["alpha"])]
    for alpha in np.concatenate([finite[:-1] + np.diff(finite) / 2, [-0.3, 0.0, 0.3]]):
        pruned = leaves_by_number(_core.prune_weakest_link(tree, cost, leaf_size, test_size, alpha))
        price = {
            leaves: cost[list(leaves)].sum() + alpha * test_size[list(tests)].sum() for leaves, tests in every
        }
        assert price[pruned] == pytest.approx(min(price.values()), abs=1e-9)


def test_a_size_that_a_collapse_would_raise_is_refused():
    tree = make_tree([[1, 2], [], []])
    with pytest.raises(ValueError, match=r"node 0 has size 3\.0+ as a leaf but only 2\.0+"):
        _core.weakest_link_path(tree, np.zeros(3), np.array([3.0, 1.0, 1.0]), np.zeros(3))


def test_the_trees_of_the_path_are_nested_and_have_the_costs_and_sizes_it_reports():
    rng = np.random.default_rng(5)
    children = random_children(rng, 60)
    tree = make_tree(children)
    cost = np.sort(rng.random(len(children)))[::-1].copy()
    path = _core.cost_complexity_path(tree, cost)
    assert np.all(np.diff(path["alpha"]) >= 0)
    assert path["size"][0] == sum(not below for below in children)
    kept_before = set(range(len(children)))
    for i, alpha in enumerate(path["alpha"]):
        pruned = _core.prune_cost_complexity(tree, cost, alpha)
        kept = set(map(int, pruned.weight))
        assert kept < kept_before or alpha == path["alpha"][i - 1]
        kept_before = kept
        if i + 1 == len(path["alpha"]) or path["alpha"][i + 1] > alpha:
            leaves = leaves_by_number(pruned)
            assert path["cost"][i + 1] == pytest.approx(cost[list(leaves)].sum(), abs=1e-12)
            assert path["size"][i + 1] == len(leaves)
    assert kept_before == {0}


def sklearn_models():
    rng = np.random.default_rng(0)
    for name, load in [("iris", load_iris), ("cancer", load_breast_cancer), ("digits", load_digits)]:
        X, y = load(return_X_y=True)
        for criterion in ["gini", "entropy"]:
            model = DecisionTreeClassifier(criterion=criterion, random_state=0)
            yield f"{name}-{criterion}", model, X, y, None
            yield f"{name}-{criterion}-weighted", model, X, y, rng.random(len(y)) * 3
    X, y = load_diabetes(return_X_y=True)
    yield "diabetes", DecisionTreeRegressor(random_state=0), X, y, None
    yield "diabetes-weighted", DecisionTreeRegressor(random_state=0), X, y, rng.random(len(y))
    y = rng.integers(0, 3, 400)
    yield "ties", DecisionTreeClassifier(random_state=0), rng.integers(0, 4, (400, 6)).astype(float), y, None


CASES = [pytest.param(*case, id=name) for name, *case in sklearn_models()]


def last_of_equal_alphas(alpha, cost):
    last = np.append(np.diff(alpha) > 1e-12, True)
    return alpha[last], cost[last]


@pytest.mark.parametrize(("model", "X", "y", "weight"), CASES)
def test_the_path_equals_that_of_scikit_learn(model, X, y, weight):
    model.fit(X, y, sample_weight=weight)
    theirs = model.cost_complexity_pruning_path(X, y, sample_weight=weight)
    tree, cost = from_sklearn(model)
    ours = _core.cost_complexity_path(tree, cost)
    # Rounding decides in how many steps scikit-learn cuts nested links of equal alpha: compare the ends.
    our_alpha, our_cost = last_of_equal_alphas(np.append(0.0, ours["alpha"]), ours["cost"])
    alpha, impurity = last_of_equal_alphas(theirs.ccp_alphas, theirs.impurities)
    scale = max(1.0, cost[0])
    np.testing.assert_allclose(our_alpha / scale, alpha / scale, rtol=0, atol=1e-12)
    np.testing.assert_allclose(our_cost / scale, impurity / scale, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("model", "X", "y", "weight"), CASES)
def test_the_pruned_tree_equals_that_of_scikit_learn_node_by_node(model, X, y, weight):
    model.fit(X, y, sample_weight=weight)
    tree, cost = from_sklearn(model)
    alpha = np.unique(_core.cost_complexity_path(tree, cost)["alpha"])
    gaps = np.flatnonzero(np.diff(alpha) > 1e-9)
    for i in gaps[:: max(1, len(gaps) // 5)]:
        between = float(alpha[i] + alpha[i + 1]) / 2
        theirs = clone(model).set_params(ccp_alpha=between).fit(X, y, sample_weight=weight).tree_
        pruned = checked(_core.prune_cost_complexity(tree, cost, between))
        inner = theirs.children_left >= 0
        assert [bool(below) for below in children_of(pruned)] == inner.tolist()
        assert np.array_equal(pruned.column[inner], theirs.feature[inner])
        assert np.array_equal(pruned.keys, theirs.threshold[inner])
        assert np.array_equal(pruned.weight, theirs.weighted_n_node_samples)
        assert np.array_equal(pruned.rows, theirs.n_node_samples)
        assert np.array_equal(pruned.impurity, theirs.impurity)
        assert np.array_equal(np.isnan(pruned.score), ~inner)


@pytest.mark.parametrize("rising", [True, False])
def test_a_chain_of_a_hundred_thousand_nodes_is_pruned_from_either_end(rising):
    n_tests = 50_000
    tree = make_tree(chain(n_tests))
    depth = np.arange(2 * n_tests + 1) // 2
    gain = 1.0 + (depth if rising else n_tests - depth)  # of the test at this depth
    # R of the k-th test as a leaf: what the tests from there on gain together
    inner = np.array([bool(below) for below in chain(n_tests)])
    cost = np.where(inner, np.cumsum((gain * inner)[::-1])[::-1], 0.0)
    path = _core.cost_complexity_path(tree, cost)
    assert path["cost"][0] == 0.0
    assert path["cost"][-1] == cost[0]
    assert path["size"][-1] == 1
    if rising:  # every subtree gains more a leaf than the whole tree, so the root is the first link
        assert len(path["alpha"]) == 1
    else:  # each deeper test gains less than the one above
        assert np.array_equal(path["alpha"], np.sort(gain[inner]))
    assert len(_core.prune_cost_complexity(tree, cost, np.inf).weight) == 1


def test_costs_that_are_not_finite_or_not_one_a_node_are_refused():
    tree = make_tree([[1, 2], [], []])
    with pytest.raises(ValueError, match="node_cost has 2 entries, but the tree's 3 nodes need 1 each"):
        _core.cost_complexity_path(tree, np.zeros(2))
    with pytest.raises(ValueError, match="node_cost holds nan at node 1"):
        _core.cost_complexity_path(tree, np.array([0.0, np.nan, 0.0]))
    with pytest.raises(ValueError, match="alpha is NaN"):
        _core.prune_cost_complexity(tree, np.zeros(3), np.nan)
