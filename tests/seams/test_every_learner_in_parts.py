"""Every learner grows the tree of rows in one place from rows in several partitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from partitioned_store import counted_in_parts

import thriftree as tt
from thriftree.costs import Group

PRICES = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0, "e": 0.5}
COSTS = tt.TestCosts(PRICES, asking=0.1)
GROUPED = tt.TestCosts(PRICES, groups={"blood": Group(setup=2.0, members=("a", "b", "c"))}, asking=0.1)

CLASSIFIERS = {
    "cart": tt.CARTClassifier(min_leaf=2),
    "cart of entropy, best first": tt.CARTClassifier(impurity="entropy", max_leaves=12),
    "cart of misclassification": tt.CARTClassifier(impurity="misclassification"),
    "cart by shares, balanced": tt.CARTClassifier(
        min_leaf=0.02, min_mass=0.01, class_weight="balanced", max_depth=6
    ),
    "cart by price": tt.CARTClassifier(costs=COSTS, cost_benefit=True),
    "cart by price, in groups": tt.CARTClassifier(costs=GROUPED, cost_benefit=True),
    "cart with costs of mistakes": tt.CARTClassifier(error_costs=[[0, 1, 5], [1, 0, 1], [2, 1, 0]]),
    "cart, pruned": tt.CARTClassifier(pruning="cost_complexity", alpha=0.01),
    "c45": tt.C45Classifier(),
    "id3": tt.ID3Classifier(max_bins=8),
    "chaid": tt.CHAIDClassifier(),
    "quest": tt.QUESTClassifier(random_state=0, max_depth=3),
    "public": tt.PUBLICClassifier(),
    "public of misclassification": tt.PUBLICClassifier(impurity="misclassification", bound=None),
    "enhanced": tt.EnhancedTreeClassifier(max_bins=8, trade_off=2.0),
    "enhanced, heavy objects": tt.EnhancedTreeClassifier(max_bins=4, trade_off=1.0, min_mass=0.02),
    "enhanced, by entropy and price": tt.EnhancedTreeClassifier(
        impurity="entropy", max_bins=6, min_leaf=3, costs=COSTS, trade_off=1.0
    ),
    "enhanced, best first": tt.EnhancedTreeClassifier(max_bins=5, max_leaves=10, trade_off=1.0),
    "enhanced, of several trade-offs": tt.EnhancedTreeClassifier(
        max_bins=5, trade_off="auto", random_state=0, cv=2
    ),
    "impure pairs": tt.ImpurePairsClassifier(max_bins=8),
    "balanced": tt.BalancedClassifier(max_bins=8),
    "worst case": tt.WorstCaseTreeClassifier(max_bins=6),
    "worst case by shares": tt.WorstCaseTreeClassifier(max_bins=6, min_leaf=0.02),
    "worst case within a budget": tt.WorstCaseTreeClassifier(max_bins=6, costs=COSTS, budget=8.0),
}
REGRESSORS = {
    "cart": tt.CARTRegressor(min_leaf=3),
    "cart, best first": tt.CARTRegressor(max_leaves=11),
    "enhanced": tt.EnhancedTreeRegressor(max_bins=6, trade_off=1.0),
    "enhanced, heavy objects": tt.EnhancedTreeRegressor(max_bins=4, trade_off=1.0, min_mass=0.02),
}


@pytest.fixture(scope="module")
def rows():
    """A frame with numbers, categories and missing values, in which many rows have an equal one."""
    random, n = np.random.default_rng(5), 100
    a, b, c = random.normal(size=n).round(1), random.integers(0, 5, n) * 1.0, random.normal(size=n).round(1)
    d, e = np.array(list("uvwx"))[random.integers(0, 4, n)], np.array(["p", "q"])[random.integers(0, 2, n)]
    signal = (a > 0.3).astype(int) + (b > 2) + (d > "w")
    label = np.where(random.random(n) < 0.15, random.integers(0, 3, n), signal % 3)
    number = 2 * a + b * (e == "p") + random.normal(size=n).round(2)
    b[random.random(n) < 0.08] = np.nan
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": pd.Categorical(d), "e": pd.Categorical(e)})
    again = np.append(np.arange(n), random.integers(0, n, n // 2))
    return X.iloc[again], np.array(list("ABC"))[label[again]], number[again]


def weights_of(kind, n):
    random = np.random.default_rng(11)
    return {"equal": None, "unequal": random.integers(1, 40, n) / 7}[kind]


def nodes_and_scores(model):
    """The nodes of a fitted tree without the scores of their tests, and these."""
    nodes = model.tree_.to_dict()["nodes"]
    scores = [node["test"].pop("score") for node in nodes if "test" in node]
    return nodes, scores


def check_parts(model, X, y, weight, n_parts, reads_groups=False):
    here, scores_here = nodes_and_scores(model.fit(X, y, sample_weight=weight))
    assert scores_here
    for n in n_parts:
        with counted_in_parts(n) as stores:
            apart, scores = nodes_and_scores(model.fit(X, y, sample_weight=weight))
        assert stores
        assert apart == here
        if reads_groups:  # sums over combinations of codes are added in an order of the store's own
            np.testing.assert_allclose(scores, scores_here, rtol=1e-13)
        else:
            assert scores == scores_here


@pytest.mark.parametrize("weights", ["equal", "unequal"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_grows_the_same_tree_in_parts(rows, name, weights):
    X, y, _ = rows
    weight = weights_of(weights, len(y))
    check_parts(CLASSIFIERS[name], X, y, weight, (1, 2, 7), reads_groups="groups" in name)


@pytest.mark.parametrize("weights", ["equal", "unequal"])
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_regressor_grows_the_same_tree_in_parts(rows, name, weights):
    X, _, y = rows
    check_parts(REGRESSORS[name], X, y, weights_of(weights, len(y)), (1, 2, 7))


def test_trees_that_are_tuned_on_partitions_are_the_same(rows):
    X, y, number = rows
    weight = weights_of("unequal", len(y))
    check_parts(tt.ThriftTreeClassifier(costs=COSTS, random_state=0, cv=2), X, y, weight, (2,))
    check_parts(
        tt.ThriftTreeRegressor(leaves="constant", random_state=0, cv=2),
        X[:80],
        number[:80],
        weight[:80],
        (2,),
    )
