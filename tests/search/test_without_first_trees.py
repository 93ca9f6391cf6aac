"""Proofs that begin with a leaf alone. A tree of the look-ahead is mostly the best already, and then a bound
that cuts off the best tree changes no answer; without it the bounds have to leave the best tree to be found.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from number_problems import check_number_tree, random_number_problem, search_numbers
from oracles.exhaustive_trees import ExhaustiveTrees, TreeProblem
from oracles.number_trees import NumberTrees
from oracles.priced_trees import best_by_paths
from priced_problems import random_priced_problem
from priced_problems import search as search_priced
from search_problems import SWITCHES, check_tree, random_tests, random_tree_problem, search
from thoroughness import tries

BEYOND_THE_KERNEL = (4, 4, 5, 6, None)  # levels: up to 3 nothing is left out


def without_first_trees(rng: Random) -> dict[str, bool]:
    """Mostly every bound on at once, as people search; else some off, so that each has to hold alone."""
    off = rng.choice([0.0, 0.0, 0.3])
    return {**{name: False for name in SWITCHES if rng.random() < off}, "first_trees": False}


@pytest.mark.parametrize("part", range(4))
def test_classes_are_proved_without_first_trees(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(1000, 60)):
        problem = random_tree_problem(rng)
        problem.max_depth = rng.choice(BEYOND_THE_KERNEL)
        if rng.random() < 0.5:  # a leaf is worth a row or so
            problem.leaf_penalty = Fraction(rng.choice([1, 2, 3, 4, 6, 8]), 4)
        check_classes(problem, rng)


def test_rows_that_cancel_are_proved_without_first_trees() -> None:
    rng = Random(77)
    for _ in range(tries(2000, 150)):
        n_rows, n_classes = rng.randint(30, 60), rng.choice([2, 3, 3, 4])
        problem = random_tree_problem(rng)
        problem.tests = random_tests(rng, rng.choice([4, 5, 5]), n_rows)  # most rows equal others
        problem.labels = np.array([rng.randrange(n_classes) for _ in range(n_rows)], dtype=np.int32)
        problem.n_classes, problem.weights, problem.error_costs = n_classes, None, None
        problem.leaf_penalty = Fraction(rng.choice([1, 2, 4, 4, 6]), 4)
        problem.max_depth, problem.max_leaves, problem.min_leaf_weight = 4, None, 0
        check_classes(problem, rng)


def check_classes(problem: TreeProblem, rng: Random) -> None:
    """The search finds what exhaustive search finds."""
    objective, leaves, cost = ExhaustiveTrees(problem).best()
    switches = without_first_trees(rng)
    found = search(problem, switches=switches, n_threads=rng.choice([1, 1, 4]))
    assert (found.cost, found.leaves) == (cost, leaves), (objective, found.objective, switches)
    assert found.status == "optimal"
    assert found.lower_bound == found.objective
    check_tree(problem, found)


@pytest.mark.parametrize("part", range(2))
def test_prices_are_proved_without_first_trees(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(1000, 60)):
        problem = random_priced_problem(rng)
        problem.max_depth = rng.choice([3, 4, 4, 5])
        objective, leaves = best_by_paths(problem)
        switches = without_first_trees(rng)
        found = search_priced(problem, switches=switches, n_threads=rng.choice([1, 1, 4]))
        assert (found.objective, found.leaves) == (float(objective), leaves), (problem, switches)
        assert found.objective - 1e-6 <= found.lower_bound <= found.objective


def test_numbers_are_proved_without_first_trees() -> None:
    rng = Random(0)
    for _ in range(tries(2000, 120)):
        problem = random_number_problem(rng)
        problem.max_depth = rng.choice(BEYOND_THE_KERNEL)
        objective, leaves, cost = NumberTrees(problem).best()
        switches = without_first_trees(rng)
        found = search_numbers(problem, switches=switches, n_threads=rng.choice([1, 1, 4]))
        assert (found.cost, found.leaves) == (cost, leaves), (objective, found.objective, switches)
        assert found.lower_bound == found.objective
        check_number_tree(problem, found)


def test_without_first_trees_better_ones_are_met_on_the_way() -> None:
    tests = np.random.default_rng(0).integers(0, 2, (10, 400)).astype(np.uint8)
    labels = (tests[0] ^ tests[1] ^ (tests[2] & tests[3])).astype(np.int32)
    problem = random_tree_problem(Random(0))
    problem.tests, problem.labels, problem.n_classes = tests, labels, 2
    problem.weights = problem.error_costs = problem.max_leaves = None
    problem.max_depth, problem.leaf_penalty, problem.min_leaf, problem.min_leaf_weight = 5, Fraction(1), 1, 0
    with_them, without = (search(problem, switches={"first_trees": on}) for on in (True, False))
    assert with_them.objective == without.objective
    trees = [len({incumbent for _, incumbent, _ in found.history}) for found in (with_them, without)]
    assert trees[0] < trees[1]  # the best tree is met on the way, by trees that are worse
