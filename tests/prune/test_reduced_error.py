from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pruning_trees import chain, leaves_by_number, make_tree, prunings, random_children
from thoroughness import tries

from thriftree import _core


@settings(max_examples=tries(100, 40), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_tests=st.integers(1, 6), whole=st.booleans())
def test_no_pruning_has_less_error_and_none_as_good_is_smaller(seed, n_tests, whole):
    rng = np.random.default_rng(seed)
    children = random_children(rng, n_tests)
    error = rng.integers(0, 9, len(children)).astype(float) if whole else rng.random(len(children))
    every = [leaves for leaves, _ in prunings(children)]
    totals = np.array([error[list(leaves)].sum() for leaves in every])
    best = min((every[i] for i in np.flatnonzero(totals <= totals.min() + 1e-9)), key=len)
    assert leaves_by_number(_core.prune_reduced_error(make_tree(children), error)) == best


def test_a_tie_in_fractions_goes_to_the_leaf():
    tree = make_tree([[1, 2, 3], [], [], []])
    assert len(_core.prune_reduced_error(tree, np.array([0.3 + 1e-16, 0.1, 0.1, 0.1])).weight) == 1
    assert len(_core.prune_reduced_error(tree, np.array([0.6, 0.3, 0.2, 0.1])).weight) == 1


def test_class_errors_are_the_weight_not_of_the_label_or_its_cost():
    rng = np.random.default_rng(1)
    label = np.array([2, 0, 1])
    tree = make_tree([[1, 2], [], []], n_classes=3, value=np.ones((3, 3)), label=label)
    weights = rng.random((3, 3))
    expected = [weights[t].sum() - weights[t, label[t]] for t in range(3)]
    np.testing.assert_allclose(_core.node_class_errors(tree, weights), expected, rtol=1e-14)
    costs = rng.random((3, 3))
    expected = [weights[t] @ costs[:, label[t]] for t in range(3)]
    np.testing.assert_allclose(_core.node_class_errors(tree, weights, costs), expected, rtol=1e-14)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), offset=st.sampled_from([0.0, 1e8]))
def test_figures_per_node_equal_those_of_the_rows_under_it(seed, offset):
    rng = np.random.default_rng(seed)
    children = random_children(rng, 5)
    parent = {c: node for node, below in enumerate(children) for c in below}
    leaves = [t for t, below in enumerate(children) if not below]
    leaf = rng.choice(leaves, 40).astype(np.int32)
    weight, target = rng.random(40), rng.normal(size=40) + offset
    label = rng.integers(0, 3, 40).astype(np.int32)
    mean = rng.normal(size=len(children)) + offset
    classes = make_tree(children, n_classes=3, value=np.ones((len(children), 3)))
    numbers = make_tree(children, n_classes=0, value=np.c_[mean, np.ones(len(children))])

    under = np.zeros((len(children), 40), bool)
    for row, node in enumerate(leaf.tolist()):
        while True:
            under[node, row] = True
            if node == 0:
                break
            node = parent[node]
    expected = np.array([[weight[u & (label == c)].sum() for c in range(3)] for u in under])
    np.testing.assert_allclose(_core.node_class_weights(classes, leaf, label, weight), expected, rtol=1e-12)

    moments = _core.node_moments(numbers, leaf, target, weight)
    errors = _core.node_squared_errors(numbers, moments)
    for t, u in enumerate(under):
        if not u.any():
            assert moments[t].tolist() == [0, 0, 0]
            continue
        average = np.average(target[u], weights=weight[u])
        spread = np.average((target[u] - average) ** 2, weights=weight[u])
        np.testing.assert_allclose(moments[t], [weight[u].sum(), average, spread], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(errors[t], (weight[u] * (target[u] - mean[t]) ** 2).sum(), rtol=1e-6)


def test_a_deep_chain_is_pruned_without_recursion():
    tree = make_tree(chain(50_000))
    assert len(_core.prune_reduced_error(tree, np.zeros(100_001)).weight) == 1


def test_rows_outside_the_tree_are_refused():
    tree = make_tree([[1, 2], [], []], value=np.ones((3, 2)))
    one, weight = np.array([1], np.int32), np.ones(1)
    with pytest.raises(ValueError, match="row 0 is at node 0, which is not a leaf"):
        _core.node_class_weights(tree, np.array([0], np.int32), one, weight)
    with pytest.raises(ValueError, match="row 0 is at node 7, which is not a leaf"):
        _core.node_class_weights(tree, np.array([7], np.int32), one, weight)
    with pytest.raises(ValueError, match="row 0 has class 2, but the tree has 2 classes"):
        _core.node_class_weights(tree, one, np.array([2], np.int32), weight)
    with pytest.raises(ValueError, match="row 0 has weight -1"):
        _core.node_class_weights(tree, one, one, -weight)
    with pytest.raises(ValueError, match="label has 2 entries, but leaf has 1"):
        _core.node_class_weights(tree, one, np.array([0, 0], np.int32), weight)
    with pytest.raises(ValueError, match="error_costs has 3 columns, but needs 2"):
        _core.node_class_errors(tree, np.ones((3, 2)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="make_leaf has 1 entries, but the tree has 3 nodes"):
        _core.prune_collapse(tree, np.array([True]))
