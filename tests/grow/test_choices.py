"""At every node the chosen test is the best that its columns offer, by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from grow_oracle import KINDS, GrowProblem, check_tree, gains
from grow_problems import random_column, random_problem
from thoroughness import tries

CRITERIA = ["gini", "entropy", "misclassification", "gain_ratio", "squared_error"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_on_small_tables_every_node_has_the_best_candidate_of_each_kind(criterion, kind):
    for seed in range(tries(100, 25)):
        problem = random_problem(np.random.default_rng(seed), criterion, kind)
        check_tree(problem, problem.grow())


@pytest.mark.parametrize("criterion", CRITERIA)
def test_columns_that_offer_several_kinds_give_the_best_of_all(criterion):
    for seed in range(tries(100, 25)):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, criterion, "subset", n_columns=3)
        for j, categories in enumerate(problem.n_categories):
            problem.kinds[j] = int(rng.integers(0, 16)) & (15 if categories is None else 14)
        problem.min_leaf_rows = int(rng.integers(1, 4))
        problem.min_leaf_share = float(rng.choice([0, 0.05, 0.2]))
        check_tree(problem, problem.grow())


@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [("squared_error", 0), *((name, k) for name in CRITERIA[:4] for k in (2, 3, 9))],
)
def test_columns_of_more_than_256_codes_give_the_best_threshold(criterion, n_classes):
    for seed in range(tries(3, 1)):
        rng = np.random.default_rng([seed, n_classes])
        n = int(rng.integers(300, 600))
        problem = random_problem(rng, criterion, "threshold", n=n, n_values=n, n_columns=3)
        if n_classes:
            problem.n_classes, problem.target = n_classes, rng.integers(0, n_classes, n).astype(np.int32)
        weights = [None, rng.random(n) + 1e-3, rng.integers(1, 5, n).astype(float)]
        problem.weight = weights[(seed + n_classes + CRITERIA.index(criterion)) % 3]
        problem.min_leaf_rows = int(rng.choice([1, 5]))
        assert not problem.table().column(0).narrow
        check_tree(problem, problem.grow())


@pytest.mark.parametrize("kind", ["one_vs_rest", "subset", "multiway"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_categories_of_more_than_256_codes_give_the_best_of_each_kind(criterion, kind):
    rng = np.random.default_rng(5)
    problem = random_problem(rng, criterion, kind, n=500, n_values=400, n_columns=2)
    columns = [random_column(rng, 500, category=True, n_values=400, missing=0.1) for _ in range(2)]
    problem.columns, problem.n_categories = columns, [400, 400]
    problem.min_leaf_rows = 2
    assert not problem.table().column(0).narrow
    check_tree(problem, problem.grow())


@pytest.mark.parametrize("n_values", [6, 90, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_large_nodes_counted_by_histogram_and_subtraction_choose_as_well(n_values, weighted):
    """Narrow columns beside wide ones, so many rows that children get their sums from their parent's."""
    rng = np.random.default_rng(n_values)
    n = 900
    columns = [random_column(rng, n, category=False, n_values=n_values, missing=0.1) for _ in range(3)]
    columns.append(random_column(rng, n, category=True, n_values=5, missing=0.1))
    logit = np.nan_to_num(columns[0]) / n_values * 16 + np.nan_to_num(columns[1]) / n_values * 8 - 6
    target = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(np.int32) + (columns[3] == 2)
    threshold = KINDS["threshold"]
    problem = GrowProblem(
        columns,
        [None, None, None, 5],
        target.astype(np.int32),
        3,
        [threshold, threshold, threshold, KINDS["subset"]],
        weight=rng.random(n) + 0.1 if weighted else None,
        min_leaf_rows=4,
    )
    for criterion in ("gini", "entropy"):
        problem.criterion = criterion
        check_tree(problem, problem.grow())


def test_quinlans_guard_and_penalty_leave_the_best_ratio_among_columns_of_average_gain():
    for seed in range(tries(150, 40)):
        rng = np.random.default_rng(seed)
        kind = str(rng.choice(["threshold", "multiway"]))
        parameters = {"average_gain_guard": True, "threshold_penalty": bool(seed % 2)}
        problem = random_problem(rng, "gain_ratio", kind, n_columns=4, **parameters)
        check_tree(problem, problem.grow())


def test_prefixes_of_the_class_share_hold_the_best_of_all_subsets_for_two_classes_and_numbers():
    """Beyond 8 codes only prefixes are tried; where the theorem applies, nothing is lost by it."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        for criterion in ("gini", "entropy", "squared_error"):
            problem = random_problem(rng, criterion, "subset", n=60, n_values=10, n_columns=1)
            problem.columns, problem.n_categories = [rng.integers(0, 10, 60).astype(np.int32)], [10]
            if criterion != "squared_error":
                problem.n_classes, problem.target = 2, rng.integers(0, 2, 60).astype(np.int32)
            tree = problem.grow(max_depth=1)
            exhaustive = _best_of_all_subsets(problem)
            assert tree.score[0] == pytest.approx(exhaustive, rel=1e-9)


def _best_of_all_subsets(problem: GrowProblem) -> float:
    codes, run = np.unique(problem.columns[0], return_inverse=True)
    runs = np.zeros((len(codes), problem.sums().shape[1]))
    np.add.at(runs, run, problem.sums())
    subsets = np.arange(1, 2 ** (len(codes) - 1))[:, None] >> np.arange(len(codes)) & 1
    branches = np.stack([subsets @ runs, (1 - subsets) @ runs], axis=1)
    return float(gains(problem.criterion, runs.sum(axis=0), branches).max())


def test_a_broken_choice_would_be_noticed():
    """The oracle itself: a tree grown by another criterion is refused."""
    refused = 0
    for seed in range(40):
        problem = random_problem(np.random.default_rng(seed), "gini", "threshold", n=25)
        tree = problem.grow(criterion="misclassification")
        try:
            check_tree(problem, tree)
        except AssertionError:
            refused += 1
    assert refused > 20
