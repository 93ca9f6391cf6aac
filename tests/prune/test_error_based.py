from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pruning_trees import (
    apply,
    chain,
    checked,
    children_of,
    from_sklearn,
    leaves_by_number,
    make_tree,
    random_children,
)
from sklearn.tree import DecisionTreeClassifier
from thoroughness import tries

from thriftree import _core


@pytest.mark.parametrize(
    ("cases", "errors", "rate"),
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)],  # Quinlan 1993, section 4.2, the vote tree
)
def test_upper_limits_are_those_of_quinlans_book(cases, errors, rate):
    assert (errors + _core.added_errors(cases, errors, 0.25)) / cases == pytest.approx(rate, abs=0.0006)


def test_upper_limits_worked_by_hand():
    assert _core.added_errors(6, 0) == pytest.approx(6 * (1 - 0.25 ** (1 / 6)), rel=1e-12)
    z2 = (0.84 - 0.59 * 0.25) ** 2  # a quarter of the way from 0.20 to 0.40 in the table
    limit = (1.5 + z2 / 2 + sqrt(z2 * (1.5 * (1 - 1.5 / 16) + z2 / 4))) / (16 + z2)
    assert _core.added_errors(16, 1) == pytest.approx(16 * limit - 1, rel=1e-12)
    assert _core.added_errors(4, 4) == 0
    assert _core.added_errors(4, 3.6) == pytest.approx(0.67 * 0.4)
    none, one = 8 * (1 - exp(log(0.25) / 8)), _core.added_errors(8, 1)
    assert _core.added_errors(8, 0.5) == pytest.approx((none + one) / 2, rel=1e-12)
    assert _core.added_errors(0, 0) == 0
    assert _core.added_errors(100, 10, 1.0) == pytest.approx(0.5)  # deviate 0: the continuity correction only


def test_less_confidence_adds_more_errors():
    levels = [0.0005, 0.001, 0.005, 0.01, 0.04, 0.05, 0.1, 0.25, 0.4, 0.9, 1.0]
    added = [_core.added_errors(50, 5, level) for level in levels]
    assert np.all(np.diff(added) < 0)


def expected_errors(weights):
    errors = weights.sum() - weights.max()
    return errors + _core.added_errors(weights.sum(), errors, 0.25)


@settings(max_examples=tries(100, 40), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_tests=st.integers(1, 15))
def test_a_subtree_is_replaced_when_a_leaf_is_expected_to_do_no_worse(seed, n_tests):
    rng = np.random.default_rng(seed)
    children = random_children(rng, n_tests)
    weights = rng.integers(0, 8, (len(children), 3)) * (rng.random((len(children), 3)) < 0.5) * 1.0
    for node in reversed(range(len(children))):
        if children[node]:
            weights[node] = weights[children[node]].sum(axis=0)

    def prune(t):
        as_leaf = expected_errors(weights[t])
        parts = [prune(c) for c in children[t]]
        subtree = sum(p[0] for p in parts)
        if not parts or as_leaf <= subtree + 0.1:
            return as_leaf, {t}
        return subtree, set().union(*(p[1] for p in parts))

    tree = make_tree(children, n_classes=3, value=weights, label=weights.argmax(axis=1))
    assert leaves_by_number(_core.prune_error_based(tree, weights)) == prune(0)[1]


class C45Node:
    """The tree of an independent, recursive C4.5: a test (column, cut, two branches) or a leaf."""

    def __init__(self, tree, t=0):
        below = children_of(tree)[t]
        self.branches = [C45Node(tree, c) for c in below]
        self.column = int(tree.column[t])
        self.cut = float(tree.keys[tree.key_begin[t]]) if below else None

    def copy_from(self, other):
        self.branches, self.column, self.cut = other.branches, other.column, other.cut

    def parts(self, rows, X):
        right = X[rows, self.column] > self.cut
        return rows[~right], rows[right]

    def preorder(self, rows, X, y, w):
        weights = np.bincount(y[rows], w[rows], minlength=3)
        test = (self.column, self.cut) if self.branches else (-1, None)
        yield (*test, len(rows), *np.round(weights, 9))
        if self.branches:
            for branch, part in zip(self.branches, self.parts(rows, X), strict=True):
                yield from branch.preorder(part, X, y, w)


def estimate(node, rows, X, y, w, *, update):
    """Errors expected of the subtree with these rows; with update, prunes and raises inside it."""
    as_leaf = expected_errors(np.bincount(y[rows], w[rows], minlength=3))
    if not node.branches:
        return as_leaf
    parts = node.parts(rows, X)
    subtree = sum(estimate(b, p, X, y, w, update=update) for b, p in zip(node.branches, parts, strict=True))
    if not update:
        return subtree
    largest = node.branches[0 if w[parts[0]].sum() >= w[parts[1]].sum() else 1]
    raised = estimate(largest, rows, X, y, w, update=False)
    if as_leaf <= raised + 0.1 and as_leaf <= subtree + 0.1:
        node.branches = []
        return as_leaf
    if raised <= subtree + 0.1:
        errors = estimate(largest, rows, X, y, w, update=True)
        node.copy_from(largest)
        return errors
    return subtree


