"""What LightGBM's trees cost: by hand, and against the row-by-row definition."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.prices import Leaf, Rules, row_price, threshold

from studies.lightgbm_tree import LightGBMTree, PricedTrees
from thriftree.costs import Group, TestCosts

# The heart prices of the worked examples: cp 1; chol and fbs share a draw of 2.10; thal and thalach 101.90.
NAMES = ["cp", "chol", "fbs", "thal", "thalach"]
PRICES = {"cp": 1.0, "chol": 5.17, "fbs": 3.10, "thal": 1.0, "thalach": 1.0}
GROUPS = {"blood": Group(2.10, ("chol", "fbs")), "stress": Group(101.90, ("thal", "thalach"))}


def leaf(number):
    return {"leaf_index": number, "leaf_value": 0.0}


def split(name, left, right):
    return {"split_feature": NAMES.index(name), "left_child": left, "right_child": right}


def priced(*roots, **rules):
    bound = TestCosts(PRICES, groups=GROUPS, **rules).bind(NAMES)
    return PricedTrees([{"tree_structure": root} for root in roots], bound)


# cp? leaf : chol? leaf : fbs? leaf : chol again
CHAIN = split("cp", leaf(0), split("chol", leaf(1), split("fbs", leaf(2), split("chol", leaf(3), leaf(4)))))


@pytest.mark.parametrize(
    ("rules", "prices"),
    [
        ({}, [1.00, 8.27, 11.37, 11.37, 11.37]),
        ({"delayed": ["chol", "fbs"]}, [1.00, 11.37, 11.37, 11.37, 11.37]),
        ({"known": ["chol"]}, [1.00, 1.00, 6.20, 6.20, 6.20]),
        ({"delayed": ["cp"]}, [1.00, 8.27, 11.37, 11.37, 11.37]),
    ],
)
def test_a_tree_costs_what_the_worked_example_says(rules, prices):
    trees = priced(CHAIN, **rules)
    assert trees.of_leaves(np.arange(5)[:, None]) == pytest.approx(prices)
    assert trees.worst_case == pytest.approx(max(prices))
    assert trees.n_leaves == 5


def test_trees_asked_one_after_another_pay_for_a_feature_once():
    trees = priced(split("cp", leaf(0), leaf(1)), split("cp", split("fbs", leaf(0), leaf(1)), leaf(2)))
    paid = trees.of_leaves(np.array([[0, 0], [1, 2], [0, 0]]))
    assert paid == pytest.approx([6.20, 1.00, 6.20])
    assert trees.worst_case == pytest.approx(6.20)


def test_an_order_covers_all_that_later_trees_may_ask_for():
    first = split("cp", leaf(0), split("chol", leaf(1), leaf(2)))
    second = split("cp", leaf(0), split("thal", leaf(1), leaf(2)))
    trees = priced(first, second, delayed=["chol", "thal"])
    # cp alone; chol ordered with thal, whether the second tree then asks for it or not; thal alone.
    paid = trees.of_leaves(np.array([[0, 0], [1, 0], [2, 1], [0, 1]]))
    assert paid == pytest.approx([1.00, 1 + 7.27 + 102.90, 1 + 7.27 + 102.90, 103.90])


def test_a_tree_of_one_leaf_is_free():
    trees = priced({"leaf_value": 0.5})
    assert trees.of_leaves(np.zeros((3, 1), dtype=int)).tolist() == [0, 0, 0]
    assert trees.worst_case == 0


@pytest.mark.parametrize("rules", [{"pay": "each"}, {"delayed": ["thal"], "delayed_scope": "all"}])
def test_rules_it_does_not_know_are_refused(rules):
    with pytest.raises(ValueError, match="can only be priced"):
        priced(CHAIN, **rules)


def random_tree(random, depth, counter):
    """The same random tree as LightGBM dumps it and as nested questions; every cut is 0.5 on 0/1 columns."""
    if depth == 0 or random.random() < 0.2:
        counter[0] += 1
        return leaf(counter[0] - 1), Leaf()
    column = int(random.integers(len(NAMES)))
    left, low = random_tree(random, depth - 1, counter)
    right, high = random_tree(random, depth - 1, counter)
    return split(NAMES[column], left, right), threshold(column, 0.5, low, high)


def leaf_reached(node, row):
    while "split_feature" in node:
        node = node["left_child"] if row[node["split_feature"]] <= 0.5 else node["right_child"]
    return node["leaf_index"]


def test_random_trees_cost_what_the_definition_says():
    random = np.random.default_rng(0)
    for _ in range(300):
        dumped, asked = random_tree(random, 5, [0])
        delayed = [name for name in NAMES if random.random() < 0.5]
        known = [name for name in NAMES if random.random() < 0.2]
        rules = Rules(
            own=lambda column, _: PRICES[NAMES[column]],
            group_of={NAMES.index(m): name for name, group in GROUPS.items() for m in group.members},
            setup={name: group.setup for name, group in GROUPS.items()},
            known=frozenset(map(NAMES.index, known)),
            delayed=frozenset(map(NAMES.index, delayed)),
        )
        rows = random.integers(0, 2, (8, len(NAMES)))
        trees = priced(dumped, delayed=delayed, known=known)
        ours = trees.of_leaves(np.array([[leaf_reached(dumped, row)] for row in rows]))
        assert ours == pytest.approx([row_price(asked, rules, row.tolist()) for row in rows])
        assert trees.worst_case >= ours.max()


def test_an_expensive_feature_is_left_alone_where_a_cheap_one_says_the_same():
    pytest.importorskip("lightgbm")
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 200)
    X = np.column_stack([truth + random.normal(0, 0.1, 200), truth + random.normal(0, 0.1, 200)])
    y = np.where(truth == 1, "ill", "well")
    for expensive in (0, 1):
        costs = TestCosts({f"x{expensive}": 90.0, f"x{1 - expensive}": 2.0})
        model = LightGBMTree(costs, random_state=0, cv=3).fit(X, y)
        assert np.mean(model.predict(X) == y) > 0.98
        assert set(model.predict_cost(X)) == {2.0}
        assert model.worst_case_cost_ == 2.0
