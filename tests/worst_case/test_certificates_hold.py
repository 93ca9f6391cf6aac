"""No certificate of a worst case promises more than the best tree of its class costs, by brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.greedy_tree import Problem
from oracles.ngi import Cell, mass
from oracles.set_functions import pairs
from oracles.worst_optimum import least_price, least_price_with_loss
from small_problems import random_problem, with_groups, with_outcome_prices

from thriftree import CARTClassifier, Pairs, TestCosts, WorstCaseTreeClassifier, certify


def parameters(problem: Problem) -> list[list[str]]:
    """The codes as categories, so that a price may depend on each."""
    return [[f"v{code}" for code in row] for row in problem.of.codes]


def costs_of(problem: Problem) -> TestCosts:
    rules = problem.rules
    prices: dict[int, Any] = {}
    for column in problem.of.tests:
        if column in problem.outcomes:
            prices[column] = {f"v{code}": float(price) for code, price in problem.outcomes[column].items()}
        else:
            prices[column] = float(problem.of.prices[column])
    groups = {}
    for group, setup in enumerate(rules.setup):
        members = [column for column in problem.of.tests if rules.group_of(column) == group]
        if members:
            groups[f"group {group}"] = {"setup": float(setup), "members": members}
    return TestCosts(prices, groups=groups, known=sorted(rules.known), pay="once")


def least(problem: Problem, trees: str, error: Fraction, theta: Fraction) -> Fraction:
    of = problem.of

    def is_pure(cell: Cell) -> bool:
        return len({of.labels[i] for i in cell}) == 1

    if trees == "pure":
        return least_price(problem, is_pure)
    if trees == "tolerance":
        return least_price(problem)
    if trees == "mass":
        return least_price(problem, lambda cell: is_pure(cell) or mass(of, cell) <= theta)
    return least_price_with_loss(problem, of.p, error)


@pytest.mark.parametrize("rules", ["plain", "groups", "outcomes", "both"])
def test_no_lower_bound_is_above_the_optimum(rules: str) -> None:
    n_exact = 0
    seen: Counter[str] = Counter()
    for seed in range(90):
        rng = Random(f"certify-{rules}-{seed}")
        problem = random_problem(rng, pairs, max_objects=9)
        if len(set(problem.of.labels)) < 2:
            continue
        problem = with_groups(rng, problem) if rules in ("groups", "both") else problem
        problem = with_outcome_prices(rng, problem) if rules in ("outcomes", "both") else problem
        delta, theta = Fraction(rng.choice([1, 2, 5])), Fraction(rng.choice([10, 25, 40]), 100)
        problem = Problem(
            problem.of, problem.kinds, pairs, problem.n_classes, delta, problem.rules, problem.outcomes
        )
        X, y, costs = parameters(problem), np.array(problem.of.labels), costs_of(problem)
        weight = [float(p) for p in problem.of.p]
        depth = rng.choice([1, 2, None])
        make = rng.choice([CARTClassifier, WorstCaseTreeClassifier])
        tree = make(costs=costs, max_depth=depth).fit(X, y, sample_weight=weight)
        wrong = tree.predict(X) != y
        error = sum((p for p, is_wrong in zip(problem.of.p, wrong, strict=True) if is_wrong), Fraction(0))
        found = certify(
            tree,
            X,
            y,
            sample_weight=weight,
            impurity=Pairs(),
            tolerance=float(delta),
            min_mass=float(theta),
        )
        best = least(problem, found.trees, error, theta)
        assert found.lower_bound <= float(best) * (1 + 1e-9)
        assert found.lower_bound <= found.reached
        if found.exact and rules in ("plain", "groups"):
            assert found.lower_bound == pytest.approx(float(best))
            n_exact += 1
        seen[found.trees] += 1
    assert n_exact > 20 or rules in ("outcomes", "both")
    assert len(seen) >= 3
