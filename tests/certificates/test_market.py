"""Knapsacks with shared set-ups, against every set of tests and against a linear program."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from to_the_end import highest

from thriftree.search.allowance import UNLIMITED
from thriftree.search.market import Market, fractional_price, whole_prices


def random_market(rng: np.random.Generator) -> tuple[Market, float]:
    m, n_groups = int(rng.integers(1, 7)), int(rng.integers(0, 3))
    gain = rng.integers(0, 10, m).astype(np.float64)
    market = Market(
        gain,
        rng.integers(0, 8, m).astype(np.float64),
        rng.integers(-1, n_groups, m),
        rng.integers(0, 9, n_groups).astype(np.float64),
    )
    return market, float(rng.integers(0, int(gain.sum()) + 2))


def price_by_trying(market: Market, demand: float) -> float:
    prices = [np.inf]
    for taken in product((False, True), repeat=len(market.gain)):
        tests = np.flatnonzero(taken)
        if market.gain[tests].sum() >= demand:
            opened = sorted({int(g) for g in market.group[tests]} - {-1})
            prices.append(market.own[tests].sum() + market.setup[opened].sum())
    return float(min(prices))


def price_by_linear_program(market: Market, demand: float) -> float:
    """z of every test, y of every group; z <= y <= 1 and the gains reach the demand."""
    m, n_groups = len(market.gain), len(market.setup)
    rows, limits = [np.concatenate([-market.gain, np.zeros(n_groups)])], [-demand]
    for t in np.flatnonzero(market.group >= 0):
        row = np.zeros(m + n_groups)
        row[t], row[m + market.group[t]] = 1, -1
        rows.append(row)
        limits.append(0)
    found = linprog(
        np.concatenate([market.own, market.setup]), A_ub=np.array(rows), b_ub=limits, bounds=(0, 1)
    )
    return float(found.fun) if found.status == 0 else np.inf


def test_the_whole_price_is_that_of_the_cheapest_set() -> None:
    rng = np.random.default_rng(0)
    for _ in range(600):
        market, demand = random_market(rng)
        assert highest(whole_prices(market, demand, UNLIMITED)) == pytest.approx(
            price_by_trying(market, demand)
        ), market


def test_the_fractional_price_solves_the_linear_program() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        market, demand = random_market(rng)
        assert fractional_price(market, demand) == pytest.approx(price_by_linear_program(market, demand)), (
            market
        )


def test_a_knapsack_too_large_to_solve_is_bounded_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    monkeypatch.setattr("thriftree.search.market._MOST_NODES", 2)
    for _ in range(200):
        market, demand = random_market(rng)
        bound = highest(whole_prices(market, demand, UNLIMITED))
        assert fractional_price(market, demand) <= bound <= price_by_trying(market, demand) + 1e-9, market
