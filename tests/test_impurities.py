"""The impurities of worst-case trees: their values, their properties, and the check of one's own."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thriftree.impurities import HingedPairs, Pairs, Polynomial, Powers, check_admissible

BUILT_IN = [
    Pairs(),
    Powers(2),
    Powers(3),
    Powers(5),
    Polynomial([(2.0, (1, 1, 0)), (0.5, (0, 2, 3)), (0.0, (1, 0, 1))]),
    HingedPairs(0),
    HingedPairs(1.5),
    HingedPairs(2, offset=False),
]
counts_of_three = st.lists(st.integers(0, 60), min_size=3, max_size=3)


def slow_pairs(counts):
    labels = [label for label, n in enumerate(counts) for _ in range(n)]
    return sum(a != b for i, a in enumerate(labels) for b in labels[:i])


@given(counts=st.lists(st.integers(0, 8), min_size=1, max_size=4))
def test_pairs_are_the_pairs_of_different_classes(counts):
    assert Pairs().value(counts) == slow_pairs(counts)


@given(counts=st.lists(st.integers(0, 10**6), min_size=1, max_size=4), power=st.integers(2, 9))
def test_powers_are_eq_9_in_exact_integers(counts, power):
    exact = sum(counts) ** power - sum(n**power for n in counts)
    assert float(Powers(power).value(counts)) == pytest.approx(float(exact), rel=1e-13)


def test_powers_of_two_are_twice_the_pairs_even_for_millions():
    counts = np.array([[10**7, 1], [3, 4], [2 * 10**6, 10**6]])
    np.testing.assert_array_equal(Powers(2).value(counts), 2 * Pairs().value(counts))


def test_powers_beyond_all_floats_are_infinite_and_pure_sets_stay_pure():
    assert Powers(90).value([10**5, 10**5]) == np.inf
    assert Powers(90).value([10**5, 0]) == 0
    assert Polynomial([(1, (90, 90))]).value([10**5, 10**5]) == np.inf
    assert Polynomial([(1, (90, 90))]).value([10**5, 0]) == 0


@given(counts=counts_of_three, alpha=st.integers(0, 200), offset=st.booleans())
def test_hinged_pairs_are_eq_10_in_fractions(counts, alpha, offset):
    a = Fraction(alpha, 8)
    exact = Fraction(0)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        both = max(counts[i] - a, 0) * max(counts[j] - a, 0) - (a * a if offset else 0)
        exact += max(both, 0)
    assert HingedPairs(alpha / 8, offset=offset).value(counts) == float(exact)


@given(counts=counts_of_three)
def test_without_a_hinge_hinged_pairs_are_pairs(counts):
    assert HingedPairs(0).value(counts) == Pairs().value(counts)


@given(counts=counts_of_three)
def test_a_polynomial_is_the_sum_of_its_terms(counts):
    a, b, c = counts
    polynomial = Polynomial([(2.0, (1, 1, 0)), (0.5, (0, 2, 3))])
    assert polynomial.value(counts) == 2 * a * b + 0.5 * b**2 * c**3


def test_pairs_and_powers_are_polynomials():
    counts = np.array(list(product(range(6), repeat=2)))
    np.testing.assert_array_equal(Polynomial([(1, (1, 1))]).value(counts), Pairs().value(counts))
    cubes = Polynomial([(3, (2, 1)), (3, (1, 2))])
    np.testing.assert_array_equal(cubes.value(counts), Powers(3).value(counts))


@pytest.mark.parametrize("impurity", BUILT_IN, ids=repr)
def test_counts_of_many_sets_give_a_value_each(impurity):
    counts = np.random.default_rng(0).integers(0, 9, (4, 5, 3))
    values = impurity.value(counts)
    assert values.shape == (4, 5)
    assert values.dtype == np.float64
    assert values[2, 3] == impurity.value(counts[2, 3])


@pytest.mark.parametrize("impurity", BUILT_IN, ids=repr)
def test_impurities_are_values(impurity):
    assert pickle.loads(pickle.dumps(impurity)) == impurity
    assert hash(impurity) == hash(pickle.loads(pickle.dumps(impurity)))


def test_a_share_becomes_a_number_of_objects():
    assert HingedPairs(epsilon=0.25).of(80) == HingedPairs(20.0)
    assert HingedPairs(epsilon=0.25, offset=False).of(80) == HingedPairs(20.0, offset=False)
    assert HingedPairs(3).of(80) == HingedPairs(3)
    with pytest.raises(ValueError, match="epsilon is a share of objects that are not known here"):
        HingedPairs(epsilon=0.1).value([1, 2])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Powers(1), "l is 1: give an int of 2 or more"),
        (lambda: Powers(2.5), "l is 2.5"),
        (lambda: Powers(True), "l is True"),
        (lambda: HingedPairs(), "one of the two, not neither"),
        (lambda: HingedPairs(1, epsilon=0.1), "one of the two, not both"),
        (lambda: HingedPairs(-1), "alpha is -1: give a finite number >= 0"),
        (lambda: HingedPairs(float("nan")), "alpha is nan"),
        (lambda: HingedPairs(float("inf")), "alpha is inf"),
        (lambda: HingedPairs("2"), "alpha is '2'"),
        (lambda: HingedPairs(epsilon=1.5), "epsilon is 1.5: give a number from 0 to 1"),
        (lambda: HingedPairs(epsilon=-0.1), "epsilon is -0.1"),
        (lambda: HingedPairs(1, offset="no"), "offset is 'no'"),
        (lambda: Polynomial([]), r"terms is \[\]"),
        (lambda: Polynomial([(0.0, (1, 1))]), "no positive coefficient"),
        (lambda: Polynomial([(-1.0, (1, 1))]), r"the coefficient of terms\[0\] is -1.0"),
        (
            lambda: Polynomial([(1.0, (1, 1)), (float("inf"), (1, 1))]),
            r"coefficient of terms\[1\] is inf",
        ),
        (lambda: Polynomial([(1.0, (3, 0))]), r"terms\[0\] has fewer than two classes"),
        (lambda: Polynomial([(1.0, (1, 0.5))]), r"the exponents of terms\[0\] have 0.5"),
        (lambda: Polynomial([(1.0, (1, -1))]), r"the exponents of terms\[0\] have -1"),
        (
            lambda: Polynomial([(1.0, (1, 1)), (1.0, (1, 1, 0))]),
            r"terms\[1\] has 3 exponents, but",
        ),
        (lambda: Polynomial([1.0]), r"terms\[0\] is 1.0"),
        (lambda: Polynomial([(1.0, (1, 1), 4)]), r"give \(coefficient, exponents\)"),
        (lambda: Polynomial([(1.0, (1, 1))]).value([1, 2, 3]), "terms of 2 classes, but counts have 3"),
        (lambda: Pairs().value(3), "counts is 3"),
    ],
)
def test_a_bad_parameter_is_named_with_the_remedy(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("impurity", BUILT_IN, ids=repr)
def test_what_is_built_in_is_admissible(impurity):
    check_admissible(impurity.value, 3)


@pytest.mark.parametrize("n_classes", [1, 2, 10, 40])
def test_the_check_knows_any_number_of_classes(n_classes):
    check_admissible(Pairs().value, n_classes)
    check_admissible(HingedPairs(2).value, n_classes)


def entropy(counts):
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(total, 1)
    return -(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (entropy, "is not (monotone|supermodular)"),
        (lambda n: n.sum(axis=1) * entropy(n), "is not supermodular: .* more add"),
        (
            lambda n: n.sum(axis=1) - n.max(axis=1),
            r"more add 1 to \(0, 1\), but 0 to the larger \(1, 1\)",
        ),
        (lambda n: -n[:, 0] * n[:, 1], "is not non-negative: it is -"),
        (lambda n: n[:, 0] * n[:, 1] + n[:, 0], r"is not zero on a set of one class: it is 1 at \(1, 0\)"),
        (lambda n: n[:, 0] * n[:, 1] + 1, r"is not zero on a set of one class: it is 1 at \(0, 0\)"),
        (lambda n: np.minimum(n[:, 0] * n[:, 1], 9 * n[:, 1]), "is not supermodular"),
        (lambda n: np.where(n.min(axis=1) > 0, 5.0 / n.sum(axis=1).clip(1), 0), "is not monotone: it falls"),
        (lambda n: n[:, 0] * n[:, 1] * 2.0 ** np.log2(n.sum(axis=1).clip(1)) ** 2, "faster than any power"),
        (lambda n: np.where(n[:, 0] > 5, np.nan, 0), "is not a finite number: it is nan"),
        (lambda n: n, r"returned shape \(\d+, 2\)"),
        (lambda n: n[:, 0] * n[:, 1] * np.arange(len(n)), "is not the same wherever a set stands"),
    ],
)
def test_a_function_that_is_not_admissible_is_refused_with_the_sets(function, message):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        check_admissible(function, 2)


def test_a_break_far_from_the_small_sets_is_found_too():
    """Pairs up to a quarter of a million, and no more growth beyond."""
    with pytest.raises(ValueError, match="is not supermodular"):
        check_admissible(lambda n: np.minimum(n[:, 0] * n[:, 1], 250_000.0), 2)
