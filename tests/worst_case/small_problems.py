"""Random problems of GreedyTree that are small enough for brute force."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from oracles.greedy import Prices
from oracles.greedy_tree import Problem
from oracles.ngi_makers import below, one_of, random_instance
from oracles.set_functions import SetFunction, hinged_pairs, pairs, polynomial, powers

FUNCTIONS: dict[str, SetFunction] = {
    "Pairs": pairs,
    "Powers3": powers(3),
    "Powers4": powers(4),
    "hinged_a1/2": hinged_pairs("1/2"),
    "hinged_a1": hinged_pairs(1),
    "hinged_nosub_a1": hinged_pairs(1, offset=False),
    "polynomial": polynomial(
        [("1/2", (2, 1, 0, 0)), (3, (1, 1, 1, 0)), (1, (0, 1, 0, 1)), (2, (0, 0, 3, 1)), (1, (1, 0, 1, 1))]
    ),
}
N_CLASSES = 4


def random_problem(
    rng: Random,
    function: SetFunction,
    *,
    max_objects: int = 8,
    max_tests: int = 4,
    rules: Prices | None = None,
) -> Problem:
    """Distinct objects, whole features as tests, integer prices."""
    of = random_instance(rng, max_objects=max_objects, max_tests=max_tests)
    return Problem(of, ["multiway"] * len(of.tests), function, N_CLASSES, rules=rules or Prices())


def with_groups(rng: Random, problem: Problem) -> Problem:
    """Some tests share a set-up price, some are known."""
    columns = len(problem.kinds)
    rules = Prices(
        tuple(one_of(rng, (None, 0, 0, 1)) for _ in range(columns)),
        (Fraction(below(rng, 8)), Fraction(3)),
        frozenset(j for j in range(columns) if rng.random() < 0.15),
        pay_once=True,
        read=False,
    )
    return replace(problem, rules=rules)


def with_outcome_prices(rng: Random, problem: Problem) -> Problem:
    """About half of the tests cost what their outcome says."""
    codes = {column: {row[column] for row in problem.of.codes} for column in problem.of.tests}
    outcomes = {
        column: {code: Fraction(below(rng, 9)) for code in sorted(seen)}
        for column, seen in codes.items()
        if rng.random() < 0.5
    }
    return replace(problem, outcomes=outcomes)
