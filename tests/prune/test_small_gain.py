from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pruning_trees import leaves_by_number, make_tree, random_children
from thoroughness import tries

from thriftree import _core

IMPURITIES = {
    "gini": lambda p: 1 - (p**2).sum(),
    "entropy": lambda p: -(p[p > 0] * np.log2(p[p > 0])).sum(),
    "misclassification": lambda p: 1 - p.max(),
}


def sums_upwards(children, leaf_sums):
    sums = leaf_sums.copy()
    for node in reversed(range(len(children))):
        if children[node]:
            sums[node] = sums[children[node]].sum(axis=0)
    return sums


@settings(max_examples=tries(100, 40), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_tests=st.integers(1, 12),
    impurity=st.sampled_from(sorted(IMPURITIES)),
    min_gain=st.sampled_from([0.0, 0.01, 0.1, 0.3, 2.0]),
)
def test_what_stays_leads_to_a_gain_and_what_goes_has_none_below(seed, n_tests, impurity, min_gain):
    rng = np.random.default_rng(seed)
    children = random_children(rng, n_tests)
    weights = sums_upwards(children, rng.integers(0, 6, (len(children), 3)).astype(float))
    h = IMPURITIES[impurity]

    def gain(t):
        if not weights[t].sum():
            return 0.0
        parts = [weights[c].sum() * h(weights[c] / weights[c].sum()) for c in children[t] if weights[c].sum()]
        return h(weights[t] / weights[t].sum()) - sum(parts) / weights[t].sum()

    def leaves(t):
        below = [leaves(c) for c in children[t]]
        only_leaves = below == [{c} for c in children[t]]
        if below and only_leaves and gain(t) < min_gain:
            return {t}
        return set().union(*below) if below else {t}

    tree = make_tree(children, n_classes=3, value=np.ones((len(children), 3)))
    if min(abs(gain(t) - min_gain) for t, below in enumerate(children) if below) > 1e-12:
        assert leaves_by_number(_core.prune_small_gain(tree, weights, impurity, min_gain)) == leaves(0)


def test_exclusive_or_keeps_the_first_test_that_gains_nothing_by_itself():
    children = [[1, 4], [2, 3], [], [], [5, 6], [], []]
    leaf_sums = np.array([[0, 0], [0, 0], [5, 0], [0, 5], [0, 0], [0, 5], [5, 0]], float)
    tree = make_tree(children, value=np.ones((7, 2)))
    pruned = _core.prune_small_gain(tree, sums_upwards(children, leaf_sums), "entropy", 0.5)
    assert len(pruned.weight) == 7


def test_squared_error_gains_are_measured_from_moments():
    children = [[1, 2], [], [3, 4], [], []]
    tree = make_tree(children, n_classes=0)
    leaf = np.array([1, 1, 3, 3, 4, 4], np.int32)
    moments = _core.node_moments(tree, leaf, np.array([0.0, 0, 10, 11, 11, 12]), np.ones(6))
    # at node 2: variance 0.5, of which 0.25 is left
    assert leaves_by_number(_core.prune_small_gain(tree, moments, "squared_error", 0.24)) == {1, 3, 4}
    assert leaves_by_number(_core.prune_small_gain(tree, moments, "squared_error", 0.26)) == {1, 2}
    assert leaves_by_number(_core.prune_small_gain(tree, moments, "squared_error", 1000.0)) == {0}


def test_an_impurity_that_does_not_fit_the_target_is_refused():
    classes = make_tree([[1, 2], [], []], value=np.ones((3, 2)))
    numbers = make_tree([[1, 2], [], []], n_classes=0)
    with pytest.raises(ValueError, match="squared_error needs a numeric target"):
        _core.prune_small_gain(classes, np.ones((3, 2)), "squared_error", 0.1)
    with pytest.raises(ValueError, match="use squared_error"):
        _core.prune_small_gain(numbers, np.ones((3, 3)), "gini", 0.1)
    with pytest.raises(ValueError, match="unknown impurity 'ginny'"):
        _core.prune_small_gain(classes, np.ones((3, 2)), "ginny", 0.1)
    with pytest.raises(ValueError, match="min_gain must be 0 or more"):
        _core.prune_small_gain(classes, np.ones((3, 2)), "gini", -0.1)
    with pytest.raises(ValueError, match="validation has 3 columns, but needs 2"):
        _core.prune_small_gain(classes, np.ones((3, 3)), "gini", 0.1)
