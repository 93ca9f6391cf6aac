"""Greedy trees against the cheapest ones: the worst ratio may not rise above the recorded one.

`make ratio` holds 10,000 of them against the record.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from greedy_ratio import TRADE_OFFS, Learner, library_greedy, recorded, slow_greedy, worst_ratios
from oracles.ngi import instance
from oracles.optimum import optimal_cost

FIGURES = json.loads((Path(__file__).parents[1] / "reference" / "ngi_paper000.json").read_text())


@pytest.mark.parametrize("name", ["ngi_A_8obj_theta_0.10", "ngi_B_6obj_theta_0"])
def test_the_optimum_is_the_papers(name: str) -> None:
    given = FIGURES[name]["input"]
    of = instance(given["X"], given["y"], given["p"], given["c"], given["theta"])
    assert optimal_cost(of) == Fraction(FIGURES[name]["optimal_expected_cost"])


def assert_not_above_the_record(n_instances: int, learner: Learner) -> None:
    limits = recorded(n_instances)
    assert set(limits) == set(TRADE_OFFS)
    for trade_off, ratio in worst_ratios(n_instances, learner).items():
        assert 1 < ratio <= limits[trade_off], f"trade-off {trade_off}"


@pytest.mark.parametrize("learner", [pytest.param(slow_greedy, marks=pytest.mark.full), library_greedy])
def test_the_worst_of_1000_trees_is_no_worse_than_recorded(learner: Learner) -> None:
    assert_not_above_the_record(1_000, learner)
