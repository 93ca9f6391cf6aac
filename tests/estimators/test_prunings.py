"""The prunings of a tree, their scores and their prices, against the trees themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from thoroughness import tries
from thrift_prices import random_costs

from thriftree import CARTClassifier, CARTRegressor, EnhancedTreeClassifier
from thriftree.learning import growth, pruning
from thriftree.learning.limits import Limits
from thriftree.learning.prunings import MOST, prunings
from thriftree.learning.sample import Sample
from thriftree.learning.tree_sizes import SIZES
from thriftree.table.coding import read_codes
from thriftree.table.prediction_inputs import prediction_inputs
from thriftree.testing.makers import small_table, small_tables
from thriftree.tree import Tree
from thriftree.tuning.measures import Held, Priced, scores

UNLIMITED = Limits.of(1, None, None)


def grown(model, table):
    """A fully grown tree of a table, with the rows and the plan that made it."""
    rows = model._read(table.X, table.y, table.sample_weight, Limits.of(1, None, None))
    plan = model._plan(rows)
    return growth.grow(rows, plan, UNLIMITED), rows, plan


def as_tree(one, model, costs=None):
    classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
    return Tree(one.core, one.columns, classes, None if costs is None else costs.to_dict())


@settings(max_examples=tries(60, 20), deadline=None)
@given(table=small_tables())
@example(
    table=small_table(seed=0, n_rows=6, n_columns=1, n_classes=5, n_values=5)
)  # two links of one strength
def test_by_leaves_they_are_the_trees_of_cost_complexity_pruning(table):
    model = CARTClassifier(categorical_features=list(table.categorical))
    tree, _, plan = grown(model, table)
    sequence = prunings(tree, plan, "leaves", None)
    path = pruning.path(tree, plan)
    np.testing.assert_allclose(sequence.alphas, np.maximum(path.ccp_alphas, 0.0), rtol=1e-9, atol=1e-15)
    for alpha in sequence.alphas.tolist():
        expected = CARTClassifier(
            pruning="cost_complexity", alpha=alpha, categorical_features=list(table.categorical)
        ).fit(table.X, table.y, table.sample_weight)
        assert sequence.tree_at(alpha).core == expected.tree_.core


@settings(max_examples=tries(80, 25), deadline=None)
@given(table=small_tables(max_rows=40), seed=st.integers(0, 2**32 - 1))
def test_more_pruning_is_never_more_expensive_and_prices_are_those_of_the_tree(table, seed):
    rng = np.random.default_rng(seed)
    costs = random_costs(rng, table)
    model = EnhancedTreeClassifier(costs=costs, categorical_features=list(table.categorical))
    tree, rows, plan = grown(model, table)
    bound = costs.bind(tree.columns)
    inputs = rows.codes.inputs(tree.columns)
    held = Held(tree.core, rows, inputs, plan)
    for size in SIZES:
        sequence = prunings(tree, plan, size, bound)
        priced = Priced.by(sequence, bound)
        assert sequence.tree_at(sequence.alphas[-1]).core.n_leaves == 1
        before = (np.inf, np.inf, np.inf)
        for alpha in sequence.alphas.tolist():
            one = sequence.tree_at(alpha)
            finished = as_tree(one, model, costs)
            expected, worst = priced.at(alpha, held)
            assert expected == pytest.approx(finished.expected_cost(rows.codes, rows.weight))
            assert worst == pytest.approx(finished.worst_case_cost())
            now = (expected, worst, one.core.n_leaves)
            assert all(a <= b * (1 + 1e-12) + 1e-12 for a, b in zip(now, before, strict=True))
            assert one.core.n_leaves < before[2] or before[2] == np.inf
            before = now


@settings(max_examples=tries(40, 10), deadline=None)
@given(table=small_tables(max_rows=40), seed=st.integers(0, 2**16))
def test_scores_are_those_of_the_pruned_trees_on_other_rows(table, seed):
    model = CARTClassifier(categorical_features=list(table.categorical))
    tree, _, plan = grown(model, table)
    other = small_table(seed, n_rows=30, n_columns=table.X.shape[1], n_classes=table.n_classes, weighted=True)
    rows = Sample(read_codes(other.X), other.y.astype(np.int32), other.sample_weight)
    held = Held(tree.core, rows, prediction_inputs(other.X, tree.columns), plan)
    for size in SIZES:
        sequence = prunings(tree, plan, size, None)
        accuracy = scores(sequence, held, "accuracy", sequence.between, 0.0, UNLIMITED)
        auc = scores(sequence, held, "auc", sequence.between, 0.0, UNLIMITED)
        for i, alpha in enumerate(sequence.between.tolist()):
            finished = as_tree(sequence.tree_at(alpha), model)
            right = accuracy_score(other.y, finished.predict(other.X), sample_weight=other.sample_weight)
            assert accuracy[i] == pytest.approx(right)
            shares = finished.predict_proba(other.X)
            areas = [
                roc_auc_score(other.y == c, shares[:, c], sample_weight=other.sample_weight)
                for c in range(table.n_classes)
            ]
            assert auc[i] == pytest.approx(np.mean(areas))


def test_r2_is_that_of_the_pruned_trees_on_other_rows():
    for seed in range(10):
        model = CARTRegressor()
        tree, _, plan = grown(model, small_table(seed, n_rows=40, n_classes=0, weighted=True))
        other = small_table(seed + 100, n_rows=30, n_classes=0, weighted=True)
        rows = Sample(read_codes(other.X), other.y, other.sample_weight)
        held = Held(tree.core, rows, prediction_inputs(other.X, tree.columns), plan)
        mean = np.average(other.y, weights=other.sample_weight)
        variance = float(np.average((other.y - mean) ** 2, weights=other.sample_weight))
        sequence = prunings(tree, plan, "leaves", None)
        found = scores(sequence, held, "r2", sequence.alphas, variance, UNLIMITED)
        for alpha, score in zip(sequence.alphas.tolist(), found, strict=True):
            answers = as_tree(sequence.tree_at(alpha), model).predict(other.X)
            assert score == pytest.approx(r2_score(other.y, answers, sample_weight=other.sample_weight))


def test_costs_of_mistakes_are_what_accuracy_loses():
    costs = np.array([[0.0, 1.0], [7.0, 0.0]])
    table = small_table(5, n_rows=60)
    model = CARTClassifier(error_costs=costs)
    tree, rows, plan = grown(model, table)
    held = Held(tree.core, rows, rows.codes.inputs(tree.columns), plan)
    sequence = prunings(tree, plan, "leaves", None)
    found = scores(sequence, held, "accuracy", sequence.alphas, 0.0, UNLIMITED)
    for alpha, score in zip(sequence.alphas.tolist(), found, strict=True):
        answers = as_tree(sequence.tree_at(alpha), model).predict(table.X)
        assert score == pytest.approx(1 - costs[table.y, answers].mean())


def test_a_single_class_has_no_pairs_to_rank():
    model = CARTClassifier()
    table = small_table(1, n_rows=30)
    tree, _, plan = grown(model, table)
    rows = Sample(read_codes(table.X[:5]), np.zeros(5, dtype=np.int32), None)
    held = Held(tree.core, rows, prediction_inputs(table.X[:5], tree.columns), plan)
    sequence = prunings(tree, plan, "leaves", None)
    assert set(scores(sequence, held, "auc", sequence.alphas, 0.0, UNLIMITED)) == {0.5}


def test_of_a_long_sequence_a_choice_of_falling_sizes_is_left():
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 3)), rng.integers(0, 2, 2000)
    model = CARTClassifier()
    rows = model._read(X, y, None, Limits.of(1, None, None))
    plan = model._plan(rows)
    tree = growth.grow(rows, plan, UNLIMITED)
    sequence = prunings(tree, plan, "leaves", None)
    assert len(pruning.path(tree, plan).ccp_alphas) > 2 * MOST
    n_leaves = [sequence.tree_at(alpha).core.n_leaves for alpha in sequence.alphas.tolist()]
    assert MOST / 2 < len(n_leaves) <= MOST
    assert n_leaves[0] == tree.core.n_leaves
    assert n_leaves[-1] == 1
    assert n_leaves == sorted(set(n_leaves), reverse=True)
    for own, inside, following in zip(
        sequence.alphas[:-1], sequence.between[:-1], sequence.alphas[1:], strict=True
    ):
        assert own <= inside <= following
