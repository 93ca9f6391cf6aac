"""Weights: their unit does not matter, whole ones are repetitions, and hopeless ones are refused."""

from __future__ import annotations

import numpy as np
import pytest
from grow_oracle import KINDS, GrowProblem, check_choice
from grow_problems import random_problem

from thriftree import _core

CRITERIA = ["gini", "entropy", "misclassification", "gain_ratio", "squared_error"]
SHAPE = ("parent", "kind", "column", "missing", "other", "children", "keys", "to", "label")


def same_shape(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in SHAPE)


@pytest.mark.parametrize("power", [-40, -1, 3, 60])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_power_of_two_on_all_weights_changes_nothing(criterion, power):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        wide = seed == 5
        n = 320 if wide else 30
        kind = "threshold" if wide else str(rng.choice(list(KINDS)))
        problem = random_problem(rng, criterion, kind, n=n, n_values=n if wide else 5)
        problem.weight = rng.random(n) + 0.01
        tree = problem.grow(min_leaf_rows=2)
        problem.weight = problem.weight * 2.0**power
        scaled = problem.grow(min_leaf_rows=2)
        assert same_shape(tree, scaled)
        np.testing.assert_array_equal(tree.weight * 2.0**power, scaled.weight)
        np.testing.assert_array_equal(tree.score, scaled.score)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_weight_is_a_repetition(criterion, kind):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, criterion, kind)
        times = rng.integers(1, 5, len(problem.target))
        problem.weight = times.astype(float)
        repeated = GrowProblem(
            [np.repeat(c, times) for c in problem.columns],
            problem.n_categories,
            np.repeat(problem.target, times),
            problem.n_classes,
            problem.kinds,
            criterion=criterion,
        )
        tree, again = problem.grow(min_leaf_share=0.05), repeated.grow(min_leaf_share=0.05)
        assert same_shape(tree, again)
        np.testing.assert_array_equal(tree.weight, again.weight)
        np.testing.assert_allclose(tree.value, again.value, rtol=1e-12, atol=1e-12)


def test_class_weights_count_in_values_but_not_in_the_weight_of_a_node():
    labels = np.array([0, 0, 0, 1], np.int32)
    x = _core.encode_matrix(np.array([[0.0], [1], [1], [1]]))
    target = _core.Target.classes(labels, 2, class_weight=np.array([1.0, 5.0]))
    tree = _core.grow(x, target, _core.GrowOptions(candidates=[1])).tree
    np.testing.assert_array_equal(tree.value, [[3, 5], [1, 0], [2, 5]])
    np.testing.assert_array_equal(tree.weight, [4, 1, 3])
    assert tree.label.tolist() == [1, 0, 1]


def test_priors_count_in_growing_but_not_in_values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    labels = rng.integers(0, 2, 80).astype(np.int32)
    table, factors = _core.encode_matrix(x), np.array([1.0, 6.0])
    options = _core.GrowOptions(candidates=[1] * 3, min_leaf_rows=5)
    weighted = _core.grow(table, _core.Target.classes(labels, 2, class_weight=factors), options).tree
    tree = _core.grow(table, _core.Target.classes(labels, 2, priors=factors), options).tree
    plain = _core.grow(table, _core.Target.classes(labels, 2), options).tree
    np.testing.assert_array_equal(tree.keys, weighted.keys)
    assert not np.array_equal(tree.keys, plain.keys)
    np.testing.assert_allclose(tree.value * factors, weighted.value)
    np.testing.assert_array_equal(tree.value.sum(axis=1), tree.rows)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_many_magnitudes_in_a_wide_column_still_give_the_best_threshold(criterion, n_classes):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n = 400
        weight = rng.random(n) * 1e6 + 1
        # The last thresholds divide by next to nothing; numbers are refused weights that differ by more.
        weight[-3:] = [1e-3, 2e-4, 2e-4] if criterion == "squared_error" else [1e-5, 1e-6, 1e-6]
        numeric = criterion == "squared_error"
        target = rng.normal(size=n) if numeric else rng.integers(0, n_classes, n).astype(np.int32)
        columns = [np.arange(n, dtype=float)]
        problem = GrowProblem(columns, [None], target, 0 if numeric else n_classes, [1], weight, criterion)
        check_choice(problem, problem.grow(max_depth=1), 0, np.ones(n, bool))


HARDLY = [[1e20] + [1.0] * 9, [1.0] * 9 + [1e-17]]


