"""Lemmas 4.3 to 4.5 of paper 001: how wrong a tree of hinged pairs can be, and which trees it stands for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries

from thriftree import HingedPairs, WorstCaseTreeClassifier
from thriftree.learning.growth import Grown
from thriftree.learning.limits import Limits
from thriftree.learning.objects import objects_of
from thriftree.methods.worst_case.early_stopping import lemma_bound
from thriftree.testing.makers import small_table, small_tables

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "greedytree_paper001.json").read_text())
leaves_of_objects = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 12), min_size=k, max_size=k), min_size=1, max_size=6)
)


def leaf_counts(model, table):
    """Objects of each class in every leaf of a fitted tree."""
    rows = model._read(table.X, table.y, table.sample_weight, Limits.of(1, None, None))
    objects = objects_of(rows, model._plan(rows), Limits.of(1, None, None))
    core = model.tree_.core
    return objects.per_node(Grown(core, model.tree_.columns, None))[core.column < 0]


def object_error(leaves):
    """Share of the objects that are not of the commonest class of their leaf."""
    return float((leaves.sum(axis=1) - leaves.max(axis=1)).sum() / leaves.sum())


def lemma_at(eta, sizes, epsilon, k):
    """Lemma 4.4 as it is written: the fewest of the largest leaves that hold more than 1 - eta."""
    held = np.cumsum(np.sort(sizes)[::-1])
    n_largest = int(np.argmax(held > (1 - eta) * held[-1])) + 1
    return k * (k - 1) * n_largest * epsilon + (k - 1) / k * eta


@settings(max_examples=tries(100, 40), deadline=None)
@given(
    table=small_tables(max_rows=60), alpha=st.floats(0, 20), multiway=st.sampled_from([False, True, "all"])
)
def test_no_tree_of_hinged_pairs_errs_more_than_its_bound(table, alpha, multiway):
    model = WorstCaseTreeClassifier(
        impurity=HingedPairs(alpha), multiway=multiway, categorical_features=list(table.categorical)
    ).fit(table.X, table.y, table.sample_weight)
    leaves = leaf_counts(model, table)
    assert object_error(leaves) <= model.error_bound_ + 1e-12
    assert model.error_bound_ <= 1


@settings(max_examples=tries(60, 30), deadline=None)
@given(
    table=small_tables(max_rows=60),
    alpha=st.floats(0, 5),
    parameters=st.sampled_from(
        [
            {"max_depth": 1},
            {"tolerance": 6.0},
            {"min_leaf": 5},
            {"min_weight_fraction_leaf": 0.2},
            {"max_leaves": 3},
            {"budget": 1.0},
        ]
    ),
)
def test_the_bound_holds_where_a_tree_was_cut_short(table, alpha, parameters):
    parameters = {**parameters, "categorical_features": list(table.categorical)}
    model = WorstCaseTreeClassifier(impurity=HingedPairs(alpha), **parameters)
    model.fit(table.X, table.y, table.sample_weight)
    assert object_error(leaf_counts(model, table)) <= model.error_bound_ + 1e-12


@given(
    sizes=st.lists(st.integers(1, 50), min_size=1, max_size=8),
    epsilon=st.floats(0, 0.2),
    k=st.integers(1, 4),
)
def test_the_bound_is_the_least_that_lemma_44_says_for_any_eta(sizes, epsilon, k):
    n = sum(sizes)
    found = lemma_bound(sizes, n, epsilon * n, k)
    tried = [lemma_at(eta, sizes, epsilon, k) for eta in np.linspace(0, 1, 201)[1:]]
    # Just above the shares that some of the largest leaves leave over, the lemma is at its best.
    left_over = 1 - np.cumsum(np.sort(sizes)[::-1]) / n
    tried += [lemma_at(min(eta + 1e-9, 1.0), sizes, epsilon, k) for eta in left_over]
    assert found <= min(tried) + 1e-9
    assert found >= min(*tried, (k - 1) / k) - 1e-6


def test_lemma_43_as_printed_is_false_and_the_bound_here_is_not():
    example = REFERENCE["bound_checks"]["lemma_4.3_as_printed_counterexample"]
    leaves = np.array(example["leaves"], dtype=float)
    assert HingedPairs(example["alpha"]).value(leaves).max() == 0
    bound = lemma_bound(leaves.sum(axis=1), example["n"], example["alpha"], example["k"])
    assert object_error(leaves) == 3 / 12 > 2 / 12
    assert bound == min(6 / 12, 1 / 2)


@given(leaves=leaves_of_objects)
def test_lemma_45_a_tree_of_small_error_has_hinged_pairs_zero(leaves):
    counts = np.array(leaves, dtype=float)
    if counts.sum() == 0:
        return
    alpha = (counts.sum(axis=1) - counts.max(axis=1)).sum()  # epsilon * n for the tree's own error
    assert HingedPairs(alpha).value(counts).max() == 0


@given(leaves=leaves_of_objects, alpha=st.floats(0, 6))
def test_lemma_45_a_tree_of_hinged_pairs_zero_errs_at_most_as_its_leaves_allow(leaves, alpha):
    counts = np.array(leaves, dtype=float)
    counts = counts[(HingedPairs(alpha).value(counts) == 0) & (counts.sum(axis=1) > 0)]
    if not len(counts):
        return
    k, n = counts.shape[1], counts.sum()
    assert object_error(counts) <= k * (k - 1) * (alpha / n) * len(counts) + 1e-12


def test_other_impurities_have_no_such_bound():
    table = small_table(0)
    assert WorstCaseTreeClassifier().fit(table.X, table.y).error_bound_ is None


@pytest.mark.parametrize("offset", [True, False])
def test_a_hinge_of_nothing_bounds_the_error_by_nothing(offset):
    table = small_table(0, n_rows=40, n_columns=4)
    model = WorstCaseTreeClassifier(impurity=HingedPairs(0, offset=offset)).fit(table.X, table.y)
    assert model.error_bound_ == object_error(leaf_counts(model, table)) == 0