def grown(seed, n=150, weighted=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 4)).astype(float)
    clean = (X[:, 0] > 2).astype(int) + ((X[:, 0] > 2) & (X[:, 1] > 3))
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), clean).astype(np.int32)
    y[:3] = [0, 1, 2]
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    model = DecisionTreeClassifier(splitter="random", criterion="entropy", random_state=seed).fit(X, y, w)
    return from_sklearn(model)[0], X, y, w


def raise_branches(tree, X, y, w, **options):
    return _core.prune_error_based_raising(
        tree, apply(tree, X), y, w, lambda branch, rows: apply(branch, X[rows]), **options
    )


def test_raising_equals_an_independent_recursive_implementation():
    n_raised, n_trees = 0, tries(60, 25)
    for seed in range(n_trees):
        tree, X, y, w = grown(seed, weighted=seed % 2 == 1)
        every = np.arange(len(y))
        reference = C45Node(tree)
        estimate(reference, every, X, y, w, update=True)
        pruned = checked(raise_branches(tree, X, y, w))
        value = np.asarray(pruned.value).reshape(len(pruned.weight), 3)
        inner = pruned.column >= 0
        cut = np.full(len(inner), None, object)
        cut[inner] = pruned.keys
        ours = [
            (column, c, rows, *np.round(v, 9))
            for column, c, rows, v in zip(pruned.column, cut, pruned.rows, value, strict=True)
        ]
        assert ours == list(reference.preorder(every, X, y, w))
        assert np.array_equal(pruned.label, value.argmax(axis=1))
        np.testing.assert_allclose(pruned.weight, value.sum(axis=1))
        share = value / value.sum(axis=1, keepdims=True)
        bits = -np.where(share > 0, share * np.log2(np.where(share > 0, share, 1)), 0).sum(axis=1)
        np.testing.assert_allclose(pruned.impurity, bits, atol=1e-12)
        replaced = _core.prune_error_based(tree, np.asarray(tree.value).reshape(-1, 3))
        n_raised += len(replaced.weight) != len(pruned.weight)
    assert n_raised >= n_trees / 3  # else the comparison says little about raising


def test_raised_nodes_are_valued_and_labelled_by_class_weight_and_error_costs():
    tree, X, y, w = grown(4)
    class_weight = np.array([1.0, 5.0, 2.0])
    costs = np.array([[0.0, 1, 9], [1, 0, 1], [4, 1, 0]])
    pruned = raise_branches(tree, X, y, w, class_weight=class_weight, error_costs=costs, confidence=1.0)
    leaf = apply(pruned, X)
    value = np.asarray(pruned.value).reshape(-1, 3)
    touched = 0
    for t in np.unique(leaf):
        sums = np.bincount(y[leaf == t], w[leaf == t], minlength=3)
        if not np.allclose(value[t], sums):  # the tree came with plain sums, so this node was restated
            np.testing.assert_allclose(value[t], sums * class_weight)
            assert pruned.label[t] == (value[t] @ costs).argmin()
            touched += 1
    assert touched > 0


def test_a_deep_chain_is_pruned_without_recursion():
    tree = make_tree(chain(50_000), value=np.ones((100_001, 2)))
    assert len(_core.prune_error_based(tree, np.zeros((100_001, 2))).weight) == 1


def test_an_error_in_the_route_reaches_the_caller():
    tree, X, y, w = grown(1)

    def broken(branch, rows):
        raise RuntimeError("no rows today")

    with pytest.raises(RuntimeError, match="no rows today"):
        _core.prune_error_based_raising(tree, apply(tree, X), y, w, broken)
    with pytest.raises(ValueError, match="route must return a 1-D int32 array"):
        _core.prune_error_based_raising(tree, apply(tree, X), y, w, lambda branch, rows: "nowhere")
    with pytest.raises(ValueError, match="is not a leaf of this tree"):
        _core.prune_error_based_raising(
            tree, apply(tree, X), y, w, lambda branch, rows: np.full(len(rows), 10**6, np.int32)
        )


def test_bad_settings_are_refused():
    tree, X, y, w = grown(1)
    weights = np.asarray(tree.value).reshape(-1, 3)
    for confidence in (0.0, -1.0, 1.5, np.nan):
        with pytest.raises(ValueError, match="give a number above 0 and up to 1"):
            _core.prune_error_based(tree, weights, confidence)
    numbers = make_tree([[1, 2], [], []], n_classes=0)
    with pytest.raises(ValueError, match="error-based pruning needs classes"):
        _core.prune_error_based(numbers, np.ones((3, 0)))
    with pytest.raises(ValueError, match="class_weight has 2 entries, but the tree has 3 classes"):
        raise_branches(tree, X, y, w, class_weight=np.ones(2))
    with pytest.raises(ValueError, match="squared_error is not an impurity of classes"):
        raise_branches(tree, X, y, w, impurity="squared_error")
