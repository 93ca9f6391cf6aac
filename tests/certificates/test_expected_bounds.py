"""No lower bound on the expected cost ever exceeds the brute-forced optimum."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_trees import Objects, SmallCase, least_expected_cost, random_case, random_cases
from thoroughness import tries
from to_the_end import by_covering, highest

from thriftree.search.allowance import UNLIMITED
from thriftree.search.costliest_pair import pair_prices
from thriftree.search.expected import blocks_bound, certificate_bound, expected_bounds
from thriftree.search.expected_error import blocks_with_errors
from thriftree.search.instance import Goal, Instance


def to_their_end(instance: Instance, goal: Goal) -> dict[str, float]:
    return {name: highest(bounds) for name, bounds in expected_bounds(instance, goal, UNLIMITED).items()}


def pair_bound(instance: Instance, goal: Goal) -> float:
    return highest(float(instance.p @ pair) for pair in pair_prices(instance, goal, UNLIMITED))


CLASSES = ("pure", "mass", "tolerance", "error")

# Means of bound / optimum below which a bound has lost something.
STRENGTH = {
    "pure": {"pair": 0.85, "certificate": 0.93, "kraft": 0.6, "blocks": 1 - 1e-9},
    "mass": {"pair": 0.65, "certificate": 0.93, "kraft": 0.45, "blocks": 1 - 1e-9},
    "tolerance": {"pair": 0.3, "certificate": 0.93, "kraft": 0.25, "blocks": 1 - 1e-9},
    "error": {"certificate": 0.74, "kraft": 0.38, "blocks": 0.85},
}


@pytest.mark.parametrize("trees", CLASSES)
def test_no_bound_is_ever_above_the_optimum(trees: str) -> None:
    shares: dict[str, list[float]] = {}
    for case in random_cases(250 if trees == "error" else tries(600, 200), seed=21):
        best = least_expected_cost(case, trees)
        for name, bound in to_their_end(case.instance, case.goal(trees)).items():
            assert 0 <= bound <= best + 1e-9, (name, case)
            if best > 0:
                shares.setdefault(name, []).append(bound / best)
    assert shares.keys() == STRENGTH[trees].keys()
    for name, least in STRENGTH[trees].items():
        assert np.mean(shares[name]) > least, name


@pytest.mark.parametrize("trees", CLASSES)
def test_blocks_smaller_than_the_instance_never_add_up_to_more_than_the_optimum(trees: str) -> None:
    shares = []
    for case in random_cases(tries(100, 40) if trees == "error" else tries(400, 120), seed=22):
        goal, best = case.goal(trees), least_expected_cost(case, trees)
        if trees == "error":
            bound = highest(blocks_with_errors(case.instance, goal, UNLIMITED, size=3))
        else:
            bound = highest(blocks_bound(case.instance, goal, np.zeros(len(case.labels)), UNLIMITED, size=3))
            least = by_covering(case.instance, goal)
            with_certificate = highest(blocks_bound(case.instance, goal, least, UNLIMITED, size=3))
            assert (
                max(bound, highest(certificate_bound(case.instance, goal, UNLIMITED))) - 1e-9
                <= with_certificate
                <= best + 1e-9
            )
        assert bound <= best + 1e-9, case
        if best > 0:
            shares.append(bound / best)
    assert np.mean(shares) > 0.5


def pair_sum(case: SmallCase, only_heavy: bool) -> Fraction:
    """Σ p(x) max_y m(x, y) over pairs of different classes: all, or those that weigh more than θ together."""
    total = Fraction(0)
    for x in case.everything:
        prices = [0]
        for y in case.everything:
            heavy = case.weights[x] + case.weights[y] > case.theta
            if case.labels[x] != case.labels[y] and (heavy or not only_heavy):
                differ = [t for t in range(len(case.own)) if case.codes[x][t] != case.codes[y][t]]
                prices.append(min(case.price(frozenset({t})) for t in differ))
        total += Fraction(case.weights[x] * max(prices), case.total * case.price_unit)
    return total


def test_the_pair_bound_looks_at_all_pairs_and_fails_without_the_condition_on_theta() -> None:
    above, n_cases = 0, tries(500, 200)
    for case in random_cases(n_cases, seed=23):
        assert pair_bound(case.instance, case.goal("mass")) == pytest.approx(float(pair_sum(case, True)))
        assert pair_bound(case.instance, case.goal("pure")) == pytest.approx(float(pair_sum(case, False)))
        above += float(pair_sum(case, False)) > least_expected_cost(case, "mass") + 1e-9
    assert above > n_cases / 5


def test_two_objects_of_exactly_theta_together_may_share_a_leaf() -> None:
    case = SmallCase(
        codes=((0,), (1,), (2,)),
        labels=(0, 1, 1),
        weights=(1, 2, 7),
        losses=(1, 2, 7),
        own=(4,),
        group=(-1,),
        setup=(),
        price_unit=1,
        theta=Fraction(3),
        error=Fraction(0),
        tolerance=Fraction(0),
    )
    # 0 and 1 weigh θ: only 0 and 2 are kept apart, and they pay.
    assert pair_bound(case.instance, case.goal("mass")) == pytest.approx(4 * 0.8)
    everything = replace(case, theta=Fraction(10))
    for bound in to_their_end(everything.instance, everything.goal("mass")).values():
        assert bound == 0


def least_cost_with_binary_questions(case: SmallCase, objects: Objects, bought: frozenset[int]) -> int:
    """The cheapest pure tree whose questions are "is the code in this set?", a feature paid once."""
    if case.may_be_leaf(objects, "pure"):
        return 0
    costs = []
    for t in range(len(case.own)):
        parts = case.parts(objects, t)
        paid = case.weight(objects) * (case.price(bought | {t}) - case.price(bought))
        for size in range(1, len(parts)):
            for chosen in combinations(parts, size):
                yes = frozenset[int]().union(*chosen)
                below = (
                    least_cost_with_binary_questions(case, s, bought | {t}) for s in (yes, objects - yes)
                )
                costs.append(paid + sum(below))
    return min(costs)


def test_reading_whole_features_is_as_cheap_as_any_questions_about_them() -> None:
    for case in random_cases(60, seed=24):
        if len(case.labels) <= 5:
            asked = least_cost_with_binary_questions(case, case.everything, frozenset())
            assert asked / (case.total * case.price_unit) == pytest.approx(least_expected_cost(case, "pure"))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(CLASSES), st.sampled_from([0.01, 3.0, 1000.0]))
def test_bounds_are_in_the_unit_of_the_prices(seed: int, trees: str, factor: float) -> None:
    case = random_case(np.random.default_rng(seed))
    instance, goal = case.instance, case.goal(trees)
    other_unit = replace(instance, own=factor * instance.own, setup=factor * instance.setup)
    bounds, scaled = (to_their_end(i, goal) for i in (instance, other_unit))
    for name, bound in bounds.items():
        assert scaled[name] == pytest.approx(factor * bound, rel=1e-6, abs=1e-9 * factor)


def test_one_object_costs_nothing() -> None:
    one = Instance(
        np.array([[3]]), np.array([0]), np.ones(1), np.ones(1), np.ones(1), np.array([-1]), np.zeros(0)
    )
    case = next(random_cases(1, seed=26))
    for trees in CLASSES:
        assert set(to_their_end(one, case.goal(trees)).values()) == {0.0}
