"""The submodular functions and the closed form of paper 000, in exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.closed_form import efficiency_from_sums, efficiency_with_groups
from oracles.ngi import (
    Cell,
    Instance,
    balance,
    cell_of,
    discrimination,
    divided,
    efficiency,
    f_either,
    f_mass,
    f_mass_truncated,
    f_pairs,
    impure_pairs,
    indistinguishable,
    instance,
    is_leaf,
    mass,
)
from oracles.ngi_makers import below, has_impure_groups, random_instance
from thoroughness import tries

FUNCTIONS = [f_mass, f_mass_truncated, f_pairs, f_either]


def nodes_and_tests(of: Instance, rng: Random) -> Iterator[tuple[Cell, int]]:
    """The nodes of a random path, with every test that divides them."""
    cell, unused = of.objects, list(of.tests)
    while True:
        useful = [d for d in unused if len(divided(of, cell, d)) > 1]
        yield from ((cell, d) for d in useful)
        if not useful:
            return
        chosen = useful[below(rng, len(useful))]
        unused.remove(chosen)
        parts = divided(of, cell, chosen)
        cell = parts[below(rng, len(parts))]


def is_pure_or_light(of: Instance, i: int) -> bool:
    """Whether the closed form from sums serves object i: its group is one class, or covers it by mass."""
    group = indistinguishable(of, i)
    return impure_pairs(of, group) == 0 or mass(of, group) <= max(of.p[i], of.theta)


@pytest.mark.parametrize("zero_probabilities", [False, True])
@pytest.mark.parametrize("realisable", [False, True])
def test_the_closed_form_is_the_definition(realisable: bool, zero_probabilities: bool) -> None:
    heavy = groups = from_sums = 0
    n_instances = tries(1500, 400)
    for seed in range(n_instances):
        rng = Random(seed)
        of = random_instance(rng, max_objects=9, realisable=realisable, zero_probabilities=zero_probabilities)
        heavy += max(of.p) > of.theta
        groups += has_impure_groups(of)
        serves = all(is_pure_or_light(of, i) for i in of.objects)
        from_sums += serves
        for cell, test in nodes_and_tests(of, rng):
            parts = divided(of, cell, test)
            defined = efficiency(of, cell, parts)
            assert efficiency_with_groups(of, cell, parts) == defined
            if serves:
                assert efficiency_from_sums(of, cell, parts) == defined
    assert heavy > n_instances / 3
    assert from_sums == n_instances if realisable else n_instances / 5 < from_sums < n_instances
    assert groups == 0 if realisable else groups > n_instances / 3


def test_sums_alone_do_not_serve_impure_groups() -> None:
    """Two twins of different classes: what they share can never be removed, so the rest counts more."""
    of = instance([[0], [0], [1]], [0, 1, 1], [1, 1, 1], [1])
    parts = divided(of, of.objects, 0)
    assert efficiency(of, of.objects, parts) == 1  # one test does all that can be done
    assert efficiency_from_sums(of, of.objects, parts) < 1


def test_an_object_that_is_covered_adds_nothing() -> None:
    """p(S) <= θ, one class only, or all the mass on one object: there is nothing left to do."""
    codes, labels = [[0, 0], [0, 1], [1, 0]], [0, 1, 1]
    for weights, theta in (([1, 1, 1], 1), ([1, 0, 0], 0)):
        of = instance(codes, labels, weights, [1, 1], theta)
        assert efficiency(of, of.objects, divided(of, of.objects, 0)) == 0
    of = instance(codes, [1, 1, 1], [1, 2, 3], [1, 1])
    assert efficiency(of, of.objects, divided(of, of.objects, 0)) == 0


def test_weights_count_by_their_share_of_the_total() -> None:
    codes, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    once = instance(codes, labels, [1, 2, 3, 4], [1, 1], "1/4")
    scaled = instance(codes, labels, [Fraction(w, 7) for w in (1, 2, 3, 4)], [1, 1], "1/4")
    parts = divided(once, once.objects, 1)
    assert efficiency(once, once.objects, parts) == efficiency(scaled, scaled.objects, parts)


def test_of_equally_large_outcomes_the_heavier_is_the_largest() -> None:
    of = instance([[0], [0], [1], [1]], [0, 1, 0, 1], [1, 2, 3, 4], [1])
    assert balance(of, of.objects, divided(of, of.objects, 0)) == Fraction(3, 10)
    more_but_lighter = instance([[0], [0], [1]], [0, 1, 0], [1, 1, 8], [1])
    parts = divided(more_but_lighter, more_but_lighter.objects, 0)
    assert balance(more_but_lighter, more_but_lighter.objects, parts) == Fraction(8, 10)


instances = st.builds(
    random_instance,
    st.integers(0, 2**32).map(Random),
    realisable=st.booleans(),
    zero_probabilities=st.booleans(),
)


@st.composite
def growing_test_sets(draw: st.DrawFn) -> tuple[Instance, int, frozenset[int], frozenset[int], int]:
    """An instance, an object, a set of tests within a larger one, and one more test."""
    of = draw(instances)
    large = draw(st.frozensets(st.sampled_from(of.tests)))
    small = draw(st.frozensets(st.sampled_from(sorted(large)))) if large else large
    return of, draw(st.sampled_from(sorted(of.objects))), small, large, draw(st.sampled_from(of.tests))


@pytest.mark.parametrize("f", FUNCTIONS)
@settings(deadline=None, max_examples=tries(400, 120))
@given(growing_test_sets())
def test_the_functions_are_monotone_and_submodular(
    f: Callable[[Instance, int, Cell], Fraction],
    case: tuple[Instance, int, frozenset[int], frozenset[int], int],
) -> None:
    of, i, small, large, test = case

    def value(tests: frozenset[int]) -> Fraction:
        return f(of, i, cell_of(of, i, tests))

    assert 0 <= value(small) <= value(large) <= 1
    extra = frozenset([test])
    assert value(small | extra) - value(small) >= value(large | extra) - value(large)


@settings(deadline=None, max_examples=tries(300, 100))
@given(instances, st.randoms(use_true_random=False))
def test_no_term_is_negative(of: Instance, rng: Random) -> None:
    for cell, test in nodes_and_tests(of, rng):
        parts = divided(of, cell, test)
        assert discrimination(of, cell, parts, "gini") >= 0
        assert discrimination(of, cell, parts, "entropy") >= -1e-15
        assert balance(of, cell, parts) >= 0
        assert 0 <= efficiency(of, cell, parts) <= mass(of, cell)


@settings(deadline=None, max_examples=tries(300, 100))
@given(st.builds(random_instance, st.integers(0, 2**32).map(Random)), st.randoms(use_true_random=False))
def test_every_division_of_an_open_node_of_told_apart_objects_makes_progress(
    of: Instance, rng: Random
) -> None:
    """So a test with numerator 0 can only be one that divides nothing."""
    for cell, test in nodes_and_tests(of, rng):
        if not is_leaf(of, cell):
            parts = divided(of, cell, test)
            assert balance(of, cell, parts) > 0
            assert efficiency(of, cell, parts) > 0
            assert impure_pairs(of, cell) > sum(impure_pairs(of, part) for part in parts)


@settings(deadline=None, max_examples=tries(200, 80))
@given(st.builds(random_instance, st.integers(0, 2**32).map(Random)))
def test_all_tests_together_cover_every_object_that_can_be_told_apart(of: Instance) -> None:
    for i in of.objects:
        assert f_either(of, i, of.objects) == 0 or max(of.p[i], of.theta) == 1 or is_leaf(of, of.objects)
        assert f_either(of, i, indistinguishable(of, i)) == 1
