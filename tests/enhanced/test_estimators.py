"""The enhanced estimators and the baselines against the slow greedy builder, on random tables with prices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.greedy import Prices
from slow_and_fast import SCORES, Rows, assert_same_tree, random_rows
from thoroughness import tries

from thriftree import (
    BalancedClassifier,
    CARTClassifier,
    EnhancedTreeClassifier,
    ImpurePairsClassifier,
    TestCosts,
)
from thriftree.costs import Steps
from thriftree.estimators.category_tests import FREE_SETS


def estimator(name: str, **parameters: Any) -> Any:
    """The estimator whose score `SCORES[name]` defines; it divides by prices."""
    if name == "balance":
        return BalancedClassifier(cost_benefit=True, **parameters)
    if name in ("impure_pairs", "weighted_pairs"):
        return ImpurePairsClassifier(weighted=name == "weighted_pairs", cost_benefit=True, **parameters)
    impurity, trade_off = name.split("@")
    return EnhancedTreeClassifier(impurity=impurity, trade_off=float(trade_off), **FREE_SETS, **parameters)


def fitted(name: str, rows: Rows, **parameters: Any) -> Any:
    model = estimator(name, **rows.parameters(), **parameters)
    return model.fit(rows.X(), np.array(rows.labels), sample_weight=rows.weights)


def as_learnt(rows: Rows) -> Rows:
    """Classes are numbered anew, without those that no row has; a group without members is no group."""
    names = sorted(set(rows.labels))
    labels = [names.index(label) for label in rows.labels]
    used = sorted({g for g in rows.prices.group if g is not None})
    group = tuple(None if g is None else used.index(g) for g in rows.prices.group)
    prices = replace(rows.prices, group=group, setup=tuple(rows.prices.setup[g] for g in used))
    return replace(rows, labels=labels, n_classes=len(names), prices=prices)


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
    costs = TestCosts([100 * unit, *[99 * unit] * n_cuts])
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


def test_class_weights_count_in_growing_and_labelling_but_not_in_costs() -> None:
    for seed in range(tries(40, 20)):
        rows = as_learnt(random_rows(Random(f"class-{seed}"), kinds=("threshold", "subset")))
        rows = replace(rows, theta=Fraction(0))
        if rows.n_classes < 2:
            continue
        multiplier = {label: 2.0 ** (label % 3) for label in range(rows.n_classes)}
        weights = rows.weights or [1.0] * len(rows.labels)
        heavier = [w * multiplier[label] for w, label in zip(weights, rows.labels, strict=True)]
        grown_with = replace(rows, weights=heavier)
        model = fitted("gini@1.0", rows, class_weight=multiplier)
        slow = grown_with.slow_tree(SCORES["gini@1.0"])
        reached = list(model.decision_path(rows.X()).toarray().astype(bool).T)
        assert_same_tree(grown_with, model.tree_.core, slow, reached)
        of_rows = np.array(rows.objects()[1])
        cost = sum(
            float(node.price) * np.array(weights)[np.isin(of_rows, list(node.objects))].sum()
            for node in slow.nodes()
        )
        assert model.expected_cost_ == pytest.approx(cost / sum(weights), rel=1e-12)


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
