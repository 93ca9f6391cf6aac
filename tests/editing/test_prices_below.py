"""What the path to a node has paid for is free below it: two prices add up to that of the whole tree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from edited_trees import below, questions_of, random_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries

from thriftree import CARTClassifier, TestCosts, ThriftTreeClassifier
from thriftree.costs import PathState
from thriftree.costs import price as price_of
from thriftree.costs.paid import paid_at
from thriftree.editing.places import subtree
from thriftree.tree import Tree


def random_costs(seed: int, tree: Tree) -> TestCosts:
    random = np.random.default_rng(seed)
    names = [column.name for column in tree.columns]
    groups = {"g": {"setup": 3.5, "members": names[:2]}, "h": {"setup": 1.25, "members": names[2:4]}}
    return TestCosts(
        {name: float(random.integers(0, 9)) for name in names},
        groups=groups if random.random() < 0.7 else {},
        pay=str(random.choice(["once", "each"])),
        known=[name for name in names if random.random() < 0.2],
        delayed=[name for name in names if random.random() < 0.2],
        delayed_scope=str(random.choice(["delayed", "all"])),
    )


@settings(max_examples=tries(60, 20), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_was_paid_and_what_is_still_to_pay_make_the_price(seed):
    bare, X = random_tree(seed, hostile=False, n_tests=8)
    costs = random_costs(seed, bare)
    tree = Tree.from_dict({**bare.to_dict(), "prices": costs.to_dict()})
    bound = costs.bind(tree.columns)
    leaf, price = tree.apply(X), tree.predict_cost(X)
    for node in questions_of(tree):
        path = [n for n in range(node) if node in below(tree, n)]
        columns = tree.core.column[path]
        if (bound.delayed[columns] & ~bound.known[columns]).any():
            continue  # an order above also pays for what is asked below
        paid = paid_at(tree.collapse(node).core, node, bound)
        prices = bound.below(paid.state)
        part = Tree.from_dict({**bare.to_dict(), "nodes": subtree(bare.to_dict()["nodes"], node)})
        at = np.isin(leaf, list(below(tree, node)))
        if at.any():
            still = price_of(part.core, prices).of_rows(part.apply(X[at]))
            assert paid.amount + still == pytest.approx(price[at])
        assert paid.amount + price_of(part.core, prices).worst_case <= tree.worst_case_cost() + 1e-9
        marginal = [bound.marginal(paid.state, c) for c in range(len(tree.columns))]
        assert [prices.marginal(PathState(), c) for c in range(len(tree.columns))] == pytest.approx(marginal)


def test_an_order_above_has_paid_for_what_the_rest_of_the_tree_may_ask():
    X = pd.DataFrame(
        {"age": [0, 0, 1, 1] * 4, "scan": [0, 1, 0, 1] * 4, "blood": [0, 0, 0, 0, 1, 1, 1, 1] * 2}
    )
    y = (X["age"] * 4 + X["scan"] * 2 + X["blood"]).to_numpy()
    costs = TestCosts({"age": 1, "scan": 50, "blood": 7}, delayed=["scan", "blood"])
    model = CARTClassifier(costs=costs).fit(X, y)
    tree = model.refit_below(0, X, y, feature="scan").tree
    node = next(n for n in questions_of(tree) if n)
    bound = costs.bind(tree.columns)
    paid = paid_at(tree.collapse(node).core, node, bound)
    assert paid.amount == 57  # the other branch may ask for blood, so it is ordered with the scan
    assert bound.marginal(paid.state, 2) == bound.asking
    assert bound.marginal(PathState(), 2) == bound.asking + 7


def test_a_budget_holds_for_the_whole_tree_when_orders_are_placed_above():
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.integers(0, 3, (200, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] * (X["c"] > 0) + X["d"] > 3).to_numpy()
    costs = TestCosts({"a": 1, "b": 2, "c": 4, "d": 8}, delayed=["a", "b"])
    model = ThriftTreeClassifier(costs=costs, budget=7, cv=2, random_state=0).fit(X, y)
    for node in questions_of(model.tree_):
        for column in "abcd":
            try:
                edit = model.refit_below(node, X, y, feature=column)
            except ValueError as error:
                if "budget=7" not in str(error) and "cannot ask about" not in str(error):
                    raise
                continue
            assert edit.after.worst_case_cost <= 7


def test_prices_by_position_are_found_too():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), [0, 1, 1, 2] * 5
    model = CARTClassifier(costs=[3.0, 2.0], cost_benefit=True).fit(X, y)
    assert model.refit_below(1, X, y).tree == model.tree_
