"""The core's trees are those of the slow GreedyTree, node by node, for all candidates and rules of prices."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from core_problems import PricedTable, follow, functions, random_table
from oracles.greedy import Prices
from oracles.greedy_tree import claims
from oracles.ngi_makers import below, one_of
from oracles.node_tests import Kind
from slow_and_fast import Rows
from thoroughness import tries

FUNCTIONS = list(functions(2))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_test_of_the_core_has_the_least_ratio(name: str) -> None:
    n_tests, n_tables = 0, tries(50, 20)
    for seed in range(n_tables):
        table = random_table(Random(f"{name}-{seed}"), name, max_rows=40)
        n_tests += follow(table, table.fast().grow())
    assert n_tests > n_tables / 2


@pytest.mark.parametrize("name", FUNCTIONS)
def test_prices_may_depend_on_the_outcome(name: str) -> None:
    n_tests, n_tables = 0, tries(50, 20)
    for seed in range(n_tables):
        table = random_table(Random(f"outcome-{name}-{seed}"), name, by_outcome=True, max_rows=40)
        n_tests += follow(table, table.fast().grow())
    assert n_tests > n_tables / 2


@pytest.mark.parametrize("name", ["pairs", "powers 5", "hinged 0.75"])
def test_more_codes_than_all_subsets_are_tried_of(name: str) -> None:
    n_tests, n_tables = 0, tries(25, 12)
    for seed in range(n_tables):
        table = random_table(Random(f"codes-{name}-{seed}"), name, max_codes=14, max_rows=60)
        n_tests += follow(table, table.fast().grow())
    assert n_tests > 4 * n_tables


def table_with_a_group(rng: Random, name: str) -> PricedTable:
    """Columns of one group decide the class together, none of them alone; their copies are expensive,
    each.
    """
    n_grouped = one_of(rng, (2, 3))
    n_codes = [one_of(rng, (2, 2, 3)) for _ in range(n_grouped)]
    grouped = [[below(rng, k) for k in n_codes] for _ in range(30)]
    codes = [[*row, *row, below(rng, 2)] for row in grouped]
    labels = [(sum(row) + (rng.random() < 0.1)) % 2 for row in grouped]
    n_columns = 2 * n_grouped + 1
    kinds: list[Kind] = [one_of(rng, ("threshold", "multiway", "subset")) for _ in range(n_columns)]
    own = [Fraction(below(rng, 4), 32) for _ in range(n_grouped)]
    own += [Fraction(8 + below(rng, 12)) for _ in range(n_grouped + 1)]
    group = (*[0] * n_grouped, *[None] * (n_grouped + 1))
    prices = Prices(group, (Fraction(10),), pay_once=True, asking=Fraction(1, 64))
    rows = Rows(codes, labels, 2, None, kinds, Fraction(0), own, prices)
    return PricedTable(rows, functions(2)[name])


# The others think so much of a test that halves the objects that single tests win.
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("powers 12", "hinged 2")])
def test_a_group_may_win_as_a_whole(name: str) -> None:
    n_read, n_tables = 0, tries(60, 25)
    for seed in range(n_tables):
        table = table_with_a_group(Random(f"group-{name}-{seed}"), name)
        follow(table, table.fast().grow())
        problem = table.slow()
        competing = claims(problem, problem.of.objects, frozenset())
        n_read += competing[-1].ratio < min(claim.ratio for claim in competing[:-1])
    assert n_read > n_tables / 20
