"""What paper 001 proves, on brute-forced instances: its lower bound, its factor, its classes of trees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from oracles.greedy_tree import GreedyTreeNode, Problem, class_counts, grow, object_prices
from oracles.ngi import Cell, divided, instance
from oracles.set_functions import hinged_pairs, pairs
from oracles.worst_optimum import least_price, least_price_with_loss
from paper_tables import REFERENCE
from small_problems import FUNCTIONS, N_CLASSES, random_problem, with_groups
from thoroughness import tries


def subsets_of_paths(problem: Problem) -> Iterator[Cell]:
    """Every set of objects that some tests do not tell apart: all that can be a node."""
    seen: set[Cell] = set()
    waiting = [problem.of.objects]
    while waiting:
        cell = waiting.pop()
        if cell not in seen:
            seen.add(cell)
            yield cell
            waiting += [part for test in problem.of.tests for part in divided(problem.of, cell, test)]


def theorem_factor(problem: Problem) -> float:
    """ln(F(S)/β) + 1, β the smallest positive F over the sets that can be nodes."""
    values = [problem.impurity(cell) for cell in subsets_of_paths(problem)]
    smallest = min(value for value in values if value > 0)
    return math.log(problem.impurity(problem.of.objects) / smallest) + 1


def impure_problems(name: str, n_problems: int, **parameters: int) -> Iterator[tuple[Random, Problem]]:
    """Problems whose root is no leaf, with the generator that goes on from each."""
    found = seed = 0
    while found < n_problems:
        rng = Random(f"theory-{seed}")
        problem = random_problem(rng, FUNCTIONS[name], **parameters)
        seed += 1
        if problem.impurity(problem.of.objects) > 0:
            found += 1
            yield rng, problem


def worst_price(problem: Problem, root: GreedyTreeNode) -> Fraction:
    return max(object_prices(problem, root).values())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_greedy_tree_is_within_the_theorem_s_factor_of_the_best(name: str) -> None:
    """The factor with ln F(S) alone is right only where no positive F is below 1."""
    largest = Fraction(0)
    n_problems = REFERENCE["bound_checks"].get(name, {"instances": 200})["instances"]
    for _, problem in impure_problems(name, n_problems):
        root = grow(problem)
        assert all(problem.is_leaf(leaf.objects) for leaf in root.leaves())
        ratio = worst_price(problem, root) / least_price(problem)
        assert ratio <= theorem_factor(problem)
        largest = max(largest, ratio)
    assert largest > 1.5  # the greedy tree is not always the best: there was something to bound


def test_a_positive_impurity_below_one_breaks_the_factor_as_printed() -> None:
    """With F = Pairs / 100 the printed factor ln F(S) + 1 is below 1, which no tree can keep."""
    of = instance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], [1] * 4, [1, 1])
    problem = Problem(of, ["multiway"] * 2, lambda counts: pairs(counts) / 100, 2)
    assert math.log(problem.impurity(of.objects)) + 1 < 1
    assert worst_price(problem, grow(problem)) == least_price(problem) == 2
    assert theorem_factor(problem) > 1


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_first_test_s_ratio_bounds_every_tree_of_the_tolerance(name: str) -> None:
    """Lemmas 2.1 and 4.1: R of the greedy test times F(S) - δ is at most the optimum."""
    tight = 0
    for rng, problem in impure_problems(name, tries(100, 40), max_objects=10):
        whole = problem.impurity(problem.of.objects)
        problem = replace(problem, tolerance=whole * Fraction(rng.choice([0, 1, 3]), 8))
        chosen = grow(problem).chosen
        assert chosen is not None
        bound, best = chosen.ratio * (whole - problem.tolerance), least_price(problem)
        assert bound <= best
        tight += bound == best
    assert tight > 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_early_stopping_keeps_to_the_factor_with_what_the_last_test_may_add(name: str) -> None:
    """ln((F(S) - δ)/β) + (β + δ)/β, β the smallest F - δ above 0 over the sets that can be nodes: Theorem 4.2
    as printed leaves out the δ of the last term.
    """
    largest = Fraction(0)
    for rng, problem in impure_problems(name, tries(100, 40), max_objects=10):
        whole = problem.impurity(problem.of.objects)
        stopping = replace(problem, tolerance=whole * Fraction(rng.choice([1, 2, 4]), 16))
        delta = stopping.tolerance
        excess = [stopping.impurity(cell) - delta for cell in subsets_of_paths(stopping)]
        beta = min(value for value in excess if value > 0)
        factor = math.log((whole - delta) / beta) + (beta + delta) / beta
        ratio = worst_price(stopping, grow(stopping)) / least_price(stopping)
        assert ratio <= factor
        largest = max(largest, ratio)
    assert largest > 1.2


def test_without_the_last_term_the_factor_of_early_stopping_fails() -> None:
    """F = 3 at the root, δ = 3/2. The greedy test costs 5 and leaves 0; one for 4 leaves 1 and would do."""
    of = instance([[1, 0], [0, 1], [1, 2], [0, 0]], [1, 1, 0, 1], [1] * 4, [4, 5])
    problem = Problem(of, ["multiway"] * 2, pairs, 2, tolerance=Fraction(3, 2))
    assert worst_price(problem, grow(problem)) == 5
    assert least_price(problem) == 4
    excess = problem.impurity(of.objects) - problem.tolerance  # β as well: no other node has F > δ
    assert math.log(excess / excess) + 1 < Fraction(5, 4)


def test_the_lemma_is_false_for_prices_that_depend_on_the_outcome() -> None:
    """The paper says that it extends; here it would promise 6, and the best tree pays 5 at most."""
    of = instance([[0, 2, 0], [2, 1, 1], [1, 2, 1]], [0, 0, 1], [1] * 3, [7, 8, 3])
    outcomes = {0: {0: Fraction(7), 1: Fraction(2), 2: Fraction(1)}, 2: {0: Fraction(1), 1: Fraction(3)}}
    problem = Problem(of, ["multiway"] * 3, pairs, 2, outcomes=outcomes)
    chosen = grow(problem).chosen
    assert chosen is not None
    assert chosen.ratio * problem.impurity(of.objects) == 6
    assert least_price(problem) == 5


def separate_factor(problem: Problem) -> Fraction:
    """ρ_sep: what a group costs bought test by test, each with its set-up, against bought together."""
    largest = Fraction(1)
    for group, setup in enumerate(problem.rules.setup):
        own = sorted(
            problem.of.prices[column]
            for column in problem.of.tests
            if problem.rules.group_of(column) == group and column not in problem.rules.known
        )
        for j in range(1, len(own) + 1):
            largest = max(largest, (j * setup + sum(own[:j])) / (setup + sum(own[:j])))
    return largest


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shared_set_up_prices_cost_at_most_the_factor_of_separate_ones(name: str) -> None:
    largest = Fraction(0)
    for rng, problem in impure_problems(name, 180):
        grouped = with_groups(rng, problem)
        best, reached = least_price(grouped), worst_price(grouped, grow(grouped))
        assert reached <= separate_factor(grouped) * Fraction(theorem_factor(grouped)) * best
        largest = max(largest, reached / best) if best else largest
    assert largest > 1.3


def trees_of(problem: Problem) -> list[list[Cell]]:
    """Some trees: all cuts of the greedy ones of several functions, by their leaves."""
    roots = [grow(replace(problem, function=function)) for function in FUNCTIONS.values()]
    return [[leaf.objects for leaf in root.cut(depth).leaves()] for root in roots for depth in range(5)]


def test_trees_of_small_error_have_no_hinged_pairs_and_those_have_small_error() -> None:
    """Lemma 4.5: D_{E:ε} ⊆ D_{P_εn} ⊆ D_{E:k(k-1)εl}. Lemma 4.4 refines it: the largest leaves count."""
    inside = sharper = 0
    n_problems = tries(60, 20)
    for seed in range(n_problems):
        problem = random_problem(Random(seed), pairs, max_objects=16, max_tests=5)
        n = len(problem.of.labels)
        k = len(set(problem.of.labels))
        for leaves in trees_of(problem):
            counts = [class_counts(problem.of, leaf, N_CLASSES) for leaf in leaves]
            error = Fraction(sum(sum(c) - max(c) for c in counts), n)
            assert all(hinged_pairs(error * n)(c) == 0 for c in counts)
            for epsilon in (error, error / 2, Fraction(1, n)):
                if any(hinged_pairs(epsilon * n)(c) > 0 for c in counts):
                    continue
                inside += epsilon < error
                assert error <= k * (k - 1) * epsilon * len(leaves)
                refined = least_error_bound(counts, epsilon, k, n)
                assert error <= refined
                sharper += refined < k * (k - 1) * epsilon * len(leaves)
    assert min(inside, sharper) > 5 / 3 * n_problems


def least_error_bound(counts: list[list[int]], epsilon: Fraction, k: int, n: int) -> Fraction:
    """Lemma 4.4 with the best η: the largest l leaves, and all others at their worst."""
    sizes = sorted((sum(c) for c in counts), reverse=True)
    bounds = []
    for largest in range(len(sizes) + 1):
        eta = 1 - Fraction(sum(sizes[:largest]), n)
        bounds.append(k * (k - 1) * largest * epsilon + Fraction(k - 1, k) * eta)
    return min(bounds)


def test_a_tree_without_hinged_pairs_costs_no_more_than_the_best_of_that_error() -> None:
    """Theorem 4.6 by way of Lemma 4.5: OPT over D_{P_εn} is at most OPT over D_{E:ε}."""
    below = 0
    for seed in range(tries(200, 60)):
        problem = random_problem(Random(seed), pairs, max_objects=9)
        for errors in (1, 2):
            hinged = replace(problem, function=hinged_pairs(errors))
            of_error = least_price_with_loss(
                problem, [Fraction(1)] * len(problem.of.labels), Fraction(errors)
            )
            assert least_price(hinged) <= of_error
            below += least_price(hinged) < of_error
    assert below > 0
