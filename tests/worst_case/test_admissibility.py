"""The five properties of an admissible impurity (paper 001, section 3), of every function we have."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.set_functions import SetFunction, hinged_pairs, pairs, polynomial, powers

N_CLASSES = 3
POLYNOMIAL = [("1/3", (2, 1, 0)), (2, (1, 1, 1)), (5, (0, 1, 3)), (1, (1, 0, 1))]
FUNCTIONS: dict[str, SetFunction] = {
    "pairs": pairs,
    **{f"powers({l})": powers(l) for l in (2, 3, 4, 5, 11)},  # noqa: E741
    **{f"hinged({a})": hinged_pairs(a) for a in ("0", "1/2", "2", "17/4")},
    "hinged without offset": hinged_pairs("3/2", offset=False),
    "polynomial": polynomial(POLYNOMIAL),
}
DEGREE = 11  # no function here grows faster than this power of the objects

counts = st.lists(st.integers(0, 12), min_size=N_CLASSES, max_size=N_CLASSES)
classes = st.integers(0, N_CLASSES - 1)


def joined(a: list[int], b: list[int]) -> list[int]:
    return [x + y for x, y in zip(a, b, strict=True)]


def with_one(a: list[int], label: int) -> list[int]:
    return [n + (label == i) for i, n in enumerate(a)]


@pytest.mark.parametrize("name", FUNCTIONS)
@given(some=counts, more=counts, label=classes)
def test_it_is_non_negative_monotone_and_supermodular(
    name: str, some: list[int], more: list[int], label: int
) -> None:
    function, large = FUNCTIONS[name], joined(some, more)
    assert function(some) >= 0
    assert function(large) >= function(some)
    assert function(with_one(large, label)) - function(large) >= function(with_one(some, label)) - function(
        some
    )


@pytest.mark.parametrize("name", FUNCTIONS)
@given(n=st.integers(0, 10**6), label=classes)
def test_it_is_zero_on_objects_of_one_class(name: str, n: int, label: int) -> None:
    assert FUNCTIONS[name]([n if i == label else 0 for i in range(N_CLASSES)]) == 0


@pytest.mark.parametrize("name", FUNCTIONS)
@given(some=counts)
def test_it_grows_no_faster_than_a_power_of_the_objects(name: str, some: list[int]) -> None:
    n = sum(some)
    value = FUNCTIONS[name](some)
    assert value <= 10 * Fraction(n) ** DEGREE
    assert value == 0 or math.log(value) <= (DEGREE + 4) * math.log(n)


@given(some=counts)
def test_the_functions_are_each_other_s_special_cases(some: list[int]) -> None:
    assert powers(2)(some) == 2 * pairs(some)
    assert hinged_pairs(0)(some) == hinged_pairs(0, offset=False)(some) == pairs(some)
    as_terms = [(1, (1, 1, 0)), (1, (1, 0, 1)), (1, (0, 1, 1))]
    assert polynomial(as_terms)(some) == pairs(some)


@given(some=counts, alpha=st.fractions(0, 20), more=st.fractions(0, 5))
def test_a_larger_hinge_forgives_more(some: list[int], alpha: Fraction, more: Fraction) -> None:
    assert hinged_pairs(alpha + more)(some) <= hinged_pairs(alpha)(some)
    assert hinged_pairs(alpha)(some) <= hinged_pairs(alpha, offset=False)(some)
