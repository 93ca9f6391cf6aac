"""Prices as the core takes them: by code, as expensive as the most expensive value that a code stands for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from thriftree.costs import Steps, TestCosts
from thriftree.learning.allowance import Budget
from thriftree.learning.growth import _prices_by_code, price_rules
from thriftree.table.coding import encode


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=300), 2)
    x[:5] = np.nan
    grade = pd.Categorical(
        rng.choice(["low", "high"], 300), categories=["none", "low", "mid", "high"], ordered=True
    )
    return pd.DataFrame({"x": x, "grade": grade, "colour": rng.choice(["blue", "green", None], 300)})


COSTS = TestCosts(
    {
        "x": Steps((-0.5, 0.0, 1.0), (4.0, 1.0, 6.0, 2.0)),
        "grade": {"none": 9.0, "low": 2.0, "mid": 7.0, "high": 3.0},
        "colour": {"blue": 1.0, "green": 5.0},
    }
)


def price_of(value):
    return 6.0 if np.isnan(value) else [4.0, 1.0, 6.0, 2.0][np.searchsorted([-0.5, 0.0, 1.0], value)]


def test_a_code_of_one_value_costs_what_the_value_costs(frame):
    table = encode(frame)
    by_code = _prices_by_code(COSTS.bind(table.columns), table)
    codes = table.core.codes(0)
    assert [by_code[0][code] for code in codes] == [price_of(value) for value in frame["x"]]
    assert [by_code[1][code] for code in table.core.codes(1)] == frame["grade"].map(
        {"low": 2.0, "high": 3.0}
    ).tolist()
    colours = frame["colour"].map({"blue": 1.0, "green": 5.0}).fillna(5.0).tolist()
    assert [by_code[2][code] for code in table.core.codes(2)] == colours


def test_a_bin_costs_as_much_as_the_most_expensive_number_in_it(frame):
    table = encode(frame, max_bins=5)
    prices = _prices_by_code(COSTS.bind(table.columns), table)[0]
    edges = table.core.column(0).edges
    fine = np.linspace(-10, 10, 20_001)
    code_of = np.searchsorted(edges, fine)
    brute = [max(price_of(value) for value in fine[code_of == code]) for code in range(len(edges) + 1)]
    assert prices == [*brute, 6.0]  # and missing


def test_a_column_of_one_price_needs_no_list(frame):
    table = encode(frame)
    costs = TestCosts({"x": 2.0, "grade": 3.0, "colour": {"blue": 1.0, "green": 5.0}})
    assert [len(prices) for prices in _prices_by_code(costs.bind(table.columns), table)] == [0, 0, 3]


def test_what_a_path_cannot_pay_for_is_out_of_reach():
    costs = TestCosts([1.0, 5.0, 7.0], pay="each")
    table = encode(np.arange(6.0).reshape(2, 3))
    rules = price_rules(costs.bind(table.columns), table, Budget(8.0, costs))
    assert rules.marginal([]) == [1.0, 5.0, 7.0]
    assert rules.marginal([0]) == [1.0, 5.0, 7.0]
    assert rules.marginal([0, 0]) == [1.0, 5.0, np.inf]
    assert rules.marginal([2]) == [1.0, np.inf, np.inf]
