"""Kraft's bound with prices never exceeds the optimum."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from small_trees import least_expected_cost, random_cases
from thoroughness import tries
from to_the_end import highest

from thriftree.search.allowance import UNLIMITED
from thriftree.search.instance import Goal, Instance
from thriftree.search.kraft import bits_of_tests, kraft_bound, price_of_bits


def cube(own: list[float], labels: list[int]) -> Instance:
    """All rows of two-valued tests, equally heavy."""
    codes = np.array(list(product((0, 1), repeat=len(own))))
    p = np.full(len(codes), 1 / len(codes))
    prices = np.array(own, dtype=np.float64)
    return Instance(codes, np.array(labels), p, p, prices, np.full(len(own), -1), np.zeros(0))


@pytest.mark.parametrize("trees", ["pure", "mass", "tolerance", "error"])
def test_the_bound_is_never_above_the_optimum(trees: str) -> None:
    shares = []
    for case in random_cases(tries(600, 200), seed=11):
        bound, best = (
            highest(kraft_bound(case.instance, case.goal(trees), UNLIMITED)),
            least_expected_cost(case, trees),
        )
        assert 0 <= bound <= best + 1e-9, case
        if best > 0:
            shares.append(bound / best)
    assert np.mean(shares) > {"pure": 0.6, "mass": 0.45, "tolerance": 0.25, "error": 0.4}[trees]


def test_telling_all_objects_of_a_cube_apart_takes_all_tests() -> None:
    assert highest(kraft_bound(cube([1, 2, 4], list(range(8))), Goal("pure"), UNLIMITED)) == pytest.approx(7)


def test_a_free_test_tells_its_bits_for_nothing() -> None:
    assert highest(kraft_bound(cube([0, 2, 4], list(range(8))), Goal("pure"), UNLIMITED)) == pytest.approx(6)


def test_objects_of_one_class_that_cannot_share_a_leaf_count_by_themselves() -> None:
    # Parity: no leaf holds two objects, although the classes have one bit only.
    parity = [sum(row) % 2 for row in product((0, 1), repeat=3)]
    assert highest(kraft_bound(cube([1, 1, 1], parity), Goal("pure"), UNLIMITED)) == pytest.approx(3)


def test_objects_of_one_class_need_no_test() -> None:
    assert highest(kraft_bound(cube([1, 1, 1], [0] * 8), Goal("pure"), UNLIMITED)) == 0


def test_a_leaf_of_mass_theta_tells_only_what_is_left() -> None:
    instance = cube([1, 1, 1], list(range(8)))
    assert highest(kraft_bound(instance, Goal("mass", theta=0.25), UNLIMITED)) == pytest.approx(2)
    assert highest(kraft_bound(instance, Goal("mass", theta=1.0), UNLIMITED)) == 0


def test_a_set_up_is_shared_by_the_tests_of_its_group() -> None:
    instance = replace(cube([1, 1, 1], list(range(8))), group=np.array([0, 0, -1]), setup=np.array([6.0]))
    assert highest(kraft_bound(instance, Goal("pure"), UNLIMITED)) == pytest.approx(9)
    assert price_of_bits(instance, bits_of_tests(instance, UNLIMITED), 2.0) == pytest.approx(1 + 4)
