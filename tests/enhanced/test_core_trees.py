"""The core's trees are those of the slow greedy builder, node by node, under all rules of prices."""

from __future__ import annotations

from random import Random

import pytest
from slow_and_fast import SCORES, assert_same_tree, random_rows
from thoroughness import tries


@pytest.mark.parametrize("name", SCORES)
def test_the_tree_is_the_slow_one(name: str) -> None:
    n_tests = 0
    n_tables = tries(70, 30)
    for seed in range(n_tables):
        rng = Random(f"{name}-{seed}")
        rows = random_rows(rng)
        tree = rows.problem(SCORES[name]).grow()
        assert_same_tree(rows, tree, rows.slow_tree(SCORES[name]))
        n_tests += int((tree.column >= 0).sum())
    assert n_tests > 250 / 70 * n_tables
