"""The price of a tree, against the worked examples and a row-by-row simulation."""

import itertools

import numpy as np
import pytest
from oracles.prices import Leaf, Question, flatten, row_price, threshold, worst_price
from oracles.random_prices import COLUMNS, DOMAINS, as_arrays, random_case
from thoroughness import tries

from thriftree.costs import BoundCosts, Group, TestCosts, price, price_rows

NAMES = ["cp", "chol", "fbs", "thal", "thalach", "exang", "oldpeak"]
CP, CHOL, FBS, THAL, THALACH, EXANG, OLDPEAK = range(7)
FULL = {
    "cp": 1,
    "chol": 7.27,
    "fbs": 5.20,
    "thal": 102.90,
    "thalach": 102.90,
    "exang": 87.30,
    "oldpeak": 87.30,
}
DISCOUNT = {"chol": 5.17, "fbs": 3.10, "thal": 1.00, "thalach": 1.00, "exang": 1.00, "oldpeak": 1.00}
GROUPS = {"A": ["chol", "fbs"], "B": ["thal", "thalach"], "C": ["exang", "oldpeak"]}


def example_1():
    again = threshold(CHOL, 250, Leaf(0.06), Leaf(0.04))
    sugar = threshold(FBS, 0.5, Leaf(0.0), again)
    return threshold(CP, 1, Leaf(0.60), threshold(CHOL, 200, Leaf(0.25), sugar))


EXAMPLE_1_RULES = {
    "per test": (TestCosts(FULL, pay="each"), [1, 8.27, 13.47, 20.74], 5.0515, 20.74),
    "pay once": (TestCosts(FULL), [1, 8.27, 13.47, 13.47], 4.688, 13.47),
    "groups": (
        TestCosts.from_full_and_discount(FULL, DISCOUNT, GROUPS),
        [1, 8.27, 11.37, 11.37],
        4.373,
        11.37,
    ),
    "groups, delayed": (
        TestCosts.from_full_and_discount(FULL, DISCOUNT, GROUPS, delayed=["chol", "fbs"]),
        [1, 11.37, 11.37, 11.37],
        5.148,
        11.37,
    ),
    "groups, chol known": (
        TestCosts.from_full_and_discount(FULL, DISCOUNT, GROUPS, known=["chol"]),
        [1, 1, 6.20, 6.20],
        1.78,
        6.20,
    ),
}


@pytest.mark.parametrize("rules", EXAMPLE_1_RULES)
def test_the_first_worked_example_holds_to_the_cent(rules):
    costs, kinds_of_rows, expected, worst = EXAMPLE_1_RULES[rules]
    # cp leaf .60, chol leaf .25, fbs leaf .10, chol again .05 (its two leaves share a price).
    again = threshold(CHOL, 250, Leaf(0.02), Leaf(0.03))
    tree = threshold(
        CP, 1, Leaf(0.60), threshold(CHOL, 200, Leaf(0.25), threshold(FBS, 0.5, Leaf(0.10), again))
    )
    prices = price(flatten(tree), costs.bind(NAMES))
    np.testing.assert_allclose(
        prices.accumulated[prices.leaves], [*kinds_of_rows, kinds_of_rows[-1]], atol=1e-9
    )
    assert prices.expected == pytest.approx(expected, abs=1e-9)
    assert prices.worst_case == pytest.approx(worst, abs=1e-9)


EXAMPLE_2_RULES = {
    "no groups, no delay": (TestCosts(FULL), [205.8, 205.8, 190.2, 277.5, 277.5], 220.605, 277.5),
    "groups": (
        TestCosts.from_full_and_discount(FULL, DISCOUNT, GROUPS),
        [103.9, 103.9, 190.2, 191.2, 191.2],
        142.985,
        191.2,
    ),
    "groups, all delayed": (
        TestCosts.from_full_and_discount(
            FULL, DISCOUNT, GROUPS, delayed=["thal", "thalach", "exang", "oldpeak"]
        ),
        [192.2] * 5,
        192.2,
        192.2,
    ),
}


