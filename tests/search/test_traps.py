"""What solvers get wrong: each care has a table that fails without it."""

from __future__ import annotations

import threading
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.exhaustive_trees import ExhaustiveTrees, TreeProblem
from search_problems import check_tree, random_tests, random_tree_problem, search
from thoroughness import tries

from thriftree import _core


def problem_of(tests: Any, labels: Any, n_classes: int = 2, **limits: Any) -> TreeProblem:
    return TreeProblem(np.array(tests, dtype=np.uint8), np.array(labels, dtype=np.int32), n_classes, **limits)


def check_optimum(problem: TreeProblem, **options: Any) -> _core.SearchResult:
    _, leaves, cost = ExhaustiveTrees(problem).best()
    found = search(problem, **options)
    assert (found.cost, found.leaves, found.status) == (cost, leaves, "optimal")
    check_tree(problem, found)
    return found


def test_cancelled_rows_count_for_min_leaf() -> None:
    # Rows 0 and 1 contradict each other; without them the first branch of test 0 has one row.
    problem = problem_of([[1, 1, 1, 0, 0, 0]], [0, 1, 1, 0, 0, 0], min_leaf=3)
    assert check_optimum(problem).leaves == 2


def test_limits_of_leaves_count_rows_and_weights_as_given() -> None:
    rng = Random(3)
    for _ in range(tries(1500, 60)):
        problem = random_tree_problem(rng)
        problem.min_leaf = rng.choice([2, 3, 5])
        problem.max_leaves = None
        if rng.random() < 0.5:
            problem.weights = np.array([rng.randint(0, 3) for _ in problem.labels], dtype=np.int64)
            problem.min_leaf_weight = rng.choice([0, 2, 5])
        check_optimum(problem)


def test_contradicting_rows_cancel_in_cost_units() -> None:
    # Of two equal rows, missing class 0 costs 5: one of each class leaves 4 units of class 0, not none.
    costs = np.array([[0, 5], [1, 0]], dtype=np.int64)
    problem = problem_of([[1, 1, 0, 0]], [0, 1, 1, 1], error_costs=costs)
    found = check_optimum(problem)
    assert (found.cost, found.label.tolist()) == (1, [0, 0, 1])


def test_with_several_classes_only_what_all_have_cancels() -> None:
    problem = problem_of([[1, 1, 1, 1, 0, 0]], [0, 1, 0, 1, 2, 2], n_classes=3)
    assert check_optimum(problem).cost == 2


@pytest.mark.parametrize("scale", [2, 7])
def test_the_support_of_a_test_is_in_cost_units(scale: int) -> None:
    # One row is less than the penalty of a leaf, but missing it costs more.
    costs = np.array([[0, 1], [10 * scale, 0]], dtype=np.int64)
    problem = problem_of(
        [[1] + [0] * 40],
        [1] + [0] * 40,
        error_costs=costs,
        leaf_penalty=Fraction(scale),
    )
    assert check_optimum(problem).leaves == 2


ALONE = ("similarity", "support", "after_kernel", "one_side_four", "leaf_budget", "rising")


@pytest.mark.parametrize("switch", ALONE)
def test_a_bound_holds_where_limits_and_costs_are_odd(switch: str) -> None:
    rng = Random(f"{switch}")
    for _ in range(tries(1000, 30)):
        problem = random_tree_problem(rng)
        problem.max_depth = rng.choice([4, 5, None])
        problem.min_leaf = rng.choice([1, 2, 4])
        k = problem.n_classes
        problem.error_costs = np.array(
            [[0 if i == j else rng.randint(1, 9) for j in range(k)] for i in range(k)], dtype=np.int64
        )
        problem.leaf_penalty = Fraction(rng.choice([0, 1, 3, 8]), 2)
        only = {name: name == switch for name in ALONE}
        check_optimum(problem, switches={**only, "one_split": False, "patience": False})


def near_equal_tests(rng: Random) -> TreeProblem:
    """Tests that differ in a few rows, so that what is known of one side says much of another."""
    n_rows = rng.randint(12, 30)
    base = [np.array([rng.random() < 0.5 for _ in range(n_rows)]) for _ in range(2)]
    tests = []
    for _ in range(rng.choice([5, 6, 7])):
        answers = base[rng.randrange(2)].copy()
        for _ in range(rng.randint(1, 4)):
            answers[rng.randrange(n_rows)] ^= True
        alone = np.array([rng.random() < 0.5 for _ in range(n_rows)])
        tests.append(answers if rng.random() < 0.7 else alone)
    labels = [rng.randrange(2) for _ in range(n_rows)]
    return problem_of(tests, labels, max_depth=rng.choice([4, 4, 5]), min_leaf=rng.choice([2, 3, 4]))


def test_with_min_leaf_a_side_is_compared_with_its_parts_only() -> None:
    rng = Random(5)
    off = ("after_kernel", "one_side_four", "support", "one_split", "leaf_budget", "triples")
    for _ in range(tries(3000, 400)):
        check_optimum(near_equal_tests(rng), switches=dict.fromkeys(off, False))


