"""The price of a soft tree: in the objective by its definition, with the slopes of its differences, and in
the hard limit that of the tree.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from oracles import soft_trees
from soft_problems import check_gradient, random_problem
from test_core import KINDS
from thoroughness import tries

from thriftree import (
    CARTClassifier,
    SoftTree,
    SoftTreeClassifier,
    SoftTreeRegressor,
    TestCosts,
    _core,
)
from thriftree.costs import Steps
from thriftree.methods.soft.descent import THRESHOLDS
from thriftree.methods.soft.pricing import BOUGHT_ABOVE, bought

BEGINS = [0, 2, 3]  # two columns: the first has two terms


def prices(*, once=True, known=(False, False)):
    rules = _core.PriceRules(own=[2.0, 3.0], group=[0, 0], setup=[5.0], known=list(known), pay_once=once)
    return _core.Prices(rules)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("once", [True, False], ids=["once", "each"])
def test_the_price_is_that_of_all_that_may_be_bought(kind, once):
    for seed in range(tries(20, 2)):
        problem = random_problem(seed, **kind, n_rows=3, n_gates=3 if kind["gates"] == "oblique" else 5, m=3)
        payers = np.random.default_rng(seed).uniform(0.1, 2, 3)
        term = _core.SoftPrices(prices(once=once), BEGINS, 0.8, 0.25)
        options = {"sharpness": 1.5, "payers": payers}
        value, _ = problem.core(**options, prices=term)
        without, _ = problem.core(**options)
        slow = [
            soft_trees.price_of_row(
                *(problem.left, problem.right, problem.gates(), problem.leaves(), row, 1.5, BEGINS),
                ([2.0, 3.0], [([0, 1], 5.0)], once),
                0.8,
            )
            for row in problem.rows
        ]
        assert value - without == pytest.approx(0.25 * np.average(slow, weights=payers), rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("once", [True, False], ids=["once", "each"])
def test_its_slopes_are_the_central_differences(kind, once):
    for seed in range(tries(30, 2)):
        problem = random_problem(seed, **kind, m=3)
        payers = np.random.default_rng(seed).uniform(0.1, 2, len(problem.rows))
        term = _core.SoftPrices(prices(once=once, known=(seed % 5 == 4, False)), BEGINS, 0.8, 0.25)
        check_gradient(problem, sharpness=1.5, l2=0.1, leaf_l2=0.2, prices=term, payers=payers)


COSTS = {
    "once": TestCosts({"a": 2.0, "b": 3.0, "c": 7.0, "d": 1.0}),
    "each": TestCosts({"a": 2.0, "b": 3.0, "c": 7.0, "d": 1.0}, pay="each"),
    "groups": TestCosts(
        {"a": 2.0, "b": 3.0, "c": 7.0, "d": 1.0}, groups={"blood": {"setup": 20.0, "members": ["a", "c"]}}
    ),
    "known": TestCosts({"a": 2.0, "b": 3.0, "c": 7.0}, known=["d"]),
    "delayed": TestCosts({"a": 2.0, "b": 3.0, "c": 7.0, "d": 1.0}, delayed=["a", "b"]),
    "outcomes": TestCosts(
        {"a": Steps((0.0,), (1.0, 9.0)), "b": 3.0, "c": 7.0, "d": {"x": 5.0, "y": 1.0, "z": 2.0}}
    ),
}


def table(seed, n=300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc")).assign(d=rng.choice(["x", "y", "z"], n))
    y = (X["a"] > 0) ^ (X["b"] + (X["d"] == "x") > 0.3) ^ (rng.random(n) < 0.1)
    return X, y.to_numpy()


@pytest.mark.parametrize("name", COSTS)
def test_in_the_hard_limit_the_price_is_that_of_the_tree(name):
    for seed in range(tries(10, 2)):
        X, y = table(seed)
        cart = CARTClassifier(max_depth=4, costs=COSTS[name]).fit(X, y)
        soft = SoftTreeClassifier(
            init=cart.tree_, max_iter=0, sharpness=np.inf, gates="axis", costs=COSTS[name]
        ).fit(X, y)
        np.testing.assert_allclose(soft.predict_cost(X), cart.predict_cost(X), rtol=1e-12)
        assert soft.expected_cost_ == pytest.approx(cart.expected_cost_)
        assert soft.expected_cost(X) == pytest.approx(cart.tree_.expected_cost(X))
        away = [
            abs(soft.soft_tree_.with_sharpness(s).expected_cost(X) - cart.expected_cost_)
            for s in (1.0, 10.0, 1e2, 1e4)
        ]
        assert away[-1] < 1e-2 * max(away[0], 1.0)
        if name != "outcomes":
            assert soft.worst_case_cost_ == pytest.approx(cart.worst_case_cost_)


@pytest.mark.parametrize("name", ["once", "each", "groups", "known"])
def test_the_price_in_the_objective_is_that_of_the_tree_as_the_threshold_falls(name):
    X, y = table(0)
    cart = CARTClassifier(max_depth=4, costs=COSTS[name]).fit(X, y)
    options = {"init": cart.tree_, "max_iter": 0, "costs": COSTS[name], "sharpness": np.inf}
    tree = SoftTreeClassifier(**options).fit(X, y).soft_tree_
    rows = tree.design.rows(tree._inputs(X))
    begins = [*tree.design.begins, tree.design.n_terms]
    bound = COSTS[name].bind(tree.design.columns)
    labels = y.astype(np.int32)
    given = (tree.shape(), rows, tree.parameters)
    without, _ = _core.soft_objective(*given, labels=labels, sharpness=np.inf)
    away = []
    for tau in (1.0, 0.1, 1e-3):
        term = _core.SoftPrices(bound.prices, begins, tau, 1.0)
        value, _ = _core.soft_objective(*given, labels=labels, sharpness=np.inf, prices=term)
        away.append(abs(value - without - cart.expected_cost_))
    assert away == sorted(away, reverse=True)
    assert away[-1] < 1e-4


def test_without_prices_a_gate_costs_one():
    X, y = table(1)
    cart = CARTClassifier(max_depth=3).fit(X, y)
    soft = SoftTreeClassifier(init=cart.tree_, max_iter=0, sharpness=np.inf).fit(X, y)
    np.testing.assert_array_equal(soft.predict_cost(X), cart.predict_cost(X))
    assert soft.worst_case_cost_ == cart.worst_case_cost_ == 3


def test_a_price_weight_makes_it_cheaper_and_gates_weigh_what_they_buy_alone():
    X, y = table(2, 600)
    paid = []
    for weight in (0.0, 0.001, 0.1):
        model = SoftTreeClassifier(max_depth=3, costs=COSTS["groups"], price_weight=weight).fit(X, y)
        paid.append(model.expected_cost_)
        if weight:
            tree = model.soft_tree_
            by_term = np.repeat(bought(tree)[: tree.n_gates], tree.design.widths, axis=1)
            assert (tree.gate_weights[~by_term] == 0).all()
            assert (np.diff(model.loss_curve_) < 0).all()
    assert paid[0] > paid[1] > paid[2]
    assert THRESHOLDS[-1] == BOUGHT_ABOVE


def test_linear_leaves_buy_what_they_weigh():
    X, y = table(3)
    model = SoftTreeRegressor(max_depth=0, leaves="linear", costs=COSTS["once"]).fit(X, y.astype(float))
    assert model.get_n_leaves() == 1
    weighed = bought(model.soft_tree_)[0]
    assert weighed.any()
    assert model.expected_cost_ == np.array([2.0, 3.0, 7.0, 1.0])[weighed].sum()


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (COSTS["delayed"], "what an order of delayed tests holds has no slope"),
        (COSTS["outcomes"], "the price of 'a', 'd' depends on the outcome"),
        (None, "price_weight is given without prices"),
        ({"a": 1.0}, "no price for"),
    ],
    ids=["delayed", "outcomes", "none", "incomplete"],
)
def test_prices_without_slopes_are_refused(costs, message):
    X, y = table(0)
    with pytest.raises(ValueError, match=message):
        SoftTreeClassifier(costs=costs, price_weight=0.1).fit(X, y)


def test_delayed_tests_that_are_paid_each_time_are_refused():
    X, y = table(0)
    costs = TestCosts({"a": 2.0, "b": 3.0, "c": 7.0, "d": 1.0}, delayed=["a"], pay="each")
    with pytest.raises(ValueError, match="delayed tests are paid each time"):
        SoftTreeClassifier(costs=costs).fit(X, y)


def test_class_weights_do_not_change_who_pays():
    X, y = table(4)
    costs = COSTS["once"]
    init = CARTClassifier(max_depth=4).fit(X, y).tree_
    options = {"costs": costs, "max_iter": 0, "init": init}
    plain = SoftTreeClassifier(**options).fit(X, y)
    weighted = SoftTreeClassifier(**options, class_weight={False: 9, True: 1}).fit(X, y)
    assert weighted.expected_cost_ == pytest.approx(plain.expected_cost_)


def test_prices_are_in_the_file(tmp_path):
    X, y = table(5)
    tree = SoftTreeClassifier(costs=COSTS["groups"], leaves="linear", max_iter=5).fit(X, y).soft_tree_
    tree.save(tmp_path / "soft.json")
    again = SoftTree.load(tmp_path / "soft.json")
    np.testing.assert_array_equal(again.predict_cost(X), tree.predict_cost(X))
    np.testing.assert_array_equal(again.predict_proba(X), tree.predict_proba(X))
    assert again.to_dict() == tree.to_dict()
