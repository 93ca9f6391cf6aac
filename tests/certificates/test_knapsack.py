"""Fractional knapsacks against linear programs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

from thriftree.search.knapsack import best_shares, cheapest_removal, most_value

QUARTERS = st.integers(0, 40).map(lambda k: k / 4)
ITEMS = hnp.arrays(np.float64, (3, 4), elements=QUARTERS)


@settings(max_examples=100, deadline=None)
@given(ITEMS, hnp.arrays(np.float64, 4, elements=QUARTERS), hnp.arrays(np.float64, 3, elements=QUARTERS))
def test_the_cheapest_removal_is_that_of_the_linear_program(
    removed: np.ndarray, prices: np.ndarray, needed: np.ndarray
) -> None:
    found = cheapest_removal(removed, prices, needed)
    for row, need, value in zip(removed, needed, found, strict=True):
        enough = min(need, row.sum())  # everything, if that is not enough
        best = linprog(prices, A_ub=-row[None], b_ub=[-enough], bounds=(0, 1)).fun
        assert abs(value - best) < 1e-6


@settings(max_examples=100, deadline=None)
@given(ITEMS, ITEMS, hnp.arrays(np.float64, 3, elements=QUARTERS))
def test_the_most_value_is_that_of_the_linear_program_over_items_that_fit(
    value: np.ndarray, size: np.ndarray, limit: np.ndarray
) -> None:
    found, shares = most_value(value, size, limit), best_shares(value, size, limit)
    assert np.all((size * shares).sum(axis=1) <= limit + 1e-9)
    for k in range(3):
        fits = size[k] <= limit[k]
        best = -linprog(-value[k] * fits, A_ub=size[k][None] * fits, b_ub=[limit[k]], bounds=(0, 1)).fun
        assert abs(found[k] - best) < 1e-6
