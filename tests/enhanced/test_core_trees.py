"""The core's trees are those of the slow greedy builder, node by node, under all rules of prices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from oracles.ngi_makers import below
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


def test_only_few_codes_are_read_where_that_is_asked_for() -> None:
    """Columns by the codes that the node has, groups by the combinations that it has."""
    unlike = {"never": 0, "always": 0}
    score, n_tables = SCORES["gini@1.0"], tries(400, 60)
    for seed in range(n_tables):
        rng = Random(f"few codes-{seed}")
        rows = random_rows(rng, max_rows=40)
        if seed % 2:  # classes that alternate, which single tests tell little of
            labels = [sum(codes[:2]) % 2 if rng.random() < 0.9 else below(rng, 2) for codes in rows.codes]
            rows = replace(rows, labels=labels, n_classes=2)
        prices = replace(rows.prices, pay_once=True, read=True, asking=Fraction(1, 64), free_first=False)
        few = replace(rows, prices=replace(prices, read_at_most=2 + below(rng, 5)))
        tree = few.problem(score).grow()
        assert_same_tree(few, tree, few.slow_tree(score))
        for name, others in (
            ("never", replace(prices, read=False)),
            ("always", replace(prices, read_at_most=None)),
        ):
            other = replace(rows, prices=others).problem(score).grow()
            unlike[name] += other.column.tolist() != tree.column.tolist()
    assert min(unlike.values()) > n_tables / 60
