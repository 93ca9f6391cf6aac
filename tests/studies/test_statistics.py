"""The statistics of the studies, against scipy and against slow definitions."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from thoroughness import tries

from studies.statistics import (
    bonferroni_dunn,
    compare_ranks,
    estimate_of_splits,
    geometric_mean,
    holm,
    hypervolume,
    interval_over_sets,
    mean_over_sets,
    ratio_over_sets,
)

shares = st.floats(0, 1, allow_subnormal=False)


@given(st.lists(shares, min_size=2, max_size=8))
def test_splits_that_share_no_rows_have_the_textbook_interval(values):
    found = estimate_of_splits(values, test_share=0.0)
    mean, error = np.mean(values), stats.sem(values)
    assert found.mean == pytest.approx(mean)
    assert found.error == pytest.approx(error)
    if error > 1e-12:
        low, high = stats.t.interval(0.95, len(values) - 1, loc=mean, scale=error)
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_the_share_of_test_rows_makes_the_interval_wider():
    values = [0.7, 0.8, 0.75, 0.9]
    plain, shared = estimate_of_splits(values, 0.0), estimate_of_splits(values, 0.3)
    assert shared.error == pytest.approx(plain.error * np.sqrt((1 / 4 + 0.3 / 0.7) / (1 / 4)))


def test_one_split_has_no_interval():
    found = estimate_of_splits([0.5], 0.3)
    assert found.mean == 0.5
    assert np.isnan([found.error, found.low, found.high]).all()


def test_the_interval_over_sets_is_that_of_all_ways_to_draw_them():
    values = np.array([0.1, 0.4, 0.2, 0.9, 0.3])
    every = np.array(np.meshgrid(*[values] * 5)).reshape(5, -1).mean(axis=0)  # 5 ** 5 equally likely draws
    low, high = interval_over_sets(values)
    assert low == pytest.approx(np.quantile(every, 0.025), abs=0.02)
    assert high == pytest.approx(np.quantile(every, 0.975), abs=0.02)
    assert interval_over_sets(values) == (low, high)  # the same in every run


def test_the_interval_over_sets_covers_the_mean_about_as_often_as_it_says():
    random = np.random.default_rng(0)
    n = tries(400, 100)
    covered = 0
    for _ in range(n):
        low, high = interval_over_sets(random.normal(0.3, 1, 30))
        covered += low <= 0.3 <= high
    assert 0.87 <= covered / n <= 0.99  # resampling 30 sets covers a little less than 95 %


def test_sets_that_agree_have_an_interval_of_one_point_and_one_set_has_none():
    assert interval_over_sets([0.25, 0.25, 0.25]) == (0.25, 0.25)
    assert np.isnan(interval_over_sets([0.25])).all()


def every_subset(items):
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_bonferroni_over_every_set_of_hypotheses_that_may_hold(raw):
    # Closed testing: a hypothesis falls if every set that has it falls, each by Bonferroni at its own size.
    slow = [
        max(min(1.0, len(s) * min(raw[i] for i in s)) for s in every_subset(range(len(raw))) if number in s)
        for number in range(len(raw))
    ]
    assert holm(np.array(raw)).tolist() == pytest.approx(slow)


@given(st.integers(0, 10**6), st.integers(3, 6), st.integers(3, 12))
def test_ranks_and_friedman_s_test_are_scipy_s(seed, n_methods, n_sets):
    table = np.random.default_rng(seed).integers(0, 8, (n_sets, n_methods)) / 8
    found = compare_ranks(table)
    by_set = np.array([stats.rankdata(-row) for row in table])
    assert found.ranks == pytest.approx(by_set.mean(axis=0))
    if all(np.ptp(row) == 0 for row in table):
        return  # scipy divides by 0
    statistic, p = stats.friedmanchisquare(*table.T)
    assert (found.friedman_statistic, found.friedman_p) == (pytest.approx(statistic), pytest.approx(p))


def test_nemenyi_s_critical_difference_is_that_of_the_published_table():
    # Demšar 2006, table 5(a): q at 0.05 for 2 to 10 methods.
    published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    random = np.random.default_rng(0)
    for k, q in enumerate(published, start=2):
        found = compare_ranks(random.random((14, k))).critical_difference
        assert found == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * 14)), abs=0.001)


points = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=8)


@given(points, st.integers(0, 12), st.integers(0, 12))
def test_the_hypervolume_counts_the_cells_that_some_point_dominates(found, price, score):
    cells = sum(any(p <= x and s >= y + 1 for p, s in found) for x in range(price) for y in range(score, 12))
    assert hypervolume(found, (price, score)) == cells


@given(points, points)
def test_more_trees_never_have_less_hypervolume(some, more):
    assert hypervolume([*some, *more], (12, 0)) >= hypervolume(some, (12, 0))


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=6))
def test_ratios_are_averaged_by_their_product_and_turned_over_they_turn_over(ratios):
    found, turned = ratio_over_sets(ratios), ratio_over_sets([1 / ratio for ratio in ratios])
    assert found.mean == pytest.approx(np.prod(ratios) ** (1 / len(ratios))) == geometric_mean(ratios)
    assert turned.mean == pytest.approx(1 / found.mean)
    assert found.low <= found.mean * (1 + 1e-9)
    assert found.mean <= found.high * (1 + 1e-9)
    assert found.n_sets == len(ratios)


def test_a_mean_over_sets_has_the_interval_over_sets():
    values = [0.1, 0.4, 0.2, 0.9]
    found = mean_over_sets(values)
    assert (found.mean, found.low, found.high) == (pytest.approx(0.4), *interval_over_sets(values))


def test_bonferroni_and_dunn_s_critical_difference_is_that_of_the_published_table():
    # Demšar 2006, table 5(b): q at 0.05 for 2 to 10 methods; his 2.724 of 9 methods is 2.734.
    published = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773]
    for k, q in enumerate(published, start=2):
        assert bonferroni_dunn(k, 14) == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * 14)), abs=0.002)
