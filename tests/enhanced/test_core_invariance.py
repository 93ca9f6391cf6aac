"""What must not change a tree of the enhanced score, and what it must turn into at the ends."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from grow_oracle import KINDS, GrowProblem
from oracles.greedy import Prices
from slow_and_fast import SCORES, Rows, assert_same_tree, enhanced_score, random_rows

from thriftree import _core

TRADE_OFFS = [0.0, 0.1, 1.0, 10.0, math.inf]


def questions_of(tree: _core.Tree) -> list[Any]:
    arrays = (tree.column, tree.kind, tree.keys, tree.to, tree.children, tree.missing, tree.other)
    return [array.tolist() for array in arrays]


def many_rows(what: str, n: int = 120) -> list[Rows]:
    return [random_rows(Random(f"{what}-{seed}")) for seed in range(n)]


@pytest.mark.parametrize("name", SCORES)
def test_scaling_the_weights_changes_nothing(name: str) -> None:
    for rows in many_rows(name):
        weights = rows.weights or [1.0] * len(rows.labels)
        tree = replace(rows, weights=weights).problem(SCORES[name]).grow()
        for factor in (0.25, 3.0, 1e6):
            scaled = replace(rows, weights=[factor * w for w in weights])
            assert questions_of(scaled.problem(SCORES[name]).grow()) == questions_of(tree)


@pytest.mark.parametrize("name", SCORES)
def test_repeating_the_rows_changes_nothing(name: str) -> None:
    for rows in many_rows(name):
        again = replace(
            rows,
            codes=rows.codes * 3,
            labels=rows.labels * 3,
            weights=None if rows.weights is None else rows.weights * 3,
        )
        tree, other = (r.problem(SCORES[name]).grow() for r in (rows, again))
        assert questions_of(tree) == questions_of(other)
        assert (3 * tree.rows).tolist() == other.rows.tolist()
        assert tree.objects.tolist() == other.objects.tolist()


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
def test_an_infinite_trade_off_is_cost_benefit_cart_on_the_coalesced_table(impurity: str) -> None:
    score = enhanced_score(math.inf, impurity)
    for rows in many_rows(impurity):
        of, _ = rows.objects()
        total = sum(Fraction(w) for w in rows.weights or [1.0] * len(rows.labels))
        weights = [float(p * total) for p in of.p]
        codes = [list(row) for row in of.codes]
        coalesced = replace(rows, codes=codes, labels=list(of.labels), weights=weights)
        cart = coalesced.problem(score).grow(score="impurity", trade_off=1.0, objects=False)
        assert questions_of(rows.problem(score).grow()) == questions_of(cart)


def test_a_trade_off_of_zero_does_not_see_the_impurity() -> None:
    for rows in many_rows("zero"):
        trees = [rows.problem(enhanced_score(0.0, impurity)).grow() for impurity in ("gini", "entropy")]
        assert questions_of(trees[0]) == questions_of(trees[1])


@pytest.mark.parametrize("trade_off", TRADE_OFFS)
def test_trees_do_not_depend_on_the_currency(trade_off: float) -> None:
    for rows in many_rows("currency"):
        prices = rows.prices
        in_cents = replace(
            rows,
            own=[100 * price for price in rows.own],
            prices=replace(prices, setup=tuple(100 * s for s in prices.setup), asking=100 * prices.asking),
        )
        score = enhanced_score(trade_off)
        assert questions_of(in_cents.problem(score).grow()) == questions_of(rows.problem(score).grow())


@pytest.mark.parametrize("impurity", ["gini", "entropy"])
def test_the_trees_of_a_path_are_those_grown_one_by_one(impurity: str) -> None:
    counted = distinct = one_by_one = 0
    for rows in many_rows("path", 60):
        problem = rows.problem(enhanced_score(1.0, impurity))
        options = _core.GrowOptions(criterion=impurity, candidates=problem.kinds, **problem.parameters)
        path = _core.grow_path(problem.table(), problem.core_target(), options, TRADE_OFFS)
        alone = [rows.problem(enhanced_score(t, impurity)).grow() for t in TRADE_OFFS]
        for one, together in zip(alone, path.grown, strict=True):
            assert questions_of(one) == questions_of(together.tree)
            np.testing.assert_array_equal(one.value, together.tree.value)
        counted += path.rows_counted
        distinct += path.rows_of_distinct_nodes
        one_by_one += sum(int(tree.objects.sum()) for tree in alone)
    assert counted <= 1.02 * distinct
    assert distinct < 0.8 * one_by_one


def alternating(n_cuts: int, unit: int) -> Rows:
    """Classes alternate along column 0 at price 100; column j tells what lies beyond cut j, at 99."""
    codes = [[a, *(int(a > j) for j in range(n_cuts))] for a in range(n_cuts + 1)]
    own = [Fraction(100 * unit), *[Fraction(99 * unit)] * n_cuts]
    prices = Prices(pay_once=True, asking=Fraction(99 * unit, 100))
    labels = [a % 2 for a in range(n_cuts + 1)]
    return Rows(codes, labels, 2, None, ["threshold"] * (n_cuts + 1), Fraction(0), own, prices)


@pytest.mark.parametrize("n_cuts", [3, 7, 15, 31, 63])
@pytest.mark.parametrize("unit", [1, 1000])
@pytest.mark.parametrize("trade_off", [0.0, 1.0, 10.0])
def test_the_alternating_column_is_bought_once(n_cuts: int, unit: int, trade_off: float) -> None:
    rows = alternating(n_cuts, unit)
    tree = rows.problem(enhanced_score(trade_off)).grow()
    assert set(tree.column[tree.column >= 0].tolist()) == {0}
    assert tree.n_nodes == 2 * n_cuts + 1
    without = replace(rows, prices=replace(rows.prices, read=False))
    assert set(without.problem(enhanced_score(trade_off)).grow().column.tolist()) - {-1, 0}


@pytest.mark.parametrize("n_cuts", [7, 15])
def test_what_has_more_codes_than_may_be_read_is_judged_by_single_tests(n_cuts: int) -> None:
    """At the root; below it there are fewer codes."""
    rows = alternating(n_cuts, 1)

    def columns(**read: Any) -> list[int]:
        problem = replace(rows, prices=replace(rows.prices, **read)).problem(enhanced_score(1.0))
        return [column for column in problem.grow().column.tolist() if column >= 0]

    assert set(columns(read_at_most=n_cuts + 1)) == {0}
    assert columns(read_at_most=n_cuts)[0] == columns(read=False)[0] > 0
    assert 0 in columns(read_at_most=n_cuts)
    assert 0 not in columns(read_at_most=2)


@pytest.mark.parametrize(("at_most", "price"), [(8, 13), (7, 22)])
def test_a_group_is_read_by_the_combinations_of_its_codes(at_most: int, price: int) -> None:
    """Three bits decide by their parity: 8 combinations, of columns of two codes each. Together they cost 13,
    the set-up 10 included; columns 3 to 5 hold the same bits at 10 each.
    """
    bits = [[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]
    prices = Prices(
        (0, 0, 0, None, None, None),
        (Fraction(10),),
        pay_once=True,
        asking=Fraction(1, 10),
        read_at_most=at_most,
    )
    own = [Fraction(1)] * 3 + [Fraction(10)] * 3
    labels = [sum(b) % 2 for b in bits]
    rows = Rows([b + b for b in bits], labels, 2, None, ["threshold"] * 6, Fraction(0), own, prices)
    slow = rows.slow_tree(enhanced_score(0.0))
    assert_same_tree(rows, rows.problem(enhanced_score(0.0)).grow(), slow)
    assert slow.expected_price(rows.objects()[0]) == price


def test_objects_are_rows_of_equal_codes_whatever_their_order() -> None:
    """Many classes, a column of more codes than a byte holds, and rows in another order."""
    rng = np.random.default_rng(4)
    x = rng.integers(0, 400, 1500) / 4
    kind = rng.integers(0, 6, 1500).astype(np.int32)
    labels = ((x * 3).astype(int) % 11 + kind % 2).astype(np.int32)
    order = rng.permutation(1500)
    trees = [
        GrowProblem(
            [x[rows], kind[rows]],
            [None, 6],
            labels[rows],
            12,
            [KINDS["threshold"], KINDS["multiway"]],
            parameters={"score": "enhanced", "objects": True, "min_mass": 0.002},
        ).grow()
        for rows in (np.arange(1500), order)
    ]
    assert questions_of(trees[0]) == questions_of(trees[1])
    assert trees[0].objects[0] == len(set(zip(x.tolist(), kind.tolist(), strict=True)))