@pytest.mark.parametrize("rules", EXAMPLE_2_RULES)
def test_the_second_worked_example_holds_to_the_cent(rules):
    costs, leaf_prices, expected, worst = EXAMPLE_2_RULES[rules]
    left = threshold(THALACH, 150, Leaf(0.30), Leaf(0.25))
    right = threshold(EXANG, 0.5, Leaf(0.20), threshold(OLDPEAK, 1, Leaf(0.15), Leaf(0.10)))
    prices = price(flatten(threshold(THAL, 3, left, right)), costs.bind(NAMES))
    np.testing.assert_allclose(prices.accumulated[prices.leaves], leaf_prices, atol=1e-9)
    assert prices.expected == pytest.approx(expected, abs=1e-9)
    assert prices.worst_case == pytest.approx(worst, abs=1e-9)


def test_random_trees_cost_what_a_row_by_row_simulation_says_under_all_rules():
    rng = np.random.default_rng(1)
    for _ in range(tries(3000, 600)):
        case = random_case(rng)
        tree = flatten(case.tree)
        rows = [[domain[rng.integers(len(domain))] for domain in DOMAINS] for _ in range(12)]
        leaf = np.array([tree.leaf_of(case.tree, row) for row in rows])
        found = price_rows(tree, case.costs.bind(COLUMNS), leaf, as_arrays(rows))
        np.testing.assert_allclose(found, [row_price(case.tree, case.rules, row) for row in rows], atol=1e-9)


def test_the_worst_case_is_the_largest_price_over_every_possible_row():
    rng = np.random.default_rng(2)
    for _ in range(tries(150, 50)):
        case = random_case(rng)
        found = price(flatten(case.tree), case.costs.bind(COLUMNS)).worst_case
        assert found == pytest.approx(worst_price(case.tree, case.rules, DOMAINS), abs=1e-9)


def test_each_leaf_shows_the_most_expensive_row_that_reaches_it():
    rng = np.random.default_rng(3)
    for _ in range(tries(60, 30)):
        case = random_case(rng)
        tree = flatten(case.tree)
        highest = np.zeros(len(tree.parent))
        for row in itertools.product(*DOMAINS):
            leaf = tree.leaf_of(case.tree, row)
            highest[leaf] = max(highest[leaf], row_price(case.tree, case.rules, row))
        prices = price(tree, case.costs.bind(COLUMNS))
        np.testing.assert_allclose(prices.accumulated[prices.leaves], highest[prices.leaves], atol=1e-9)


def test_the_expected_price_weighs_the_leaves():
    rng = np.random.default_rng(4)
    checked = 0
    while checked < tries(200, 60):
        case = random_case(rng)
        tree = flatten(case.tree)
        prices = price(tree, case.costs.bind(COLUMNS))
        if prices.times.any():
            continue
        total = sum(tree.nodes[leaf].weight * prices.accumulated[leaf] for leaf in prices.leaves)
        assert prices.expected == pytest.approx(total / tree.weight[0])
        checked += 1


def test_accumulated_prices_are_the_sums_of_the_marginal_prices_above():
    tree = flatten(example_1())
    prices = price(tree, TestCosts.from_full_and_discount(FULL, DISCOUNT, GROUPS).bind(NAMES))
    for node, parent in enumerate(tree.parent):
        above = prices.accumulated[parent] + prices.marginal[parent] if parent >= 0 else 0.0
        assert prices.accumulated[node] == pytest.approx(above)
    assert (prices.marginal[prices.leaves] == 0).all()


@pytest.mark.parametrize("pay", ["once", "each"])
def test_the_order_of_the_tests_on_a_path_does_not_matter(pay):
    costs = TestCosts.from_full_and_discount(FULL, DISCOUNT, GROUPS, known=["exang"], pay=pay).bind(NAMES)
    paths = set()
    for order in itertools.permutations([CP, CHOL, FBS, THALACH, EXANG, CHOL]):
        node = Leaf()
        for column in order:
            node = threshold(column, 0, Leaf(), node)
        paths.add(round(price(flatten(node), costs).worst_case, 9))
    assert len(paths) == 1


