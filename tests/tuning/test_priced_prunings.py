"""What the prunings of a tree cost: by the weights of their leaves, as row by row."""

from __future__ import annotations

import numpy as np
import pytest

import thriftree as tt
from thriftree.costs import Group, Steps, TestCosts, price
from thriftree.costs.tree_price import TreePrice
from thriftree.learning import growth
from thriftree.learning.limits import Limits
from thriftree.learning.prunings import prunings
from thriftree.tuning.measures import Held, Priced

UNLIMITED = Limits.of(1, None, None)
PRICES = {"x0": 0.1, "x1": 0.7, "x2": 0.3, "x3": 1.1}
COSTS = {
    "none": None,
    "prices": TestCosts(PRICES),
    "groups": TestCosts(PRICES, groups={"lab": Group(0.9, ["x1", "x2"])}),
    "delayed": TestCosts(PRICES, delayed=["x1", "x3"]),
    "outcomes": TestCosts({**PRICES, "x1": Steps([0.0], [0.2, 0.7])}),
}


def grown_and_held(costs):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(600, 4)).round(1)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600) > 0).astype(int)
    model = tt.CARTClassifier()
    rows = model._read(X, y, rng.integers(1, 4, 600).astype(float), UNLIMITED)
    plan = model._plan(rows)
    growing, measuring = rows.take(np.arange(300)), rows.take(np.arange(300, 600))
    grown = growth.grow(growing, plan, UNLIMITED)
    bound = None if costs is None else costs.bind(grown.columns)
    tree = prunings(grown, plan, "leaves", bound)
    return tree, bound, Held(grown.core, measuring, measuring.codes.inputs(grown.columns), plan)


@pytest.mark.parametrize("costs", COSTS.values(), ids=COSTS)
def test_a_pruning_costs_what_its_rows_pay_one_by_one(costs):
    tree, bound, held = grown_and_held(costs)
    priced = Priced.by(tree, bound)
    assert len(tree) > 5
    for alpha in tree.alphas.tolist():
        alone = tree.tree_at(alpha).core
        prices = price(alone, bound)
        paid = prices.of_rows(alone.apply(held.inputs, 1), held.inputs)
        expected, worst = priced.at(alpha, held)
        assert expected == pytest.approx(np.average(paid, weights=held.weights), rel=1e-12)
        assert worst == prices.worst_case


def test_prunings_are_priced_without_a_look_at_their_rows(monkeypatch):
    tree, bound, held = grown_and_held(COSTS["prices"])
    monkeypatch.setattr(TreePrice, "of_rows", None)
    assert all(Priced.by(tree, bound).at(alpha, held)[0] >= 0 for alpha in tree.alphas.tolist())
