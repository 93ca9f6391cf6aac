"""Prices bound to a table's columns, and the marginal price that scores see."""

import numpy as np
import pytest
from oracles.prices import Leaf, flatten, threshold
from oracles.random_prices import COLUMNS, Column

from thriftree.costs import BoundCosts, Group, PathState, Steps, TestCosts, price

NAMES = ["cp", "chol", "fbs"]
BLOOD = {"blood": Group(2.10, ("chol", "fbs"))}
PRICES = {"fbs": 3.10, "cp": 1.00, "chol": 5.17}


def test_binding_puts_prices_in_column_order():
    bound = TestCosts(PRICES, BLOOD, known=["cp"], delayed=["fbs"], asking=0.5).bind(NAMES)
    rules = bound.rules
    assert rules.own.tolist() == [1.00, 5.17, 3.10]
    assert [bound.least(column) for column in range(3)] == [0, 5.17, 3.10]
    assert rules.group.tolist() == [-1, 0, 0]
    assert rules.setup.tolist() == [2.10]
    assert rules.known.tolist() == [True, False, False]
    assert rules.delayed.tolist() == [False, False, True]
    assert (rules.pay_once, rules.asking, rules.free_first, rules.read) == (True, 0.5, False, True)


@pytest.mark.parametrize(
    ("rules", "read"), [({}, True), ({"read": False}, False), ({"pay": "each"}, False)], ids=str
)
def test_features_are_read_where_they_are_paid_once_and_nobody_forbids_it(rules, read):
    assert TestCosts(PRICES, BLOOD, **rules).bind(NAMES).rules.read is read
    assert not BoundCosts.without_prices(NAMES).rules.read


@pytest.mark.parametrize(("read", "codes"), [("auto", 8), (True, 2**32 - 1)])
def test_up_to_eight_codes_are_read_unless_told_otherwise(read, codes):
    assert TestCosts(PRICES, BLOOD, read=read).bind(NAMES).rules.read_at_most == codes
    assert TestCosts(PRICES, BLOOD).read == "auto"


def test_positions_bind_to_columns_of_any_name():
    bound = TestCosts([1, 2, 3], {"g": Group(9, (0, 2))}, delayed=[2]).bind(NAMES)
    assert bound.group.tolist() == [0, -1, 0]
    assert bound.delayed.tolist() == [False, False, True]


def test_a_feature_measured_twice_is_paid_once_and_opens_its_group_once():
    bound = TestCosts(PRICES, BLOOD).bind(NAMES)
    start = PathState()
    a = bound.asking
    assert a == 0.01
    assert bound.marginal(start, 1) == pytest.approx(a + 7.27)
    after_chol = bound.visit(start, 1)
    assert bound.marginal(after_chol, 1) == a
    assert bound.marginal(after_chol, 2) == pytest.approx(a + 3.10)
    assert bound.marginal(after_chol, 0) == pytest.approx(a + 1)


def test_with_pay_each_a_repeated_test_costs_again_and_asking_is_free():
    bound = TestCosts(PRICES, pay="each").bind(NAMES)
    assert bound.asking == 0
    assert bound.marginal(bound.visit(PathState(), 1), 1) == 5.17


def test_a_known_feature_is_free_and_does_not_open_its_group():
    bound = TestCosts(PRICES, BLOOD, known=["chol"]).bind(NAMES)
    after = bound.visit(PathState(), 1)
    assert bound.marginal(PathState(), 1) == bound.asking
    assert bound.marginal(after, 2) == pytest.approx(bound.asking + 5.20)


def test_marginal_prices_add_up_to_the_price_of_a_path_without_delay():
    rng = np.random.default_rng(0)
    for pay in ("once", "each"):
        bound = TestCosts(PRICES, BLOOD, pay=pay, known=["cp"]).bind(NAMES)
        for _ in range(100):
            path = rng.integers(0, 3, 6).tolist()
            state, total = PathState(), 0.0
            for column in path:
                total += bound.marginal(state, column) - bound.asking
                state = bound.visit(state, column)
            node = Leaf()
            for column in reversed(path):
                node = threshold(column, 0, Leaf(), node)
            assert price(flatten(node), bound).worst_case == pytest.approx(total)


