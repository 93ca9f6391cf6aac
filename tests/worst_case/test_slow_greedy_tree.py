"""The slow GreedyTree: what R divides, by every rule of prices, on examples that can be checked by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import get_args

import pytest
from oracles.greedy import Prices
from oracles.greedy_tree import Competitor, Offer, Problem, claims, grow, object_prices, winners
from oracles.ngi import instance
from oracles.ngi_makers import one_of
from oracles.node_tests import Kind
from oracles.set_functions import hinged_pairs, pairs
from small_problems import FUNCTIONS, random_problem, with_groups, with_outcome_prices

KINDS: tuple[Kind, ...] = get_args(Kind)
NOTHING: frozenset[int] = frozenset()


def first_claims(problem: Problem) -> dict[int, Competitor]:
    return {claim.offers[0].column: claim for claim in claims(problem, problem.of.objects, NOTHING)}


def parity(prices: list[int]) -> Problem:
    """Three bits decide the class by their parity; columns 3 to 5 hold the same bits."""
    bits = [[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]
    of = instance([b + b for b in bits], [sum(b) % 2 for b in bits], [1] * 8, prices)
    return Problem(of, ["threshold"] * 6, pairs, 2)


def test_the_ratio_is_the_price_over_the_least_reduction() -> None:
    problem = parity([1, 2, 3, 4, 5, 6])
    found = [claim.ratio for claim in claims(problem, problem.of.objects, NOTHING)]
    assert found == [Fraction(price, 16 - 4) for price in range(1, 7)]


def test_asking_is_part_of_every_price() -> None:
    problem = parity([1, 2, 3, 4, 5, 6])
    problem = replace(problem, rules=Prices(asking=Fraction(1, 2), pay_once=True, known=frozenset([5])))
    ratios = {column: claim.ratio for column, claim in first_claims(problem).items()}
    assert ratios[0] == Fraction(3, 2) / 12
    assert ratios[5] == Fraction(1, 2) / 12  # known: only asking it costs anything


def test_the_set_up_is_paid_by_the_first_of_a_group_only() -> None:
    rules = Prices((0, 0, None, None, None, None), (Fraction(10),), read=False)
    problem = replace(parity([1, 2, 3, 4, 5, 6]), rules=rules)
    assert problem.price(0, 0, NOTHING) == 11
    assert problem.price(0, 0, frozenset([1])) == 1
    assert problem.price(0, 0, frozenset([0])) == 1  # every test is paid
    once = replace(problem, rules=replace(rules, pay_once=True))
    assert once.price(0, 0, frozenset([0])) == 0


def test_read_buys_a_group_that_pays_off_together_only() -> None:
    rules = Prices((0, 0, 0, None, None, None), (Fraction(10),), pay_once=True, asking=Fraction(1, 10))
    problem = replace(parity([1, 1, 1, 10, 10, 10]), rules=rules)
    root = grow(problem)
    assert root.claims[-1].ratio == (Fraction(3, 10) + 13) / 16
    assert root.chosen is not None
    assert root.chosen.column == 0
    assert max(object_prices(problem, root).values()) == 13
    one_by_one = replace(problem, rules=replace(rules, read=False))
    assert max(object_prices(one_by_one, grow(one_by_one)).values()) == 30


@pytest.mark.parametrize(("n_cuts", "price"), [(3, 198), (7, 297), (15, 396)])
def test_read_buys_an_alternating_column_once(n_cuts: int, price: int) -> None:
    """Classes alternate along column 0 at price 100; column j tells what lies beyond cut j for 99."""
    codes = [[a, *(int(a > j) for j in range(n_cuts))] for a in range(n_cuts + 1)]
    of = instance(codes, [a % 2 for a in range(n_cuts + 1)], [1] * (n_cuts + 1), [100, *[99] * n_cuts])
    rules = Prices(pay_once=True, asking=Fraction(99, 100))
    problem = Problem(of, ["threshold"] * (n_cuts + 1), pairs, 2, rules=rules)
    assert max(object_prices(problem, grow(problem)).values()) == 100
    unread = replace(problem, rules=replace(rules, read=False))
    assert max(object_prices(unread, grow(unread)).values()) == price


def test_a_branch_costs_its_most_expensive_code_and_the_most_expensive_ratio_counts() -> None:
    """Codes 0 and 1 against 2: the first branch keeps 1 of 3 pairs at 5, the other none at 12."""
    of = instance([[0], [1], [2], [2]], [0, 1, 1, 1], [1] * 4, [12])
    outcomes = {0: {0: Fraction(1), 1: Fraction(5), 2: Fraction(12)}}
    problem = Problem(of, ["threshold"], pairs, 2, outcomes=outcomes)
    by_parts = {offer.parts[0]: offer.ratio for offer in first_claims(problem)[0].offers}
    assert by_parts == {frozenset([0]): Fraction(12, 3), frozenset([0, 1]): Fraction(12, 3)}
    cheap = replace(problem, outcomes={0: {0: Fraction(1), 1: Fraction(5), 2: Fraction(2)}})
    by_parts = {offer.parts[0]: offer.ratio for offer in first_claims(cheap)[0].offers}
    assert by_parts == {frozenset([0]): Fraction(5, 3), frozenset([0, 1]): Fraction(5, 2)}
    assert object_prices(cheap, grow(cheap)) == {0: 1, 1: 5, 2: 2, 3: 2}


def test_a_test_that_leaves_all_impurity_in_one_outcome_is_never_made() -> None:
    """Column 0 takes away an object whose class has no more than α; it is free, and still useless."""
    codes = [[int(i == 0), i % 2, i] for i in range(11)]
    of = instance(codes, [2, *(i % 2 for i in range(10))], [1] * 11, [0, 1, 50])
    problem = Problem(of, ["multiway"] * 3, hinged_pairs(1), 3)
    found = first_claims(problem)
    assert found[0].ratio == math.inf
    root = grow(problem)
    assert root.chosen is not None
    assert root.chosen.column == 1
    assert winners([found[0]]) == []


def test_free_tests_come_first_if_asked_for() -> None:
    codes = [[i // 4, int(i == 7), i] for i in range(8)]
    of = instance(codes, [i // 4 for i in range(8)], [1] * 8, [1, 5, 100])
    rules = Prices(known=frozenset([1]), pay_once=True, asking=Fraction(10), read=False)
    problem = Problem(of, ["threshold"] * 3, pairs, 2, rules=rules)
    for free_first, column in ((False, 0), (True, 1)):
        chosen = grow(replace(problem, rules=replace(rules, free_first=free_first))).chosen
        assert chosen is not None
        assert chosen.column == column


def test_what_is_within_the_margin_of_the_best_may_win() -> None:
    near, far = Fraction(1) + Fraction(1, 10**9), Fraction(2)
    offers = [Offer(column, (), ratio) for column, ratio in enumerate((near, Fraction(1), far))]
    competing = [Competitor(offer.ratio, (offer,)) for offer in offers]
    assert winners(competing) == [offers[1]]
    assert winners(competing, Fraction(1, 10**6)) == offers[:2]
    group = Competitor(Fraction(1, 2), (offers[2], offers[0]))
    assert winners([*competing, group]) == [offers[0]]


def test_a_node_is_a_leaf_where_the_impurity_is_at_most_the_tolerance() -> None:
    n_leaves = set()
    for seed in range(60):
        rng = Random(seed)
        problem = random_problem(rng, one_of(rng, list(FUNCTIONS.values())), max_objects=12)
        problem = with_outcome_prices(rng, with_groups(rng, problem))
        kinds = [one_of(rng, KINDS) for _ in problem.kinds]
        for tolerance in (0, 2, 9):
            grown = replace(problem, kinds=kinds, tolerance=Fraction(tolerance))
            root = grow(grown)
            n_leaves.add(len(root.leaves()))
            for node in root.nodes():
                assert (node.chosen is None) == grown.is_leaf(node.objects)
                if node.children:
                    assert sorted(i for child in node.children for i in child.objects) == sorted(node.objects)
    assert len(n_leaves) > 5
