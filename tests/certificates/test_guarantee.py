"""The greedy rule's factor holds for greedy trees and, with their departure, for others."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
from small_instances import Small, optimum_by_trying, random_cases
from thoroughness import tries

from thriftree.certificates.guarantee import Promise, greedy_promise, smallest_excess
from thriftree.impurities import HingedPairs, Pairs, Polynomial, Powers
from thriftree.search.allowance import UNLIMITED
from thriftree.search.instance import Goal


class GrownTree:
    """A tree on a small instance, by the greedy rule or by chance; lists by node, in preorder."""

    def __init__(self, small: Small, goal: Goal, rng: np.random.Generator | None) -> None:
        self.small, self.goal, self.rng = small, goal, rng
        self.objects: list[np.ndarray] = []
        self.parent: list[int] = []
        self.price: list[float] = []
        self.worst = self._grow(list(range(len(small.labels))), -1, frozenset())

    def value(self, objects: list[int]) -> float:
        labels = [self.small.labels[i] for i in objects]
        return float(self.goal.function(np.bincount(labels, minlength=self.small.n_classes)[None] * 1.0)[0])

    def _grow(self, objects: list[int], parent: int, opened: frozenset[int]) -> float:
        node = len(self.parent)
        self.objects.append(np.array(objects))
        self.parent.append(parent)
        self.price.append(0.0)
        if self.value(objects) <= self.goal.tolerance + 1e-9:
            return 0.0
        tests = {}
        for t in range(len(self.small.own)):
            sides: dict[int, list[int]] = {}
            for i in objects:
                sides.setdefault(self.small.codes[i][t], []).append(i)
            gain = self.value(objects) - max(self.value(side) for side in sides.values())
            if gain > 0:
                g = self.small.group[t]
                price = self.small.own[t] + (self.small.setup[g] if g >= 0 and g not in opened else 0)
                tests[t] = (price / gain, price, sides)
        chosen = int(self.rng.choice(list(tests))) if self.rng else min(tests, key=lambda t: tests[t][0])
        _, price, sides = tests[chosen]
        self.price[node] = float(price)
        below = opened | {self.small.group[chosen]}
        return price + max(self._grow(side, node, below) for side in sides.values())

    def factor(self) -> float | None:
        promise = greedy_promise(
            self.small.instance(), self.goal, self.objects, self.parent, self.price, UNLIMITED
        )
        return None if promise is None else promise.factor


def test_a_greedy_tree_without_groups_keeps_to_the_theorem_with_the_smallest_impurity() -> None:
    proved, n_cases = 0, tries(800, 150)
    for _, small, goal in random_cases(n_cases, "tolerance", seed=5):
        if any(g >= 0 for g in small.group):
            continue
        tree = GrownTree(small, goal, None)
        factor = tree.factor()
        optimum = float(optimum_by_trying(small, goal, "worst_case"))
        counts = np.bincount(small.labels, minlength=small.n_classes) * 1.0
        above = tree.value(list(range(len(small.labels)))) - goal.tolerance
        if above <= 1e-9:
            assert factor == 1
            continue
        beta = smallest_excess(goal.function, counts, goal.tolerance, UNLIMITED)
        assert factor == pytest.approx(log(above / beta) + (beta + goal.tolerance) / beta)
        assert tree.worst <= factor * optimum + 1e-9, (small, goal)
        proved += 1
    assert proved > n_cases / 4


@pytest.mark.parametrize("greedy", [True, False])
def test_no_tree_costs_more_than_its_factor_times_the_least(greedy: bool) -> None:
    proved, n_cases = 0, tries(800, 150)
    for rng, small, goal in random_cases(n_cases, "tolerance", seed=6):
        tree = GrownTree(small, goal, None if greedy else rng)
        factor = tree.factor()
        if factor is None:
            continue
        assert tree.worst <= factor * float(optimum_by_trying(small, goal, "worst_case")) + 1e-9, (
            small,
            goal,
        )
        proved += 1
    assert proved > n_cases * 3 / 4


def test_a_free_test_left_aside_voids_the_promise() -> None:
    small = Small(((0, 0), (1, 1)), (0, 1), (1, 1), (1, 1), (0, 5), (-1, -1), ())
    goal = Goal("tolerance", Pairs().value)
    nodes = [np.array([0, 1]), np.array([0]), np.array([1])]
    assert greedy_promise(small.instance(), goal, nodes, [-1, 0, 0], [5.0, 0.0, 0.0], UNLIMITED) is None
    assert greedy_promise(small.instance(), goal, nodes, [-1, 0, 0], [0.0, 0.0, 0.0], UNLIMITED) == Promise(
        1.0, 1.0
    )


def test_a_more_expensive_test_than_the_best_is_counted_as_departure() -> None:
    small = Small(((0, 0), (1, 1)), (0, 1), (1, 1), (1, 1), (2, 5), (-1, -1), ())
    nodes = [np.array([0, 1]), np.array([0]), np.array([1])]
    goal = Goal("tolerance", Pairs().value)
    assert greedy_promise(small.instance(), goal, nodes, [-1, 0, 0], [5.0, 0.0, 0.0], UNLIMITED) == Promise(
        2.5, 2.5
    )


@pytest.mark.parametrize(
    "impurity",
    [
        Pairs(),
        Powers(3),
        HingedPairs(1.5),
        HingedPairs(2.0, offset=False),
        Polynomial([(1.0, (1, 1, 1)), (0.25, (2, 1, 0))]),
    ],
)
def test_beta_is_the_smallest_excess_over_all_subsets(impurity) -> None:
    for counts in [(3, 4, 2), (6, 5, 0), (1, 1, 1), (2, 0, 7)]:
        sets = np.array(list(product(*(range(n + 1) for n in counts))), dtype=np.float64)
        values = impurity.value(sets)
        for tolerance in (0.0, 0.5, 2.0, 7.25):
            above = values[values > tolerance]
            expected = above.min() - tolerance if len(above) else None
            found = smallest_excess(impurity.value, np.array(counts, dtype=np.float64), tolerance, UNLIMITED)
            assert found == (None if expected is None else pytest.approx(expected)), (counts, tolerance)


def test_beta_of_many_classes_is_found_by_pairs_or_not_at_all() -> None:
    counts = np.full(20, 50.0)
    assert smallest_excess(Powers(3).value, counts, 0.0, UNLIMITED) == 6
    assert smallest_excess(Powers(3).value, counts, 1.0, UNLIMITED) is None
