"""The brute-force optimum against a list of all trees, and what the classes of trees say of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from oracles.greedy import Prices
from oracles.greedy_tree import Problem
from oracles.ngi import Cell, divided, instance, mass
from oracles.ngi_makers import below, one_of
from oracles.set_functions import pairs
from oracles.worst_optimum import leaf_loss, least_price, least_price_with_loss
from small_problems import FUNCTIONS, random_problem, with_groups, with_outcome_prices
from thoroughness import tries

Tree = tuple[tuple[Cell, frozenset[int]], ...]  # the leaves, and the columns on the path to each


def all_trees(problem: Problem, cell: Cell, path: frozenset[int] = frozenset()) -> Iterator[Tree]:
    yield ((cell, path),)
    for column in problem.of.tests:
        parts = divided(problem.of, cell, column)
        if len(parts) > 1:
            below_parts = [list(all_trees(problem, part, path | {column})) for part in parts]
            for chosen in product(*below_parts):
                yield tuple(leaf for tree in chosen for leaf in tree)


def price_of(problem: Problem, i: int, path: frozenset[int]) -> Fraction:
    """C_x(A): what object i pays for a set of features."""
    payable = path - problem.rules.known
    groups = {problem.rules.group_of(column) for column in payable} - {None}
    own = sum((problem.own(column, problem.of.codes[i][column]) for column in payable), Fraction(0))
    return own + sum((problem.rules.setup[g] for g in groups if g is not None), Fraction(0))


def worst(problem: Problem, tree: Tree) -> Fraction:
    return max(price_of(problem, i, path) for cell, path in tree for i in cell)


def tiny_problem(seed: int) -> Problem:
    rng = Random(seed)
    problem = random_problem(rng, one_of(rng, list(FUNCTIONS.values())), max_objects=8, max_tests=4)
    problem = with_groups(rng, problem) if rng.random() < 0.5 else problem
    return with_outcome_prices(rng, problem)


def test_no_tree_of_a_class_is_cheaper_than_the_optimum_and_one_costs_just_that() -> None:
    n_trees, n_problems = 0, tries(100, 40)
    for seed in range(n_problems):
        problem = tiny_problem(seed)
        trees = list(all_trees(problem, problem.of.objects))
        n_trees += len(trees)
        tolerance = Fraction(Random(seed).choice([0, 1, 3]))
        problem = replace(problem, tolerance=tolerance)
        theta = Fraction(Random(seed).choice([0, 20, 45]), 100)
        rules: list[Callable[[Cell], bool]] = [
            problem.is_leaf,
            lambda cell, problem=problem: len({problem.of.labels[i] for i in cell}) == 1,
            lambda cell, of=problem.of, theta=theta: (
                len({of.labels[i] for i in cell}) == 1 or mass(of, cell) <= theta
            ),
        ]
        for accepts in rules:
            cheapest = min(worst(problem, tree) for tree in trees if all(accepts(cell) for cell, _ in tree))
            assert least_price(problem, accepts) == cheapest
    assert n_trees > 30 * n_problems


def test_no_tree_that_loses_as_little_is_cheaper() -> None:
    n_errors, n_problems = 0, tries(100, 40)
    for seed in range(n_problems):
        problem = tiny_problem(seed)
        rng = Random(seed)
        loss = [Fraction(below(rng, 4), 4) for _ in problem.of.labels]
        for allowed in (Fraction(0), Fraction(1, 2), Fraction(1)):
            accepted = [
                worst(problem, tree)
                for tree in all_trees(problem, problem.of.objects)
                if sum(leaf_loss(problem.of, cell, loss) for cell, _ in tree) <= allowed
            ]
            assert least_price_with_loss(problem, loss, allowed) == min(accepted)
            n_errors += min(accepted) < least_price_with_loss(problem, loss, Fraction(0))
    assert n_errors > n_problems / 2


def test_objects_that_no_test_tells_apart_may_share_a_leaf() -> None:
    of = instance([[0, 1], [0, 1], [1, 1]], [0, 1, 0], [1, 1, 1], [3, 5])
    problem = Problem(of, ["multiway"] * 2, pairs, 2)
    assert least_price(problem) == 3
    assert least_price_with_loss(problem, [Fraction(1)] * 3, Fraction(0)) == 0  # no tree loses less than 1


def test_what_the_path_has_opened_is_remembered() -> None:
    """Two bits of one group: 10 for the set-up, 1 each; a third column tells all apart for 13."""
    of = instance([[0, 0, 0], [0, 1, 1], [1, 0, 2], [1, 1, 3]], [0, 1, 1, 0], [1] * 4, [1, 1, 13])
    shared = Prices((0, 0, None), (Fraction(10),), pay_once=True)
    assert least_price(Problem(of, ["multiway"] * 3, pairs, 2, rules=shared)) == 12
    apart = Prices((0, 1, None), (Fraction(10), Fraction(10)), pay_once=True)
    assert least_price(Problem(of, ["multiway"] * 3, pairs, 2, rules=apart)) == 13
    known = replace(shared, known=frozenset([0]))
    assert least_price(Problem(of, ["multiway"] * 3, pairs, 2, rules=known)) == 11
    with pytest.raises(IndexError):
        least_price(Problem(of, ["multiway"] * 3, pairs, 2, rules=Prices((0, 0, 1), (Fraction(1),))))
