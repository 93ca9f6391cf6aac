"""The corners of risk against expected price are those of all trees."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
from oracles.priced_trees import all_figures
from test_prices import random_table
from thoroughness import tries

from thriftree import OptimalTreeClassifier
from thriftree.learning.limits import Limits
from thriftree.methods.optimal.price_path import PricePath
from thriftree.methods.optimal.solve import solved


def lower_hull(figures: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of (price, risk) from the least risk to what is free, by falling price."""
    corners: list[tuple[float, float]] = []
    for price, risk in sorted(figures):
        if corners and risk >= corners[-1][1] - 1e-12:
            continue
        while len(corners) > 1:
            (p0, r0), (p1, r1) = corners[-2:]
            if (r1 - r0) * (price - p0) < (risk - r0) * (p1 - p0) - 1e-12:
                break
            corners.pop()
        corners.append((price, risk))
    return corners[::-1]


def test_the_path_has_the_corners_of_all_trees() -> None:
    rng = Random(51)
    for _ in range(tries(150, 10)):
        problem, costs = random_table(rng, delay=rng.random() < 0.3)
        problem.budget, problem.max_depth = None, 2
        if len(set(problem.labels)) < 2:
            continue
        n = len(problem.values)
        wanted = lower_hull([(float(price / n), float(risk / n)) for risk, price in all_figures(problem)])
        model = OptimalTreeClassifier(
            max_depth=2, leaf_penalty=float(problem.leaf_penalty / n), costs=costs, price_weight=1.0
        )
        limits = Limits.of(1, None, None)
        rows = model._read(problem.values, problem.labels, None, limits).for_many_trees()
        task = model._task(rows)

        def search(at_weight, warm, task=task, limits=limits):  # type: ignore[no-untyped-def]
            return solved(task, at_weight, limits, np.random.RandomState(0), lambda _: warm)

        path = PricePath(task.problem(rows, limits, float(problem.leaf_penalty / n)), search)
        found = [(point.price, point.risk) for point in path.hull()]
        assert path.proved
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


class Figures:
    """A problem whose outlines are numbers, each with a risk and a price."""

    def __init__(self, figures: list[tuple[float, float]], weight: float = 0.0) -> None:
        self.figures, self.weight, self.rows, self.seen = figures, weight, range(10), ()
        self.prices = SimpleNamespace(rules=SimpleNamespace(own=np.array([1.0]), setup=np.array([])))

    def with_price_weight(self, weight: float) -> Figures:
        return Figures(self.figures, weight)

    def objective(self, outline: int) -> float:
        risk, price = self.figures[outline if isinstance(outline, int) else 0]
        return risk + self.weight * price

    def risk(self, objective: float) -> float:
        return objective


def test_a_tree_that_only_one_search_had_tests_for_leaves_corners_that_rise_and_fall() -> None:
    # (risk, price): what is free, two corners, the least risk; and one below the line of the two corners,
    # which only searches at a weight of 0.1 to 0.11 have the tests for.
    figures = [(0.5, 0.0), (0.31, 9.0), (0.25, 10.0), (0.1, 20.0), (0.28, 2.0)]

    def search(problem: Any, warm: Any) -> Any:
        known = [0, 1, 2, 3, *warm] + [4] * (0.1 <= problem.weight <= 0.11)
        best = min(known, key=problem.objective)
        return SimpleNamespace(outline=best, status="optimal", lower_bound=problem.objective(best))

    path: Any = PricePath(Figures(figures), search)
    path.solved(0.105, ())  # finds it
    corners = [(one.price, one.risk) for one in path.hull()]
    assert corners == lower_hull([(price, risk) for risk, price in figures])