def test_the_price_of_asking_defaults_to_a_hundredth_of_the_smallest_positive_price():
    assert TestCosts({"a": 0, "b": 5}).bind(["a", "b"]).asking == 0.05
    assert TestCosts({"a": 0, "b": 0}).bind(["a", "b"]).asking == 1
    assert TestCosts({"a": 0}, {"g": Group(3, ("a",))}).bind(["a"]).asking == 0.03
    assert TestCosts({"a": 2, "b": 5}, known=["a"]).bind(["a", "b"]).asking == 0.05
    assert TestCosts({"a": Steps((1,), (4, 2))}).bind(["a"]).asking == 0.02
    assert TestCosts({"a": 5}, asking=0.7).bind(["a"]).asking == 0.7


def test_without_prices_every_test_costs_1_each_time():
    bound = BoundCosts.without_prices(NAMES)
    assert bound.marginal(bound.visit(PathState(), 0), 0) == 1


def test_outcome_prices_meet_categories_by_value_or_by_spelling():
    flag = Column("flag", "category", (False, True))
    code = Column("code", "category", (0, 1))
    bound = TestCosts({"flag": {"True": 5, "False": 2}, "code": {1: 7, 0: 3}}).bind([flag, code])
    codes = np.array([0, 1, -1, -2])
    assert bound.outcomes[0].of(codes).tolist() == [2, 5, 5, 5]
    assert bound.outcomes[1].of(codes).tolist() == [3, 7, 7, 7]
    assert bound.least(0) == 2
    assert bound.marginal(PathState(), 1, outcome=0) == bound.asking + 3
    assert bound.marginal(PathState(), 1) == bound.asking + 7


def test_a_priced_category_that_a_sample_lacks_is_no_error():
    bound = TestCosts({"colour": {"red": 1, "violet": 8}}).bind([COLUMNS[3]])
    assert bound.outcomes[0].of(np.array([0, 1, 2, -2])).tolist() == [8, 8, 1, 8]


def test_steps_price_a_limit_with_what_lies_below_it():
    bound = TestCosts({"x": Steps((10, 20), (5, 9, 15))}).bind(["x"])
    values = np.array([-1, 10, 10.5, 20, 21, np.nan])
    assert bound.outcomes[0].of(values).tolist() == [5, 5, 9, 9, 15, 15]


BAD = {
    "unknown column": (TestCosts({"cp": 1, "chl": 1}), ["cp", "chol"], "'chl', but .* did you mean 'chol'"),
    "unknown known": (TestCosts({"cp": 1}, known=["x"]), ["cp"], "known has the feature 'x'"),
    "too few": (TestCosts({"cp": 1}), NAMES, "1 of 3 columns; no price for 'chol', 'fbs'"),
    "too short an array": (TestCosts([1, 2]), NAMES, "2 of 3 columns; no price for 'fbs'"),
    "too long an array": (TestCosts([1, 2, 3, 4]), NAMES, "position 3"),
    "columns of one name": (TestCosts({"a": 1}), ["a", "a"], "same name"),
    "categories unknown": (TestCosts({"colour": {"red": 1}}), ["colour"], "pass column schemas"),
    "categories of a number": (TestCosts({"x": {"red": 1}}), [COLUMNS[0]], "write Steps"),
    "steps of categories": (TestCosts({"colour": Steps((1,), (1, 2))}), [COLUMNS[3]], "price each category"),
    "no such category": (TestCosts({"colour": {"pink": 1}}), [COLUMNS[3]], "'pink'.*'blue'"),
}


@pytest.mark.parametrize("case", BAD)
def test_prices_that_do_not_fit_the_table_are_refused(case):
    costs, columns, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        costs.bind(columns)


def test_a_name_in_vain_is_answered_with_the_names_that_the_columns_have():
    with pytest.raises(ValueError, match=r"columns do not \('x0', 'x1', 'x2', 'x3', 'x4' and 2 more\)"):
        TestCosts({"age": 1}).bind([f"x{i}" for i in range(7)])


def test_a_category_that_is_only_spelt_differently_is_an_error():
    column = Column("biopsy", "category", ("benign", "very bad"))
    for written in ("Benign", "benign ", "verybad"):
        with pytest.raises(ValueError, match=r"'biopsy' names .* but the category is .*: write it so"):
            TestCosts({"biopsy": {written: 120, "other": 300}}).bind([column])
