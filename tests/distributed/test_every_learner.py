"""Every learner that counts grows the tree of one table from its parts, whoever has them."""

from __future__ import annotations

import numpy as np
import pytest
from tables_in_parts import DIVISIONS, ENGINE_NAMES, content, divided, people
from thoroughness import tries

import thriftree as tt

PRICES = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0, "e": 0.5}
COSTS = tt.TestCosts(PRICES, asking=0.1)

CLASSIFIERS = {
    "cart": tt.CARTClassifier(min_leaf=2),
    "cart, best first": tt.CARTClassifier(impurity="entropy", max_leaves=12),
    "cart in bins": tt.CARTClassifier(max_bins=6, max_depth=5),
    "cart of misclassification": tt.CARTClassifier(impurity="misclassification"),
    "cart, balanced": tt.CARTClassifier(min_leaf=0.02, class_weight="balanced", max_depth=6),
    "cart by price": tt.CARTClassifier(costs=COSTS, cost_benefit=True),
    "cart with costs of mistakes": tt.CARTClassifier(error_costs=[[0, 1, 5], [1, 0, 1], [2, 1, 0]]),
    "cart, pruned": tt.CARTClassifier(pruning="cost_complexity", alpha=0.01),
    "cart, pruned by folds": tt.CARTClassifier(pruning="cost_complexity", alpha="cv", cv=3, random_state=0),
    "cart, pruned by other rows": tt.CARTClassifier(pruning="reduced_error", random_state=1),
    "cart, shrunk": tt.CARTClassifier(max_depth=4, shrinkage="cv", random_state=0),
    "id3": tt.ID3Classifier(max_bins=8),
    "c45": tt.C45Classifier(),
    "chaid": tt.CHAIDClassifier(),
    "quest": tt.QUESTClassifier(random_state=0, max_depth=3),
    "enhanced": tt.EnhancedTreeClassifier(max_bins=8, trade_off=2.0),
    "enhanced, heavy objects": tt.EnhancedTreeClassifier(max_bins=4, trade_off=1.0, min_mass=0.02),
    "enhanced, by price": tt.EnhancedTreeClassifier(max_bins=6, min_leaf=3, costs=COSTS, trade_off=1.0),
    "enhanced, balanced": tt.EnhancedTreeClassifier(max_bins=5, class_weight="balanced", trade_off=1.0),
    "enhanced, of several trade-offs": tt.EnhancedTreeClassifier(
        max_bins=5, trade_off="auto", random_state=0, cv=2
    ),
    "impure pairs": tt.ImpurePairsClassifier(max_bins=8),
    "balanced": tt.BalancedClassifier(max_bins=8),
    "worst case": tt.WorstCaseTreeClassifier(max_bins=6),
    "worst case within a budget": tt.WorstCaseTreeClassifier(max_bins=6, costs=COSTS, budget=8.0),
    "thrift": tt.ThriftTreeClassifier(costs=COSTS, random_state=0, cv=2, repeats=1),
}
REGRESSORS = {
    "cart": tt.CARTRegressor(min_leaf=3),
    "cart, best first": tt.CARTRegressor(max_leaves=11),
    "cart in bins": tt.CARTRegressor(max_bins=5, max_depth=4),
    "enhanced": tt.EnhancedTreeRegressor(max_bins=6, trade_off=1.0),
    "enhanced, heavy objects": tt.EnhancedTreeRegressor(max_bins=4, trade_off=1.0, min_mass=0.02),
    "thrift": tt.ThriftTreeRegressor(leaves="constant", random_state=0, cv=2, repeats=1),
}
WEIGHTS = {
    "equal": None,
    "unequal": np.random.default_rng(11).integers(1, 40, 150) / 7,
    "some none": np.random.default_rng(12).integers(0, 4, 150) / 3,
}
CASES = [("unequal", "seven"), ("equal", "two"), ("some none", "empty ones")][: tries(3, 1)]
# All cases on the first engine, one on each of the others.
ON_ENGINES = [*(("local", *case) for case in CASES), *((name, *CASES[0]) for name in ENGINE_NAMES[1:])]


def check(engine, model, y, weights, division):
    X = people()[0]
    weight = WEIGHTS[weights]
    here = content(model.fit(X, y, sample_weight=weight))
    apart = content(model.fit(engine(divided(X, y, weight, DIVISIONS[division]))))
    assert len(here["nodes"]) > 1
    assert apart == here


@pytest.mark.parametrize(("engine", "weights", "division"), ON_ENGINES, indirect=["engine"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_learns_the_same_tree_from_parts(engine, name, weights, division):
    check(engine, CLASSIFIERS[name], people()[1], weights, division)


@pytest.mark.parametrize(("engine", "weights", "division"), ON_ENGINES, indirect=["engine"])
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_regressor_learns_the_same_tree_from_parts(engine, name, weights, division):
    check(engine, REGRESSORS[name], people()[2], weights, division)


@pytest.mark.parametrize("division", DIVISIONS)
def test_however_the_rows_are_divided(engine, division):
    check(engine, tt.CARTClassifier(max_depth=5), people()[1], "equal", division)
    check(engine, tt.CARTRegressor(max_leaves=9), people()[2], "unequal", division)
    check(engine, tt.EnhancedTreeClassifier(max_bins=6), people()[1], "unequal", division)


def test_a_part_of_one_class_and_categories_of_one_part(engine):
    X, y, _ = people()
    order = np.argsort(y, kind="stable")
    X, y = X.iloc[order], y[order]
    X["c"] = X["c"].fillna("-") + np.where(np.arange(len(y)) < 30, "1", "2")
    for model in (tt.CARTClassifier(), tt.C45Classifier(), tt.BalancedClassifier(max_bins=5)):
        here = content(model.fit(X, y))
        assert content(model.fit(engine(divided(X, y, None, [30, 45, 140])))) == here
        assert here["classes"] == list("ABC")
