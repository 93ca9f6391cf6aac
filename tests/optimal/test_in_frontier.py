"""Trees of a search take part in a frontier where they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from thriftree import OptimalTreeClassifier, frontier
from thriftree.costs import TestCosts


@pytest.mark.parametrize("cv", [None, 3])
def test_a_frontier_holds_the_trees_of_searches(cv: int | None) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (160, 4))
    y = (X[:, 0] > 1) ^ (X[:, 1] > 0)
    costs = TestCosts({0: 4.0, 1: 2.0, 2: 1.0, 3: 1.0})
    front = frontier(X, y, costs, methods=["optimal"], cv=cv, random_state=0)
    assert {point.method for point in front} == {"optimal"}
    best = max(front, key=lambda point: point.measured["accuracy"])
    assert best.measured["accuracy"] == 1.0  # no greedy first test shows anything of an exclusive or
    assert best.settings["price_weight"] >= 0
    again = OptimalTreeClassifier(costs=costs, max_depth=3, leaf_penalty=0.0).fit(X, y)
    assert best.expected_cost <= again.expected_cost_ + 1e-12


def test_searches_take_part_only_where_they_are_named() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (60, 3)), rng.integers(0, 2, 60)
    front = frontier(X, y, random_state=0)
    assert "optimal" not in {point.method for point in front}
