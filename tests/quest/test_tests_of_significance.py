"""The p-values of QUEST are those of scipy, and go on where scipy's reach 0."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quest_by_rows import p_of_categories, p_of_means, p_of_spreads
from scipy import special, stats
from thoroughness import tries

from thriftree._core import log_p_of_chi2, log_p_of_f, quest_log_p, quest_order, table_test


def tables(x, y, n_classes):
    """(values, counts[value, class]) of the rows."""
    values, code = np.unique(x, return_inverse=True)
    counts = np.zeros((len(values), n_classes))
    np.add.at(counts, (code, y), 1.0)
    return values, counts


@st.composite
def rows(draw):
    """Some columns of few values, with two classes at least, and many ties."""
    seed = draw(st.integers(0, 2**32 - 1))
    n, n_columns, n_classes = draw(st.integers(8, 40)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, n)
    y[:2] = 0, 1
    X = (
        random.integers(0, draw(st.sampled_from([2, 3, 7, 40])), size=(n, n_columns))
        + y[:, None] * random.random(n_columns).round()
    )
    X[2:4] = [[0.0], [1.0]]
    return X.astype(float), y, n_classes


def log_p_anova(X, y, n_classes, scale=1.0, shift=0.0):
    """Of each column."""
    return [quest_log_p(*tables(x * scale + shift, y, n_classes)) for x in X.T]


def log_p_levene(X, y, n_classes):
    """Of each column."""
    return [quest_log_p(*tables(x, y, n_classes), spreads=True) for x in X.T]


@settings(max_examples=tries(150, 60), deadline=None)
@given(rows())
def test_anova_and_levene_are_those_of_scipy(data):
    X, y, n_classes = data
    means, spreads = log_p_anova(X, y, n_classes), log_p_levene(X, y, n_classes)
    for j, x in enumerate(X.T):
        np.testing.assert_allclose(np.exp(means[j]), p_of_means(x, y), rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(np.exp(spreads[j]), p_of_spreads(x, y), rtol=1e-9, atol=1e-14)


@settings(max_examples=tries(150, 60), deadline=None)
@given(rows())
def test_chi_squared_is_that_of_scipy(data):
    X, y, n_classes = data
    found = [
        log_p_of_chi2(*(np.array([float(v)]) for v in table_test(tables(x, y, n_classes)[1], "pearson")))[0]
        for x in X.T
    ]
    np.testing.assert_allclose(np.exp(found), [p_of_categories(x, y) for x in X.T], rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(rows(), st.sampled_from([1e-200, 1e-3, 7.0, 1e200]), st.sampled_from([0.0, 1000.0]))
def test_no_p_value_depends_on_the_scale(data, scale, shift):
    X, y, n_classes = data
    a, b = log_p_anova(X, y, n_classes), log_p_anova(X, y, n_classes, scale, shift * scale)
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def test_a_column_that_holds_the_largest_and_the_smallest_floats_has_a_p_value():
    x, y = np.array([-1.7e308, -1e308, 1e308, 1.7e308]), np.array([0, 0, 1, 1])
    found = log_p_anova(x[:, None], y, 2)
    np.testing.assert_allclose(np.exp(found), p_of_means(x / 1e308, y))


def test_classes_without_spread_and_apart_are_certain_to_differ():
    x, y = np.array([0.1, 0.1, 0.3, 0.3, 0.3]), np.array([0, 0, 1, 1, 1])
    assert log_p_anova(x[:, None], y, 2) == [-np.inf]


def test_no_more_rows_than_classes_give_no_test():
    rows = np.array([[0.0], [1.0]]), np.array([0, 1]), 2
    assert log_p_anova(*rows) == log_p_levene(*rows) == [0]


freedoms = st.floats(1, 300)


@settings(max_examples=tries(200, 80), deadline=None)
@given(st.floats(1e-280, 0.999), freedoms, st.floats(1, 1e5))
def test_the_tail_of_f_is_that_of_scipy(p, between, within):
    statistic = stats.f.isf(p, between, within)
    if not np.isfinite(statistic) or statistic > 1e100:
        return
    arrays = [np.array([v]) for v in (statistic, between, within)]
    np.testing.assert_allclose(log_p_of_f(*arrays), stats.f.logsf(statistic, between, within), rtol=1e-10)


@settings(max_examples=tries(200, 80), deadline=None)
@given(st.floats(1e-280, 0.999), st.floats(1, 5000))
def test_the_tail_of_chi_squared_is_that_of_scipy(p, freedom):
    statistic = special.chdtri(freedom, p)
    arrays = [np.array([v]) for v in (statistic, freedom)]
    np.testing.assert_allclose(log_p_of_chi2(*arrays), stats.chi2.logsf(statistic, freedom), rtol=1e-10)


@pytest.mark.parametrize("classes", [3, 5, 9])
def test_far_out_the_tail_of_f_is_that_of_a_polynomial(classes):
    """With even degrees of freedom it is the tail of a binomial distribution: DLMF 8.17.5, in fractions."""
    for ratio in (3, 100, 10**6, 10**40):
        for half in (1, 4, 40, 400):
            between, z = classes - 1, Fraction(1, 1 + ratio)
            rest = 1 - z
            b = between // 2
            terms = [comb(half + b - 1, j) * z**j * rest ** (half + b - 1 - j) for j in range(half, half + b)]
            exact = sum(terms)
            wanted = log(exact.numerator) - log(exact.denominator)
            statistic = np.array([ratio * 2.0 * half / between])
            found = log_p_of_f(statistic, np.array([float(between)]), np.array([2.0 * half]))
            np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_beyond_the_smallest_float_p_values_still_have_an_order():
    statistics = np.geomspace(1e2, 1e12, 60)
    for log_p in (
        log_p_of_f(statistics, np.full(60, 3.0), np.full(60, 1e4)),
        log_p_of_chi2(statistics, np.full(60, 40.0)),
    ):
        assert (np.diff(log_p) < 0).all()
        assert log_p[0] > -700 > log_p[-1] > -np.inf


def selected(X, y, n_classes):
    spreads = list(enumerate(log_p_levene(X, y, n_classes)))
    return quest_order(list(enumerate(log_p_anova(X, y, n_classes))), 0.05, spreads)


def test_two_columns_of_vanishing_p_are_told_apart():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    X = y[:, None] + random.normal(scale=[0.2, 0.1, 0.15], size=(4000, 3))
    assert stats.f.sf(stats.f_oneway(X[:2000, 1], X[2000:, 1]).statistic, 1, 3998) == 0
    assert selected(X, y, 2)[0][0] == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_steps_of_the_selection_are_those_of_the_paper(seed):
    """Means that differ, else spreads that differ, else the least p: each happens, and is seen to."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, 120)
    kind = seed % 3
    X = random.normal(size=(120, 4))
    if kind == 0:
        X[:, 2] += y
    elif kind == 1:
        X[:, 1] *= 1 + 3 * (y == 2)
    found = selected(X, y, 3)
    first = [p_of_means(x, y) for x in X.T]
    spreads = [p_of_spreads(x, y) for x in X.T]
    if min(first) <= 0.05 / 4:
        wanted, p = int(np.argmin(first)), min(first)
    elif min(spreads) <= 0.05 / 8:
        wanted, p = int(np.argmin(spreads)), min(spreads)
    else:
        wanted, p = int(np.argmin(first)), min(first)
    assert found[0] == (wanted, pytest.approx(np.log(p), rel=1e-9))
    assert sorted(column for column, _ in found) == [0, 1, 2, 3]
    for column, log_p in found[1:]:
        assert log_p == pytest.approx(np.log(first[column]), rel=1e-9)
    if kind < 2:
        assert wanted == (2 if kind == 0 else 1)
