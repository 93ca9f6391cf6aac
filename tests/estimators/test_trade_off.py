"""λ chosen on held-out rows: the figures it is chosen by, the two rules, and the bins of a numeric target."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import r2_score, roc_auc_score

from thriftree.learning.targets import quantile_bins
from thriftree.scores import r_squared
from thriftree.tuning.auc import macro_auc
from thriftree.tuning.trade_off import GRID, before_the_drop, within_one_error


def grouped(group: Any, y: Any, weight: Any, n_classes: int) -> np.ndarray:
    table = np.zeros((group.max() + 1, n_classes))
    np.add.at(table, (group, y), weight)
    return table


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 5), weighted=st.booleans())
def test_auc_of_groups_is_scikit_learns_auc_of_rows(seed: int, n_classes: int, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, size=40))
    group = random.integers(0, 9, size=len(y))
    weight = random.integers(1, 9, size=len(y)) / 4 if weighted else np.ones(len(y))
    votes = random.integers(1, 5, size=(9, n_classes)).astype(float)  # few values, so that groups tie
    share = votes / votes.sum(axis=1, keepdims=True)
    theirs = [roc_auc_score(y == k, share[group, k], sample_weight=weight) for k in range(n_classes)]
    ours = macro_auc(share[: group.max() + 1], grouped(group, y, weight, n_classes))
    assert ours == pytest.approx(np.mean(theirs), abs=1e-12)
    if n_classes == 2:
        assert ours == pytest.approx(roc_auc_score(y, share[group, 1], sample_weight=weight), abs=1e-12)


def test_auc_leaves_out_a_class_without_rows_of_both_kinds() -> None:
    share = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    assert macro_auc(share, np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 0.0]])) == pytest.approx(5 / 6)
    assert isnan(macro_auc(share, np.array([[2.0, 0.0, 0.0], [1.0, 0.0, 0.0]])))


@settings(deadline=None)
@given(seed=st.integers(0, 10_000))
def test_r_squared_is_scikit_learns(seed: int) -> None:
    random = np.random.default_rng(seed)
    y, prediction = random.normal(size=(2, 20))
    weight = random.integers(1, 9, size=20) / 4
    assert r_squared(y, prediction, weight) == pytest.approx(r2_score(y, prediction, sample_weight=weight))
    assert isnan(r_squared(np.ones(3), np.zeros(3), np.ones(3)))


@pytest.mark.parametrize(
    ("scores", "last"),
    [
        ([0.9], 0),
        ([0.9, 0.9, 0.9], 2),
        ([0.9, 0.89, 0.88, 0.9], 1),  # 0.88 is 0.02 below the best; what follows is not looked at
        ([0.9, 0.89, 0.889], 1),
        ([0.8, 0.9, 0.891, 0.85], 2),  # the best of larger λ need not be the first
        ([0.8, 0.9, 0.885, 0.9], 1),
        ([0.9, 0.5], 0),
    ],
)
def test_the_papers_rule_stops_before_the_drop(scores: list[float], last: int) -> None:
    assert before_the_drop(scores) == last


@pytest.mark.parametrize(
    ("scores", "errors", "last"),
    [
        ([0.9, 0.92, 0.91, 0.7], [0.5, 0.02, 0.0, 0.0], 2),
        ([0.9, 0.92, 0.7, 0.91], [0.0, 0.02, 0.0, 0.0], 3),  # a dip between does not matter
        ([0.9, 0.92, 0.91], [0.5, 0.0, 0.5], 1),
        ([0.92, 0.9, 0.92, 0.91], [0.0, 0.0, 0.02, 0.0], 3),  # of equally good ones the last's error counts
    ],
)
def test_the_cross_validated_rule_takes_the_smallest_within_one_error(
    scores: list[float], errors: list[float], last: int
) -> None:
    assert within_one_error(np.array(scores), np.array(errors)) == last


def test_the_grid_falls_from_infinity_to_nothing() -> None:
    assert (GRID[0], GRID[-1], len(GRID)) == (inf, 0.0, 9)
    assert list(GRID) == sorted(GRID, reverse=True)


def test_a_target_of_few_values_has_a_bin_for_each() -> None:
    assert quantile_bins(np.array([3.0, -1.0, 3.0, 0.5]), None, 3).tolist() == [2, 0, 2, 1]


@given(seed=st.integers(0, 10_000), n_bins=st.integers(2, 12))
def test_bins_are_in_order_and_of_about_equal_weight(seed: int, n_bins: int) -> None:
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(120.0))
    weight = random.integers(1, 4, size=120).astype(float)
    bins = quantile_bins(y, weight, n_bins)
    assert sorted(set(bins.tolist())) == list(range(n_bins))
    assert (np.diff(bins[np.argsort(y)]) >= 0).all()
    totals = np.bincount(bins, weights=weight)
    assert (abs(totals - weight.sum() / n_bins) <= weight.max()).all()


@given(seed=st.integers(0, 10_000), unit=st.sampled_from([0.3, 1e-3, 7.1, 1e9]))
def test_bins_do_not_depend_on_the_unit_of_weight_or_on_repetition(seed: int, unit: float) -> None:
    random = np.random.default_rng(seed)
    y = random.integers(0, 40, size=60).astype(float)
    times = random.integers(1, 4, size=60)
    bins = quantile_bins(y, times.astype(float), 5)
    assert quantile_bins(y, times * unit, 5).tolist() == bins.tolist()
    assert quantile_bins(np.repeat(y, times), None, 5).tolist() == np.repeat(bins, times).tolist()


def test_equal_numbers_share_a_bin_however_many_they_are() -> None:
    y = np.array([0.0] * 50 + [1.0, 2.0, 3.0, 4.0, 5.0])
    assert quantile_bins(y, None, 4).tolist() == [0] * 50 + [1] * 5