def test_depth_and_leaves_are_part_of_what_is_remembered() -> None:
    # The same rows are reached at different depths and with different leaves left.
    rng = Random(9)
    for _ in range(tries(1000, 40)):
        problem = random_tree_problem(rng)
        problem.max_depth = rng.choice([4, 5, 6])
        problem.max_leaves = rng.randint(5, 12)
        check_optimum(problem)


def test_no_penalty_gives_the_fewest_leaves_of_the_least_cost() -> None:
    problem = problem_of([[1, 1, 0, 0], [1, 0, 1, 0]], [0, 0, 0, 1])
    assert check_optimum(problem).leaves == 3


def test_rows_that_all_contradict_each_other_give_a_leaf() -> None:
    problem = problem_of([[1, 1, 0, 0], [1, 1, 0, 0]], [0, 1, 0, 1])
    found = check_optimum(problem)
    assert (found.leaves, found.cost) == (1, 2)


@pytest.mark.parametrize("n_tests", [0, 1, 2])
@pytest.mark.parametrize("max_depth", [0, 1, 3, 4, 5, None])
def test_few_tests_and_equal_rows(n_tests: int, max_depth: int | None) -> None:
    for labels in ([0, 1, 1], [1, 1, 1], [0, 1, 0]):
        equal = problem_of(np.ones((n_tests, 3)), labels, max_depth=max_depth)
        assert check_optimum(equal).leaves == 1
        if n_tests:
            mixed = problem_of([[0, 1, 0], [1, 1, 0]][:n_tests], labels, max_depth=max_depth)
            check_optimum(mixed)


def test_a_single_row_and_a_class_that_is_absent() -> None:
    assert check_optimum(problem_of([[1]], [0])).leaves == 1
    found = check_optimum(problem_of([[1, 1, 0, 0]], [3, 3, 1, 1], n_classes=5))
    assert found.label.tolist() == [1, 3, 1]


def test_as_many_classes_as_rows() -> None:
    rng = Random(4)
    tests = random_tests(rng, 6, 26)
    check_optimum(problem_of(tests, np.arange(26), n_classes=26))


@pytest.mark.parametrize("weight", [0, 1, 2**40])
def test_zero_and_huge_weights(weight: int) -> None:
    rng = Random(weight % 1000)
    for _ in range(20):
        problem = problem_of(random_tests(rng, 5, 30), [rng.randrange(2) for _ in range(30)])
        problem.weights = np.array([rng.choice([0, weight, weight // 3]) for _ in range(30)], dtype=np.int64)
        check_optimum(problem)


def test_weights_that_do_not_fit_are_refused() -> None:
    problem = problem_of([[1, 0]], [0, 1], weights=np.array([2**62, 2**62], dtype=np.int64))
    with pytest.raises(ValueError, match="coarser units"):
        search(problem)


@pytest.mark.parametrize("penalty", [1e-300, 0.3, 1.0000001, 7.5, 1e6, 1e300])
def test_any_penalty_is_taken(penalty: float) -> None:
    rng = Random(11)
    for _ in range(30):
        problem = random_tree_problem(rng)
        problem.leaf_penalty = Fraction(penalty)
        found = search(problem)
        best, _, _ = ExhaustiveTrees(problem).best()
        assert found.objective == pytest.approx(float(best), rel=1e-9, abs=1e-6)
        assert found.lower_bound == found.objective


def test_more_leaves_than_the_depth_has_room_for() -> None:
    problem = problem_of([[1, 1, 0, 0], [1, 0, 1, 0]], [0, 1, 1, 0], max_depth=1, max_leaves=9)
    assert check_optimum(problem).leaves == 1


@pytest.mark.parametrize("n_rows", [32_767, 32_768, 65_535, 65_536, 70_001])
def test_many_rows_do_not_overflow(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    tests = rng.integers(0, 2, (4, n_rows)).astype(np.uint8)
    labels = ((tests[0] & tests[1]) ^ (rng.random(n_rows) < 0.1)).astype(np.int32)
    for weights in (None, rng.integers(1, 3, n_rows)):
        found = _core.search_tree(
            tests, np.arange(4, dtype=np.int32), labels, 2, weights=weights, max_depth=2
        )
        wrong = (tests[0] & tests[1]) != labels
        assert found.cost == (wrong.sum() if weights is None else weights[wrong].sum())
        assert found.test.tolist() == [0, 1, -1, -1, -1]


def test_ties_go_to_the_smallest_feature_then_test() -> None:
    tests = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    for features, first in (([0, 0, 1], 0), ([2, 1, 0], 2), ([1, 0, 0], 1)):
        found = _core.search_tree(tests, np.array(features, dtype=np.int32), labels, 2)
        assert found.test.tolist() == [first, -1, -1]


def test_two_searches_in_two_threads_do_not_meet() -> None:
    rng = Random(21)
    problems = [random_tree_problem(rng) for _ in range(60)]
    expected = [search(problem).test.tolist() for problem in problems]
    found: dict[int, list[list[int]]] = {}

    def run(worker: int) -> None:
        found[worker] = [search(problem, n_threads=2).test.tolist() for problem in problems]

    workers = [threading.Thread(target=run, args=(i,)) for i in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == {0: expected, 1: expected}
