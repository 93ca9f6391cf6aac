"""The core's trees are those of the slow GreedyTree, node by node, for all candidates and rules of prices."""

from __future__ import annotations

from random import Random

import pytest
from core_problems import follow, functions, random_table

FUNCTIONS = list(functions(2))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_test_of_the_core_has_the_least_ratio(name: str) -> None:
    n_tests = 0
    for seed in range(50):
        table = random_table(Random(f"{name}-{seed}"), name, max_rows=40)
        n_tests += follow(table, table.fast().grow())
    assert n_tests > 25


@pytest.mark.parametrize("name", FUNCTIONS)
def test_prices_may_depend_on_the_outcome(name: str) -> None:
    n_tests = 0
    for seed in range(50):
        table = random_table(Random(f"outcome-{name}-{seed}"), name, by_outcome=True, max_rows=40)
        n_tests += follow(table, table.fast().grow())
    assert n_tests > 25


@pytest.mark.parametrize("name", ["pairs", "powers 5", "hinged 0.75"])
def test_more_codes_than_all_subsets_are_tried_of(name: str) -> None:
    n_tests = 0
    for seed in range(25):
        table = random_table(Random(f"codes-{name}-{seed}"), name, max_codes=14, max_rows=60)
        n_tests += follow(table, table.fast().grow())
    assert n_tests > 100
