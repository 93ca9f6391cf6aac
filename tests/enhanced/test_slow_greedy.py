"""The slow greedy builder: candidates, ties, and what a score divides by when tests are free on the path."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import get_args

import numpy as np
import pytest
from oracles.candidates import MISSING, by_code, candidates, product
from oracles.greedy import (
    GreedyNode,
    Prices,
    enhanced,
    evenness,
    grow,
    separated_pairs,
    separated_pairs_by_weight,
)
from oracles.ngi import Instance, coalesce, divided, impure_pairs, instance, is_leaf, mass
from oracles.ngi_makers import below, one_of, random_instance
from oracles.node_tests import Kind, Node, partitions
from thoroughness import tries

KINDS: tuple[Kind, ...] = get_args(Kind)


def columns_of(tree: GreedyNode) -> list[int | None]:
    return [node.column for node in tree.nodes()]


def alternating(n_cuts: int) -> Instance:
    """Classes alternate along column 0 at price 100; column j tells apart what lies beyond cut j at 99."""
    codes = [[a, *(int(a > j) for j in range(n_cuts))] for a in range(n_cuts + 1)]
    labels = [a % 2 for a in range(n_cuts + 1)]
    return instance(codes, labels, [1] * len(labels), [100, *[99] * n_cuts])


ONCE = Prices(pay_once=True, asking=Fraction(99, 100))


@pytest.mark.parametrize("n_cuts", [3, 7, 15, 31, 63])
def test_read_buys_the_alternating_column_once(n_cuts: int) -> None:
    of = alternating(n_cuts)
    tree = grow(of, ["threshold"] * (n_cuts + 1), enhanced(1), ONCE)
    assert tree.expected_price(of) == 100


@pytest.mark.parametrize(("n_cuts", "price"), [(3, 198), (7, 297), (15, 396), (31, 495)])
def test_without_read_the_halves_of_the_alternating_column_are_bought_one_by_one(
    n_cuts: int, price: int
) -> None:
    of = alternating(n_cuts)
    tree = grow(of, ["threshold"] * (n_cuts + 1), enhanced(1), replace(ONCE, read=False))
    assert tree.expected_price(of) == price


def group_of_three() -> tuple[Instance, Prices]:
    """Three bits decide the class by their parity; together they cost 13, the set-up 10 included. Columns 3
    to 5 hold the same bits at 10 each.
    """
    bits = [[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]
    of = instance([b + b for b in bits], [sum(b) % 2 for b in bits], [1] * 8, [1, 1, 1, 10, 10, 10])
    return of, Prices((0, 0, 0, None, None, None), (Fraction(10),), pay_once=True, asking=Fraction(1, 10))


def test_read_buys_a_group_that_pays_off_together_only() -> None:
    of, prices = group_of_three()
    kinds: list[Kind] = ["threshold"] * 6
    assert grow(of, kinds, enhanced(0), prices).expected_price(of) == 13
    one_by_one = grow(of, kinds, enhanced(0), replace(prices, read=False))
    assert one_by_one.expected_price(of) == 30
    root = grow(of, kinds, enhanced(0), prices)
    everything = enhanced(0)(of, of.objects, [frozenset([i]) for i in of.objects])
    assert root.column == 0
    assert root.score == everything / (Fraction(3, 10) + 13)


def test_a_group_of_which_one_member_is_left_is_not_read() -> None:
    of, prices = group_of_three()
    kinds: list[Kind] = ["threshold"] * 6
    for known in ({0, 1}, {0, 1, 2}):
        tree = grow(of, kinds, enhanced(0), replace(prices, known=frozenset(known)))
        assert tree.expected_price(of) == (10 if len(known) == 2 else 0)


def test_what_is_bought_known_or_opened_is_free_to_ask_again() -> None:
    of = instance([[0, 0]], [0], [1], [3, 4])
    prices = Prices((0, 0), (Fraction(10),), pay_once=True)
    assert prices.marginal(of, 0, frozenset()) == 13
    assert prices.marginal(of, 0, frozenset([1])) == 3
    assert prices.marginal(of, 0, frozenset([0])) == 0
    assert replace(prices, known=frozenset([0])).marginal(of, 0, frozenset()) == 0
    assert replace(prices, pay_once=False).marginal(of, 0, frozenset([0])) == 3


def test_free_tests_come_first_if_asked_for() -> None:
    """Column 1 is known but separates one object of eight; column 0 halves them for 1."""
    codes = [[i // 4, int(i == 7), i] for i in range(8)]
    of = instance(codes, [i // 4 for i in range(8)], [1] * 8, [1, 5, 100])
    paid = Prices(known=frozenset([1]), pay_once=True, asking=Fraction(10), read=False)
    kinds: list[Kind] = ["threshold"] * 3
    assert grow(of, kinds, enhanced(0), paid).column == 0
    assert grow(of, kinds, enhanced(0), replace(paid, free_first=True)).column == 1


def random_prices(rng: Random, n_columns: int) -> Prices:
    group = tuple(one_of(rng, (None, 0, 1)) for _ in range(n_columns))
    return Prices(
        group,
        (Fraction(below(rng, 5)), Fraction(3)),
        frozenset(j for j in range(n_columns) if rng.random() < 0.2),
        pay_once=rng.random() < 0.7,
        asking=Fraction(1, 100),
        read=rng.random() < 0.7,
        free_first=rng.random() < 0.3,
    )


def test_trees_do_not_depend_on_the_currency() -> None:
    n_splits, n_instances = 0, tries(150, 60)
    for seed in range(n_instances):
        rng = Random(seed)
        of = random_instance(rng, max_objects=12)
        kinds = [one_of(rng, KINDS) for _ in of.tests]
        prices, trade_off = random_prices(rng, len(kinds)), one_of(rng, (0, 1, 50))
        cents = replace(of, prices=tuple(100 * price for price in of.prices))
        in_cents = replace(prices, setup=tuple(100 * s for s in prices.setup), asking=100 * prices.asking)
        tree = grow(of, kinds, enhanced(trade_off), prices)
        again = grow(cents, kinds, enhanced(trade_off), in_cents)
        assert columns_of(tree) == columns_of(again)
        assert 100 * tree.expected_price(of) == again.expected_price(cents)
        n_splits += sum(column is not None for column in columns_of(tree))
    assert n_splits > 4 / 3 * n_instances


def test_every_leaf_of_a_slow_tree_may_be_one_and_every_division_divides() -> None:
    for seed in range(tries(200, 60)):
        rng = Random(seed)
        of = random_instance(rng, max_objects=10)
        kinds = [one_of(rng, KINDS) for _ in of.tests]
        for benefit in (enhanced(1), enhanced(2.5, "entropy"), separated_pairs, evenness):
            for node in grow(of, kinds, benefit, random_prices(rng, len(kinds))).nodes():
                assert (node.column is None) == is_leaf(of, node.objects)
                if node.children:
                    assert len(node.children) > 1
                    assert sum(len(child.objects) for child in node.children) == len(node.objects)
                    assert all(child.objects for child in node.children)


def test_an_infinite_trade_off_is_the_limit_of_large_ones() -> None:
    for seed in range(tries(200, 60)):
        of = random_instance(Random(seed), max_objects=10)
        kinds: list[Kind] = ["multiway"] * len(of.tests)
        root, nearly = (grow(of, kinds, enhanced(trade_off)) for trade_off in (math.inf, 10**15))
        # Tests of equal decrease tie at infinity only.
        assert math.isclose(nearly.score / 10**15, root.score, rel_tol=1e-9, abs_tol=1e-9)


def test_pairs_count_by_weight_if_asked_for() -> None:
    of = instance([[0, 0], [0, 1], [1, 1]], [0, 1, 1], [1, 2, 5], [1, 1])
    for test, pairs, weighted in ((0, 1, Fraction(13, 8)), (1, 2, Fraction(2))):
        parts = divided(of, of.objects, test)
        assert separated_pairs(of, of.objects, parts) == pairs
        assert separated_pairs_by_weight(of, of.objects, parts) == weighted


def test_the_most_even_split_has_the_lightest_heaviest_outcome() -> None:
    of = instance([[0, 0], [0, 1], [1, 2]], [0, 1, 0], [1, 2, 3], [9, 1])
    assert evenness(of, of.objects, divided(of, of.objects, 0)) == Fraction(1, 2)
    assert evenness(of, of.objects, divided(of, of.objects, 1)) == Fraction(1, 2)
    tree = grow(of, ["multiway", "multiway"], evenness, Prices(divide=False))
    assert tree.column == 0  # a tie stays with the earlier column
    assert grow(of, ["multiway", "multiway"], evenness).column == 1


def rows_with_missing(rng: Random, n_codes: int) -> Instance:
    n_rows, n_columns = 4 + below(rng, 14), 1 + below(rng, 2)
    codes = [[below(rng, n_codes + 1) + MISSING for _ in range(n_columns)] for _ in range(n_rows)]
    labels = [below(rng, 3) for _ in codes]
    weights = [1 + below(rng, 4) for _ in codes]
    return coalesce(codes, labels, weights, [1] * n_columns)[0]


@pytest.mark.parametrize("n_codes", [2, 4, 12])
@pytest.mark.parametrize("kind", KINDS)
def test_the_candidates_are_those_of_the_other_oracle(kind: Kind, n_codes: int) -> None:
    for seed in range(tries(60, 25)):
        of = rows_with_missing(Random(seed), n_codes)
        objects = sorted(of.objects)
        X = np.array([of.codes[i] for i in objects], dtype=float)
        X[X == MISSING] = np.nan
        n_classes = max(of.labels) + 1
        node = Node(X, np.array(of.labels), np.array([float(p) for p in of.p]), n_classes)
        if n_classes == 2 or len(set(of.labels)) < n_classes:
            continue  # the oracles name the class to order by in different ways
        for column in range(X.shape[1]):
            theirs = {
                frozenset(frozenset(np.flatnonzero(branch == v).tolist()) for v in np.unique(branch))
                for branch in partitions(node, column, kind)
            }
            offered = [frozenset(parts) for parts in candidates(of, of.objects, column, kind)]
            assert len(set(offered)) == len(offered)
            assert set(offered) == {parts for parts in theirs if len(parts) > 1}


def test_a_product_of_splits_is_what_they_tell_apart_together() -> None:
    of = rows_with_missing(Random(5), 3)
    splits = [by_code(of, of.objects, column) for column in of.tests]
    together = product(splits)
    assert sorted(i for part in together for i in part) == sorted(of.objects)
    for part in together:
        assert len({of.codes[i] for i in part}) == 1
    assert len(together) == len(set(of.codes))


def test_rows_of_equal_codes_are_one_object_of_the_heaviest_class() -> None:
    codes = [[0, 1], [0, 1], [0, 1], [1, 1], [1, 1]]
    of, object_of_row = coalesce(codes, [2, 0, 0, 1, 0], [3, 1, 1, 2, 2], [1, 1])
    assert object_of_row == [0, 0, 0, 1, 1]
    assert of.labels == (2, 0)  # 3 against 2; then a tie, to the class that comes first
    assert of.p == (Fraction(5, 9), Fraction(4, 9))
    assert impure_pairs(of, of.objects) == 1
    assert mass(of, of.objects) == 1
