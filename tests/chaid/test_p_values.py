"""Chi-squared tests: by hand in fractions, against scipy, and far beyond the smallest float."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2, chi2_contingency

from thriftree import CHAIDClassifier
from thriftree._core import log_p_of_chi2, pair_test, table_test


def log_p_values(x, freedom):
    """Of numbers of any shape."""
    x, freedom = np.broadcast_arrays(np.asarray(x, float), np.asarray(freedom, float))
    return log_p_of_chi2(x.ravel().copy(), freedom.ravel().copy()).reshape(x.shape)


def by_hand(table):
    """Pearson's statistic as a fraction."""
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total = sum(rows)
    return sum(
        Fraction(total * n - r * c) ** 2 / (total * r * c)
        for row, r in zip(table, rows, strict=True)
        for n, c in zip(row, columns, strict=True)
    )


def fitted(table, **parameters):
    """CHAID on one unordered column whose table with the class is this."""
    x = [name for name, row in zip("abcdef", table, strict=False) for count in row for _ in range(count)]
    y = [k for row in table for k, count in enumerate(row) for _ in range(count)]
    return CHAIDClassifier(min_leaf=1, max_depth=1, **parameters).fit(np.array(x)[:, None], y)


def test_two_categories_by_hand():
    """Of two rows and two columns the statistic is N (ad - bc)² over the product of the four margins."""
    table = [[15, 5], [6, 14]]
    assert by_hand(table) == Fraction(40 * (15 * 14 - 5 * 6) ** 2, 20 * 20 * 21 * 19) == Fraction(1080, 133)
    split = fitted(table).split_tests_[0]
    assert split["statistic"] == pytest.approx(1080 / 133, rel=1e-14)
    assert split["degrees_of_freedom"] == 1
    assert split["p_value"] == pytest.approx(erfc(sqrt(1080 / 133 / 2)), rel=1e-12)  # two normal tails
    assert split["multiplier"] == 1


def test_three_categories_of_which_two_are_alike_by_hand():
    """a and b differ by p = 0.75, so they are one group; there are three ways to make two groups of three."""
    table = [[12, 8], [11, 9], [2, 18]]
    assert by_hand([table[0], table[1]]) == Fraction(40, 391)
    assert erfc(sqrt(40 / 391 / 2)) > 0.74
    merged = [[23, 17], [2, 18]]
    assert by_hand(merged) == Fraction(60 * (23 * 18 - 17 * 2) ** 2, 40 * 20 * 25 * 35)
    split = fitted(table).split_tests_[0]
    assert split["groups"] == ["a, b", "c"]
    x = float(by_hand(merged))
    assert split["statistic"] == pytest.approx(x, rel=1e-14)
    assert split["multiplier"] == 3
    assert split["adjusted_p_value"] == pytest.approx(3 * erfc(sqrt(x / 2)), rel=1e-12)


def test_three_groups_of_two_classes_by_hand():
    """With two degrees of freedom the tail is exp(-x/2)."""
    table = [[18, 2], [10, 10], [2, 18]]
    x = by_hand(table)
    assert x == Fraction(128, 5)  # (8² + 0 + 8²) / 10, for each class
    split = fitted(table).split_tests_[0]
    assert split["groups"] == ["a", "b", "c"]
    assert split["degrees_of_freedom"] == 2
    assert split["p_value"] == pytest.approx(exp(-12.8), rel=1e-12)


def test_three_groups_of_three_classes_by_hand():
    """With four degrees of freedom the tail is exp(-x/2) (1 + x/2)."""
    table = [[8, 1, 1], [1, 8, 1], [1, 1, 8]]
    x = by_hand(table)
    assert x == Fraction(147, 5)  # 3 (14/3)²/(10/3) + 6 (7/3)²/(10/3)
    split = fitted(table).split_tests_[0]
    assert split["degrees_of_freedom"] == 4
    assert split["p_value"] == pytest.approx(exp(-14.7) * 15.7, rel=1e-12)


def test_the_likelihood_ratio_by_hand():
    table = [[15, 5], [6, 14]]
    g = 2 * (15 * log(15 / 10.5) + 5 * log(5 / 9.5) + 6 * log(6 / 10.5) + 14 * log(14 / 9.5))
    split = fitted(table, statistic="likelihood_ratio").split_tests_[0]
    assert split["statistic"] == pytest.approx(g, rel=1e-13)
    assert split["p_value"] == pytest.approx(erfc(sqrt(g / 2)), rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(
    table=arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(2, 4)), elements=st.integers(0, 30)),
    statistic=st.sampled_from(["pearson", "likelihood_ratio"]),
)
def test_tables_are_tested_as_scipy_tests_them(table, statistic):
    table = table.astype(float)
    seen = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    value, freedom = table_test(table, statistic)
    if min(seen.shape, default=0) < 2:
        assert (value, freedom) == (0.0, 0)
        return
    power = "pearson" if statistic == "pearson" else "log-likelihood"
    wanted = chi2_contingency(seen, correction=False, lambda_=power)
    assert value == pytest.approx(wanted.statistic, rel=1e-10, abs=1e-10)
    assert freedom == wanted.dof
    assert np.exp(log_p_values(value, freedom)) == pytest.approx(wanted.pvalue, rel=1e-9)
    two = seen[:2]
    if (two.sum(axis=1) > 0).all():
        found = pair_test(two[0].copy(), two[1].copy(), statistic)
        assert found == pytest.approx(table_test(two, statistic), rel=1e-10, abs=1e-10)


def test_log_p_values_agree_with_scipy_where_p_values_are_floats():
    x, freedom = np.meshgrid(np.geomspace(1e-6, 1300, 200), [1, 2, 3, 4, 7, 19, 20, 21, 40, 300, 5001])
    p, rest = chi2.sf(x, freedom), chi2.cdf(x, freedom)
    np.testing.assert_allclose(np.exp(log_p_values(x, freedom)), p, rtol=1e-12)
    near_one = (rest > 1e-290) & (rest < 0.5)
    np.testing.assert_allclose(log_p_values(x, freedom)[near_one], np.log1p(-rest[near_one]), rtol=1e-11)


@pytest.mark.parametrize("x", [1400.0, 1e4, 1e6])
def test_log_p_values_go_on_where_p_values_are_zero(x):
    """Closed forms: exp(-x/2) for two degrees, exp(-x/2)(1 + x/2) for four; one degree by Mills' ratio."""
    assert log_p_values(x, 2) == pytest.approx(-x / 2, rel=1e-13)
    assert log_p_values(x, 4) == pytest.approx(-x / 2 + log(1 + x / 2), rel=1e-13)
    mills = 1 - 1 / x + 3 / x**2 - 15 / x**3
    assert log_p_values(x, 1) == pytest.approx(-x / 2 - 0.5 * log(pi * x / 2) + log(mills), rel=1e-9)


def test_log_p_values_tell_apart_what_is_one_as_a_float():
    small = log_p_values([1e-6, 1e-5], 20)
    assert 0 > small[0] > small[1] > -1e-40
    assert log_p_values(0.0, 0) == 0.0


def test_the_surer_of_two_columns_wins_where_both_p_values_are_zero():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40_000)
    X = np.column_stack([np.where(rng.random(40_000) < share, y, 1 - y) for share in (0.95, 0.97, 0.96)])
    model = CHAIDClassifier(max_depth=1, categorical_features=[0, 1, 2]).fit(X, y)
    split = model.split_tests_[0]
    assert split["adjusted_p_value"] == 0.0
    assert split["column"] == "x1"
    assert split["log_worth"] == pytest.approx(-log_p_values(split["statistic"], 1) / log(10), rel=1e-12)
