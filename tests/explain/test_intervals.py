"""Intervals are those of the textbooks, and of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thriftree.explain.intervals import of_mean, wilson


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 5000), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_is_scipys(n: int, data: st.DataObject, level: float) -> None:
    k = data.draw(st.integers(0, n))
    expected = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert wilson(k / n, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_reaches_0_and_1_exactly_and_no_further() -> None:
    for n in range(1, 200):
        assert wilson(0.0, n)[0] == 0.0
        assert wilson(1.0, n)[1] == 1.0


def test_wilson_needs_rows() -> None:
    with pytest.raises(ValueError, match="above 0"):
        wilson(0.5, 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_the_interval_of_a_mean_is_students(values: list[float]) -> None:
    mean, squared = float(np.mean(values)), float(np.var(values))
    error = stats.sem(values)
    half = error * stats.t.ppf(0.975, len(values) - 1)
    assert of_mean(mean, squared, len(values)) == pytest.approx(
        (mean - half, mean + half), rel=1e-9, abs=1e-6
    )


def test_one_row_tells_nothing_of_its_spread() -> None:
    assert of_mean(3.0, 0.0, 1) is None
