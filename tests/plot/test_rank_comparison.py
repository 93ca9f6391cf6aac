"""Ranks, Friedman's test and critical differences: Demšar's example, published tables, scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thriftree.plot.rank_comparison import compare_ranks, signed_rank_p

# Demšar 2006, table 6: AUC of C4.5, and tuned by m, by cf, by both, on 14 sets. The paper ranks the two 0.975
# of the 13th set second and third: they differ in digits that it does not print.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]

tables = st.builds(
    lambda seed, n, k, levels: np.random.default_rng(seed).integers(0, levels, (n, k)).astype(float),
    st.integers(0, 2**32),
    st.integers(3, 20),
    st.integers(3, 6),
    st.sampled_from([3, 10, 10**6]),
)


def test_the_ranks_are_those_of_the_paper():
    compared = compare_ranks(DEMSAR, NAMES)
    np.testing.assert_allclose(compared.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    n, k = DEMSAR.shape
    # The paper's statistic is not corrected for ties: its formula, from these ranks, gives its figure.
    published = 12 * n / (k * (k + 1)) * ((compared.ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert published == pytest.approx(9.28, abs=5e-3)
    assert (n - 1) * published / (n * (k - 1) - published) == pytest.approx(3.69, abs=5e-3)
    assert compared.significant


def test_the_critical_differences_are_those_of_the_paper():
    strict = compare_ranks(DEMSAR, NAMES)
    assert strict.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert strict.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    # "At p = 0.10, CD is 1.12": C4.5 is worse than both that tune m, and cf alone is between them.
    lenient = compare_ranks(DEMSAR, NAMES, alpha=0.10)
    assert lenient.critical_difference == pytest.approx(1.12, abs=5e-3)
    assert lenient.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize(
    ("k", "q"),
    list(enumerate([1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164], start=2)),
)
def test_critical_values_are_those_of_the_published_table(k, q):
    n = 6
    scores = np.random.default_rng(k).normal(size=(n, k))
    difference = compare_ranks(scores).critical_difference
    assert difference == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * n)), rel=4e-4)


@given(tables)
@settings(deadline=None, max_examples=60)
def test_friedmans_test_is_scipys(table):
    compared = compare_ranks(table)
    if np.all(table == table[:, :1]):
        assert (compared.friedman_statistic, compared.friedman_p) == (0.0, 1.0)
        return
    expected = stats.friedmanchisquare(*table.T)
    assert compared.friedman_statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert compared.friedman_p == pytest.approx(expected.pvalue)


@given(tables)
@settings(deadline=None, max_examples=30)
def test_lower_scores_are_better_if_told_so(table):
    up, down = compare_ranks(table), compare_ranks(-table, lower_is_better=True)
    np.testing.assert_array_equal(up.ranks, down.ranks)
    assert up.ranks.sum() == pytest.approx(table.shape[1] * (table.shape[1] + 1) / 2)


@pytest.mark.parametrize("seed", range(8))
def test_the_signed_rank_test_is_scipys_where_there_are_no_ties(seed):
    differences = np.random.default_rng(seed).normal(0.3, 1, 5 + 3 * seed)
    assert signed_rank_p(differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


@pytest.mark.parametrize("seed", range(8))
def test_the_signed_rank_test_with_ties_counts_every_sign(seed):
    differences = np.random.default_rng(seed).integers(-2, 4, 9).astype(float)
    ranks = stats.rankdata(np.abs(differences))
    known = ranks[differences != 0]
    observed = ranks[differences > 0].sum()
    signs = (np.arange(2 ** len(known))[:, None] >> np.arange(len(known))) & 1
    sums = signs @ known
    expected = min(1.0, 2 * min((sums <= observed).mean(), (sums >= observed).mean()))
    assert signed_rank_p(differences) == pytest.approx(expected)


def test_equal_methods_do_not_differ():
    assert signed_rank_p(np.zeros(5)) == 1.0
    same = compare_ranks(np.ones((6, 3)), post_hoc="wilcoxon-holm")
    assert same.cliques == (("method 1", "method 2", "method 3"),)
    assert same.friedman_p == 1.0


def test_holms_correction_multiplies_by_the_tests_that_are_left():
    rng = np.random.default_rng(0)
    table = rng.normal([0, 0.4, 1.5], size=(20, 3))
    compared = compare_ranks(table, ["a", "b", "c"], post_hoc="wilcoxon-holm")
    pairs = [(0, 1), (0, 2), (1, 2)]
    raw = sorted((signed_rank_p(table[:, i] - table[:, j]), i, j) for i, j in pairs)
    expected = np.maximum.accumulate([p * (3 - place) for place, (p, _, _) in enumerate(raw)])
    for (_, i, j), p in zip(raw, expected, strict=True):
        assert compared.p_values[i, j] == compared.p_values[j, i] == pytest.approx(min(p, 1))
    assert compared.critical_difference is None


@given(tables)
@settings(deadline=None, max_examples=40)
def test_cliques_are_runs_of_ranks_of_which_no_two_differ_and_none_lies_within_another(table):
    compared = compare_ranks(table, alpha=0.3)
    order = [compared.names[i] for i in np.argsort(compared.ranks, kind="stable")]
    rank = dict(zip(compared.names, compared.ranks, strict=True))
    for clique in compared.cliques:
        start = order.index(clique[0])
        assert list(clique) == order[start : start + len(clique)]
        if compared.significant:
            assert rank[clique[-1]] - rank[clique[0]] < compared.critical_difference
    for a in compared.cliques:
        assert not any(set(a) < set(b) for b in compared.cliques)
    if compared.significant:  # whoever is near enough shares a bar
        for a, b in itertools.pairwise(order):
            near = rank[b] - rank[a] < compared.critical_difference - 1e-9
            assert near == any({a, b} <= set(clique) for clique in compared.cliques)


@pytest.mark.parametrize("make", [lambda d: d, pd.DataFrame, pl.DataFrame], ids=["dict", "pandas", "polars"])
def test_scores_come_as_dicts_and_frames(make):
    scores = make({name: DEMSAR[:, j].tolist() for j, name in enumerate(NAMES)})
    compared = compare_ranks(scores)
    assert compared.names == tuple(NAMES)
    np.testing.assert_array_equal(compared.ranks, compare_ranks(DEMSAR, NAMES).ranks)


def test_it_prints_its_figures():
    assert str(compare_ranks(DEMSAR, NAMES)).splitlines() == [
        "C4.5+m+cf: 1.964",
        "C4.5+m: 2.000",
        "C4.5+cf: 2.893",
        "C4.5: 3.143",
        "Friedman over 14 sets: p = 0.0167",
        "critical difference at 0.05: 1.254",
        "no difference shown: C4.5+m+cf, C4.5+m, C4.5+cf, C4.5",
    ]


@pytest.mark.parametrize(
    ("scores", "options", "problem"),
    [
        ([[1.0, np.nan], [1, 2]], {}, "the score of 'method 2' on set 0 is nan: leave out sets"),
        ([[1.0, 2.0]], {}, "two methods and two sets at least"),
        ([1.0, 2.0], {}, "a table of sets x methods"),
        (
            {"a": [1, 2], "b": [1]},
            {},
            "every method needs a score on every set, but their numbers differ: a 2, b 1",
        ),
        ({"set": ["iris", "wine"], "a": [1, 2]}, {}, "column 'set' of scores holds no numbers"),
        ([[1, 2], [2, 1]], {"names": ["a"]}, "there are 2 methods, but 1 names"),
        ([[1, 2], [2, 1]], {"names": ["a", "a"]}, "two methods have the same name"),
        ([[1, 2], [2, 1]], {"alpha": 1.5}, "alpha must be between 0 and 1"),
        ([[1, 2], [2, 1]], {"post_hoc": "tukey"}, 'post_hoc must be "nemenyi" or "wilcoxon-holm"'),
    ],
)
def test_wrong_scores_are_named(scores, options, problem):
    with pytest.raises(ValueError, match=problem):
        compare_ranks(scores, **options)