def test_prices_in_another_currency_scale_every_cost():
    rng = np.random.default_rng(5)
    rate = 117.5
    for _ in range(tries(200, 60)):
        case = random_case(rng)
        bound = case.costs.bind(COLUMNS)
        description = case.costs.to_dict()
        for entry in description["prices"]:
            for key in {"price"} & set(entry):
                entry[key] *= rate
            for outcome in entry.get("outcomes", []):
                outcome["price"] *= rate
            if "prices" in entry:
                entry["prices"] = [p * rate for p in entry["prices"]]
        for group in description["groups"]:
            group["setup"] *= rate
        scaled = TestCosts.from_dict(description).bind(COLUMNS)
        tree = flatten(case.tree)
        np.testing.assert_allclose(price(tree, scaled).accumulated, rate * price(tree, bound).accumulated)
        if bound.own.any() or bound.setup.any():
            assert scaled.asking == pytest.approx(rate * bound.asking)


def test_without_prices_every_node_visited_costs_1():
    prices = price(flatten(example_1()))
    assert prices.accumulated[prices.leaves].tolist() == [1, 2, 3, 4, 4]
    assert prices.worst_case == 4


def test_a_tree_of_one_leaf_costs_nothing():
    for costs in (None, TestCosts(FULL).bind(NAMES)):
        prices = price(flatten(Leaf()), costs)
        assert prices.expected == prices.worst_case == 0


def test_a_batch_ordered_under_pay_each_counts_a_split_once_whichever_way_missing_values_go():
    def twice(missing):
        right = threshold(CHOL, 200, Leaf(), Leaf(), missing=missing)
        return flatten(threshold(FBS, 0.5, threshold(CHOL, 200, Leaf(), Leaf()), right))

    costs = TestCosts(FULL, pay="each", delayed=["chol", "fbs"]).bind(NAMES)
    assert price(twice(missing=0), costs).worst_case == pytest.approx(5.20 + 7.27)
    assert price(twice(missing=1), costs).worst_case == pytest.approx(5.20 + 7.27)


def test_a_missing_answer_and_an_unseen_category_cost_as_much_as_the_most_expensive():
    costs = TestCosts({"x": 1, "y": 1, "grade": 1, "colour": {"red": 3, "blue": 9}}).bind(COLUMNS)
    tree = flatten(Question(3, "category", (2.0,), (1,), (Leaf(), Leaf())))
    rows = [[0, 0, 0, code] for code in (0, 1, 2, None, "unseen")]
    leaf = np.array([tree.leaf_of(tree.nodes[0], row) for row in rows])
    assert price_rows(tree, costs, leaf, as_arrays(rows)).tolist() == [9, 9, 3, 9, 9]
    prices = price(tree, costs)
    assert prices.accumulated.tolist() == [0, 9, 3]  # only red reaches the last leaf
    assert prices.marginal.tolist() == [9, 0, 0]


def test_outcome_prices_ask_for_the_rows():
    costs = TestCosts({"x": 1, "y": 1, "grade": 1, "colour": {"red": 3, "blue": 9}}).bind(COLUMNS)
    prices = price(flatten(Question(3, "category", (2.0,), (1,), (Leaf(), Leaf()))), costs)
    with pytest.raises(ValueError, match="over the rows"):
        _ = prices.expected
    with pytest.raises(ValueError, match="'colour' depends on its outcome"):
        prices.of_rows(np.array([1]))


def test_a_long_chain_of_questions_is_priced():
    chain = Leaf()
    for i in range(20_000):
        chain = threshold(i % 3, float(i), Leaf(), chain)
    costs = BoundCosts.without_prices(["a", "b", "c"])
    assert price(flatten(chain), costs).worst_case == 20_000
    once = TestCosts({"a": 1, "b": 2, "c": 4}, groups={"g": Group(8, ("a", "c"))}, delayed=["b"]).bind(
        ["a", "b", "c"]
    )
    assert price(flatten(chain), once).worst_case == 15
