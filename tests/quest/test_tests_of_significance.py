"""The p-values of QUEST are those of scipy, and go on where scipy's reach 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quest_by_rows import p_of_categories, p_of_means, p_of_spreads
from scipy import special, stats
from thoroughness import tries

from thriftree.methods.log_p_values import _log_chi2_tail, _log_f_tail, log_p_of_chi2, log_p_of_f
from thriftree.methods.quest.selection import Variables, log_p_anova, log_p_chi2, log_p_levene, select


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


def numbers(X, y, n_classes, scale=1.0, shift=0.0):
    parts = [tables(x * scale + shift, y, n_classes) for x in X.T]
    values, counts = zip(*parts, strict=True)
    lengths = [len(v) for v in values]
    return Variables.numbers(range(X.shape[1]), lengths, np.concatenate(counts), np.concatenate(values))


@settings(max_examples=tries(150, 60), deadline=None)
@given(rows())
def test_anova_and_levene_are_those_of_scipy(data):
    X, y, n_classes = data
    variables = numbers(X, y, n_classes)
    means, spreads = log_p_anova(variables), log_p_levene(variables)
    for j, x in enumerate(X.T):
        np.testing.assert_allclose(np.exp(means[j]), p_of_means(x, y), rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(np.exp(spreads[j]), p_of_spreads(x, y), rtol=1e-9, atol=1e-14)


@settings(max_examples=tries(150, 60), deadline=None)
@given(rows())
def test_chi_squared_is_that_of_scipy(data):
    X, y, n_classes = data
    counts = [tables(x, y, n_classes)[1] for x in X.T]
    found = log_p_chi2(
        Variables.categories(range(X.shape[1]), [len(c) for c in counts], np.concatenate(counts))
    )
    np.testing.assert_allclose(np.exp(found), [p_of_categories(x, y) for x in X.T], rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(rows(), st.sampled_from([1e-200, 1e-3, 7.0, 1e200]), st.sampled_from([0.0, 1000.0]))
def test_no_p_value_depends_on_the_scale(data, scale, shift):
    X, y, n_classes = data
    a, b = numbers(X, y, n_classes), numbers(X, y, n_classes, scale, shift * scale)
    np.testing.assert_allclose(log_p_anova(a), log_p_anova(b), rtol=1e-6, atol=1e-9)


def test_a_column_that_holds_the_largest_and_the_smallest_floats_has_a_p_value():
    x, y = np.array([-1.7e308, -1e308, 1e308, 1.7e308]), np.array([0, 0, 1, 1])
    found = log_p_anova(numbers(x[:, None], y, 2))
    np.testing.assert_allclose(np.exp(found), p_of_means(x / 1e308, y))


def test_classes_without_spread_and_apart_are_certain_to_differ():
    x, y = np.array([0.1, 0.1, 0.3, 0.3, 0.3]), np.array([0, 0, 1, 1, 1])
    assert log_p_anova(numbers(x[:, None], y, 2)) == -np.inf


def test_no_more_rows_than_classes_give_no_test():
    variables = numbers(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    assert log_p_anova(variables) == log_p_levene(variables) == 0


freedoms = st.floats(1, 300)


@settings(max_examples=tries(200, 80), deadline=None)
@given(st.floats(1e-280, 1e-20), freedoms, st.floats(100, 1e5))
def test_the_far_tail_of_f_meets_the_near_one(p, between, within):
    statistic = stats.f.isf(p, between, within)
    if not np.isfinite(statistic):
        return
    arrays = [np.array([v]) for v in (statistic, between, within)]
    np.testing.assert_allclose(_log_f_tail(*arrays), stats.f.logsf(statistic, between, within), rtol=1e-10)


@settings(max_examples=tries(200, 80), deadline=None)
@given(st.floats(1e-280, 1e-20), st.floats(1, 5000))
def test_the_far_tail_of_chi_squared_meets_the_near_one(p, freedom):
    statistic = special.chdtri(freedom, p)
    arrays = [np.array([v]) for v in (statistic, freedom)]
    np.testing.assert_allclose(_log_chi2_tail(*arrays), stats.chi2.logsf(statistic, freedom), rtol=1e-10)


def test_beyond_the_smallest_float_p_values_still_have_an_order():
    statistics = np.geomspace(1e2, 1e12, 60)
    for log_p in (
        log_p_of_f(statistics, np.full(60, 3.0), np.full(60, 1e4)),
        log_p_of_chi2(statistics, np.full(60, 40.0)),
    ):
        assert (np.diff(log_p) < 0).all()
        assert log_p[0] > -700 > log_p[-1] > -np.inf


def selected(variables):
    columns = variables.columns.tolist()
    spreads = lambda: (columns, log_p_levene(variables).tolist())  # noqa: E731
    return select(columns, log_p_anova(variables).tolist(), 0.05, spreads)


def test_two_columns_of_vanishing_p_are_told_apart():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    X = y[:, None] + random.normal(scale=[0.2, 0.1, 0.15], size=(4000, 3))
    assert stats.f.sf(stats.f_oneway(X[:2000, 1], X[2000:, 1]).statistic, 1, 3998) == 0
    assert selected(numbers(X, y, 2))[0][0] == 1


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
    variables = numbers(X, y, 3)
    found = selected(variables)
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
