"""The enhanced estimators and the baselines against the slow greedy builder, on random tables with prices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from enhanced_models import as_learnt, fitted
from oracles.greedy import Prices
from slow_and_fast import SCORES, assert_same_tree, random_rows
from thoroughness import tries

from thriftree import CARTClassifier, EnhancedTreeClassifier, TestCosts
from thriftree.costs import Steps


@pytest.mark.parametrize("multiway", [False, True])
@pytest.mark.parametrize("name", SCORES)
def test_the_tree_and_its_cost_are_those_of_the_slow_builder(name: str, multiway: bool) -> None:
    for seed in range(tries(25, 10)):
        rng = Random(f"{name}-{multiway}-{seed}")
        category = "multiway" if multiway else "subset"
        rows = as_learnt(random_rows(rng, kinds=("threshold", category), max_classes=9))
        if len(set(rows.labels)) < 2:
            continue
        model, slow = fitted(name, rows, multiway=multiway), rows.slow_tree(SCORES[name])
        reached = list(model.decision_path(rows.X()).toarray().astype(bool).T)
        assert_same_tree(rows, model.tree_.core, slow, reached)
        expected = float(slow.expected_price(rows.objects()[0]))
        assert model.expected_cost_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
def test_an_infinite_trade_off_is_cost_benefit_cart_on_the_coalesced_rows(impurity: str) -> None:
    for seed in range(tries(40, 20)):
        rows = as_learnt(random_rows(Random(f"{impurity}-{seed}"), kinds=("threshold",)))
        of, _ = rows.objects()
        if len(set(rows.labels)) < 2 or len(set(of.labels)) < len(set(rows.labels)):
            continue
        model = fitted(f"{impurity}@inf", rows)
        X = replace(rows, codes=[list(row) for row in of.codes]).X()
        weights = [float(p) * len(of.p) for p in of.p]
        cart = CARTClassifier(
            impurity=impurity, cost_benefit=True, costs=rows.costs(), min_mass=float(rows.theta), min_leaf=1
        )
        cart.fit(X, np.array(of.labels), sample_weight=weights)
        assert model.tree_.core.column.tolist() == cart.tree_.core.column.tolist()
        assert model.tree_.core.keys.tolist() == cart.tree_.core.keys.tolist()


@pytest.mark.parametrize("n_cuts", [3, 7, 15, 31, 63])
@pytest.mark.parametrize("unit", [1.0, 0.01, 1000.0])
def test_the_alternating_column_is_bought_once_in_every_currency(n_cuts: int, unit: float) -> None:
    a = np.arange(n_cuts + 1)
    X = np.column_stack([a, *(a > j for j in range(n_cuts))]).astype(float)
    costs = TestCosts([100 * unit, *[99 * unit] * n_cuts], read=True)
    model = EnhancedTreeClassifier(costs=costs).fit(X, a % 2)
    assert model.expected_cost_ == pytest.approx(100 * unit)
    assert model.worst_case_cost_ == pytest.approx(100 * unit)
    assert model.score(X, a % 2) == 1


@pytest.mark.parametrize("name", ["gini@1.0", "entropy@10.0", "impure_pairs", "balance"])
def test_repeating_rows_and_scaling_weights_change_nothing(name: str) -> None:
    for seed in range(tries(20, 10)):
        rows = random_rows(Random(f"{name}-{seed}"), kinds=("threshold", "subset"))
        weights = rows.weights or [1.0] * len(rows.labels)
        models = [
            fitted(name, rows),
            fitted(name, replace(rows, weights=[7.5 * w for w in weights])),
            fitted(
                name,
                replace(rows, codes=rows.codes * 2, labels=rows.labels * 2, weights=[*weights, *weights]),
            ),
        ]
        for model in models[1:]:
            assert model.tree_.core.column.tolist() == models[0].tree_.core.column.tolist()
            assert model.tree_.core.keys.tolist() == models[0].tree_.core.keys.tolist()
            assert model.expected_cost_ == pytest.approx(models[0].expected_cost_, rel=1e-12)
            np.testing.assert_allclose(model.predict_proba(rows.X()), models[0].predict_proba(rows.X()))


def test_scores_divide_by_the_most_expensive_outcome_and_by_the_price_of_a_delayed_test_itself() -> None:
    """What is paid in the end differs; what is asked does not."""
    cheaper, n_tables = 0, tries(40, 20)
    for seed in range(n_tables):
        rows = random_rows(Random(f"outcome-{seed}"), kinds=("threshold", "subset"))
        rows = replace(rows, prices=Prices(pay_once=True, asking=Fraction(1, 64)))
        constant = {j: float(price) for j, price in enumerate(rows.own)}
        stepped = {
            j: Steps((0.5, 1.5), (price / 8, price, price / 2)) if rows.kinds[j] == "threshold" else price
            for j, price in constant.items()
        }
        parameters = rows.parameters() | {"trade_off": 2.0}
        models = [
            EnhancedTreeClassifier(**(parameters | {"costs": costs})).fit(
                rows.X(), np.array(rows.labels), sample_weight=rows.weights
            )
            for costs in (
                TestCosts(constant, asking=1 / 64),
                TestCosts(stepped, asking=1 / 64),
                TestCosts(constant, asking=1 / 64, delayed=list(constant)),
            )
        ]
        trees = [(model.tree_.core.column.tolist(), model.tree_.core.keys.tolist()) for model in models]
        assert trees[0] == trees[1] == trees[2]
        assert models[1].expected_cost_ <= models[0].expected_cost_ <= models[2].expected_cost_
        cheaper += models[1].expected_cost_ < models[0].expected_cost_ < models[2].expected_cost_
    assert cheaper > n_tables / 4
