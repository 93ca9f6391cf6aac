"""Whole numbers stand for weights and costs, and come back as the risk that people know."""

from __future__ import annotations

import numpy as np
import pytest
from optimal_problems import NO_LIMITS, plan, problem, sample, table
from thoroughness import tries

from thriftree import Tree, regularised_risk
from thriftree.learning import growth
from thriftree.methods.optimal.finish import finished
from thriftree.methods.optimal.from_trees import outline_of
from thriftree.methods.optimal.problem import Problem, whole_weights


@pytest.mark.parametrize("scale", [1.0, 0.3, 1e-9, 1e12])
def test_the_risk_of_an_outline_is_that_of_its_finished_tree_on_the_rows(scale):
    for seed in range(tries(100, 12)):
        rows = table(seed, n_rows=40, n_values=6)
        n = rows.n_classes
        random = np.random.default_rng(seed)
        costs = None
        if seed % 2:
            costs = np.round(random.random((n, n)) * 10, seed % 5) + 0.5
            np.fill_diagonal(costs, 0)
        factors = random.random(n) + 0.2 if seed % 3 else None
        weight = None if rows.sample_weight is None else rows.sample_weight * scale
        given, of_greedy = problem(
            rows,
            0.013,
            max_depth=3,
            error_costs=None if costs is None else costs * scale,
            class_weight=factors,
        )
        grown = growth.grow(given.rows, of_greedy, NO_LIMITS)
        outline = outline_of(grown.core, grown.columns, given.seen)
        core = finished(given.rows, of_greedy, outline).core
        tree = Tree(core, grown.columns, range(n))
        each = np.ones(len(rows.y)) if weight is None else weight
        each = each if factors is None else each * factors[rows.y]
        wanted = regularised_risk(
            tree,
            rows.X,
            rows.y,
            0.013,
            sample_weight=each,
            error_costs=None if costs is None else costs * scale,
        )
        found = given.risk(given.cost(outline) + given.core_penalty * core.n_leaves)
        assert found == pytest.approx(wanted, rel=1e-6), seed


def test_weights_that_are_multiples_of_a_unit_stay_exact():
    rows = sample(table(1, n_rows=20))
    assert rows.weight is not None
    whole = whole_weights(rows, None)
    assert whole is not None
    assert np.array_equal(whole / whole[0], rows.weight / rows.weight[0])
    assert whole.max() < 1000


def test_equal_weights_are_no_weights():
    rows = table(0, n_rows=10)
    same = rows.__class__(rows.X, rows.y, np.full(10, 0.37), rows.categorical, rows.n_classes)
    assert whole_weights(sample(same), None) is None


def test_a_weight_of_next_to_nothing_does_not_vanish():
    rows = table(0, n_rows=10)
    weight = np.full(10, 1.0)
    weight[3] = 1e-14
    light = rows.__class__(rows.X, rows.y, weight, rows.categorical, rows.n_classes)
    whole = whole_weights(sample(light), None)
    assert whole is not None
    assert whole[3] == 1


def test_a_share_of_unweighted_rows_is_a_number_of_rows():
    rows = table(0, n_rows=20)
    given, _ = problem(rows, share=0.15)
    assert (given.shape.min_leaf, given.shape.min_leaf_weight) == (3, 0)
    weighted = table(1, n_rows=20)
    given, _ = problem(weighted, share=0.15, min_leaf=2)
    assert given.shape.min_leaf == 2
    assert given.shape.min_leaf_weight == int(np.ceil(0.15 * given.total * (1 - 1e-12)))


def test_a_problem_at_another_penalty_is_else_the_same():
    rows = table(3)
    given, _ = problem(rows, 0.1)
    other = given.at(0.2)
    assert isinstance(other, Problem)
    assert other.core_penalty == pytest.approx(2 * given.core_penalty)
    assert other.seen is given.seen
    assert plan(rows).rules["max_depth"] == -1