@pytest.mark.parametrize("bad", HARDLY)
def test_weights_that_sums_cannot_tell_apart_are_refused_for_numbers(bad):
    with pytest.raises(ValueError, match=r"weights differ too much"):
        _core.Target.numbers(np.arange(10.0), sample_weight=np.array(bad))


@pytest.mark.parametrize("weight", HARDLY)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])  # by these a leaf is pure
def test_rows_that_hardly_weigh_are_still_learnt(criterion, weight):
    table = _core.encode_matrix(np.arange(10.0)[:, None])
    labels = (np.arange(10) % 3 == 0).astype(np.int32)
    target = _core.Target.classes(labels, 2, sample_weight=np.array(weight))
    tree = _core.grow(
        table, target, _core.GrowOptions(criterion=criterion, candidates=[_core.THRESHOLD])
    ).tree
    assert tree.predict(np.arange(10.0)[:, None], 1).tolist() == labels.tolist()
    assert tree.impurity[tree.column < 0].tolist() == [0.0] * tree.n_leaves
    np.testing.assert_allclose(tree.weight[0], np.sum(weight), rtol=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_a_weight_that_is_not_positive_and_finite_is_refused(bad):
    with pytest.raises(ValueError, match="positive and finite"):
        _core.Target.classes(np.zeros(2, np.int32), 2, sample_weight=np.array([1.0, bad]))


@pytest.mark.parametrize(
    ("size", "word"), [(1e308, "large"), (1e160, "large"), (1e-160, "small"), (5e-324, "small")]
)
def test_weights_too_large_or_small_to_compute_with_are_refused(size, word):
    weight = np.full(10, size)
    message = f"weights .* are too {word} to compute with: .* divide them all by their mean"
    with pytest.raises(ValueError, match=message):
        _core.Target.classes(np.zeros(10, np.int32), 2, sample_weight=weight)
    with pytest.raises(ValueError, match=message):
        _core.Target.numbers(np.arange(10.0), sample_weight=weight)


@pytest.mark.parametrize(
    ("size", "word"), [(1e300, "large"), (1e150, "large"), (1e-150, "small"), (5e-324, "small")]
)
def test_a_target_whose_squares_overflow_or_vanish_is_refused(size, word):
    with pytest.raises(ValueError, match=f"target's range is too {word}: .*; rescale y"):
        _core.Target.numbers(np.arange(10.0) * size)


@pytest.mark.parametrize("constant", [5e-324, 1e-300, 0.1, -1e300])
def test_a_constant_target_may_have_any_size(constant):
    table = _core.encode_matrix(np.arange(4.0)[:, None])
    options = _core.GrowOptions(criterion="squared_error", candidates=[_core.THRESHOLD])
    tree = _core.grow(table, _core.Target.numbers(np.full(4, constant)), options).tree
    assert tree.n_nodes == 1
    assert tree.value.ravel()[0] == constant


@pytest.mark.parametrize("size", [1e-80, 1e80])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_and_targets_of_unusual_size_make_the_usual_tree(criterion, size):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, criterion, "threshold", n=30, n_values=5)
        problem.weight = 2.0 ** rng.integers(0, 4, 30)
        tree = problem.grow()
        problem.weight = problem.weight * 2.0 ** np.round(np.log2(size))
        assert same_shape(tree, problem.grow())
        if criterion == "squared_error":
            problem.target = problem.target * 2.0 ** np.round(np.log2(size))
            problem.weight = None
            unweighted = problem.grow()
            problem.target = problem.target / 2.0 ** np.round(np.log2(size))
            assert same_shape(problem.grow(), unweighted)


def test_a_mean_of_a_light_leaf_keeps_its_digits_or_the_weights_are_refused():
    y = np.array([0.3, 0.7, 0.1, 0.9])
    table = _core.encode_matrix(np.arange(4.0)[:, None])
    for ratio in (1e-3, 1e-6, 1e-9):
        target = _core.Target.numbers(y, np.array([1.0, ratio, 1.0, ratio]))
        options = _core.GrowOptions(candidates=[_core.THRESHOLD], criterion="squared_error")
        tree = _core.grow(table, target, options).tree
        np.testing.assert_allclose(tree.value[tree.column < 0][:, 0], y, atol=1e-8)
    for ratio in (1e-11, 1e-14):
        with pytest.raises(ValueError, match="differ too much"):
            _core.Target.numbers(y, np.array([1.0, ratio, 1.0, ratio]))
