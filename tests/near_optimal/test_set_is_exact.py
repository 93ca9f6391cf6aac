"""Sets of nearly best trees are what listing all trees finds."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from near_problems import near, plain, random_near_problem, value_order
from oracles.near_trees import NearTrees
from thoroughness import tries

from thriftree import _core

MOST_LISTED = 5_000


@pytest.mark.parametrize("part", range(5))
def test_the_set_has_every_tree_within_the_slack_once_in_rising_order(part: int) -> None:
    rng = Random(part)
    for _ in range(tries(1200, 30)):
        problem, features, slack = random_near_problem(rng)
        oracle = NearTrees(problem, features)
        wanted = oracle.within(slack)
        found = near(problem, features, float(slack), n_threads=rng.choice([1, 2]))
        assert found.status == "optimal"
        assert found.count() == len(wanted)
        if len(wanted) > MOST_LISTED:
            continue
        trees = plain(found.trees(0, len(wanted)))
        assert set(trees) == set(wanted)
        assert trees == sorted(wanted, key=lambda tree: value_order(oracle, tree))


def test_the_histogram_counts_trees_of_each_objective() -> None:
    rng = Random(77)
    for _ in range(tries(500, 60)):
        problem, features, slack = random_near_problem(rng)
        oracle = NearTrees(problem, features)
        costs, leaves, counts = near(problem, features, float(slack)).histogram()
        counted: Counter[object] = Counter()
        for cost, n_leaves, count in zip(costs.tolist(), leaves.tolist(), counts, strict=True):
            counted[cost + problem.leaf_penalty * n_leaves] += count
        assert counted == Counter(map(oracle.objective, oracle.within(slack)))


def test_counts_go_beyond_128_bits() -> None:
    tests = np.array([[i >> b & 1 for i in range(2**6)] for b in range(6)], dtype=np.uint8)
    tests = np.concatenate([tests] * 30)
    labels = np.array([bin(i).count("1") % 2 for i in range(2**6)], dtype=np.int32)
    found = _core.near_optimal(tests, np.arange(180, dtype=np.int32), labels, 2, 0.0, max_depth=6)
    # Parity of six bits: a complete tree, at each node any bit that is left, by any of its 30 columns.
    expected = 1
    for level in range(6):
        expected *= ((6 - level) * 30) ** (2**level)
    assert found.count() == expected
    assert expected.bit_length() > 256
    assert plain(found.trees(expected - 1, 1))[0][0] == 0


def test_every_tree_is_drawn_as_often_as_any_other() -> None:
    rng = Random(5)
    checked = 0
    while checked < 3:
        problem, features, slack = random_near_problem(rng)
        found = near(problem, features, float(slack))
        count = found.count()
        if not 20 <= count <= 200:
            continue
        checked += 1
        draws = 100 * count
        drawn = Counter(plain(found.sample(draws, [checked, 2, 3])))
        assert len(drawn) == count
        chi_square = sum((n - 100) ** 2 / 100 for n in drawn.values())
        # Mean count - 1, variance 2 (count - 1): five standard deviations.
        assert chi_square < count - 1 + 5 * (2 * (count - 1)) ** 0.5


def test_a_seed_draws_the_same_trees_again() -> None:
    problem, features, slack = random_near_problem(Random(8))
    found = near(problem, features, float(slack))
    assert plain(found.sample(20, [1])) == plain(found.sample(20, [1]))


def test_a_rank_beyond_the_last_tree_is_refused() -> None:
    problem, features, slack = random_near_problem(Random(8))
    found = near(problem, features, float(slack))
    with pytest.raises(ValueError, match="fewer trees"):
        found.trees(found.count(), 1)


def test_an_objective_bounds_the_set_instead_of_a_slack() -> None:
    rng = Random(11)
    for _ in range(tries(300, 40)):
        problem, features, slack = random_near_problem(rng)
        found = near(problem, features, float(slack))
        bound = found.best.objective + float(slack)
        again = near(problem, features, 0.0, objective=bound)
        assert again.count() == found.count()
        if found.best.objective > 0:
            assert not near(problem, features, 0.0, objective=found.best.objective * 0.9).has_trees
