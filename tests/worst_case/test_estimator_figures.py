"""The estimator and the impurities of the library reproduce paper 001 and keep its lemmas."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.set_functions import SetFunction, hinged_pairs, pairs, polynomial, powers
from paper_tables import FIGURE_1, FIGURE_1_TESTS, REFERENCE, SYNTHETIC_FUNCTIONS, synthetic_rows

from thriftree import HingedPairs, Pairs, Polynomial, Powers, WorstCaseTreeClassifier

SYNTHETIC: dict[str, tuple[Any, float]] = {  # with δ
    "Pairs": (Pairs(), 0),
    **{f"Powers_l{l}": (Powers(l), 0) for l in (3, 4, 5)},  # noqa: E741
    "Pairs_delta255_earlystop": (Pairs(), 255),
    "hinged_alpha1": (HingedPairs(1), 0),
    "hinged_alpha_255/256": (HingedPairs(epsilon=255 / 256 / 1024), 0),
    "hinged_alpha_254/256": (HingedPairs(254 / 256), 0),
    "hinged_alpha_0.5": (HingedPairs(0.5), 0),
}


@pytest.mark.parametrize("name", SYNTHETIC_FUNCTIONS)
def test_a_fit_on_the_1024_objects_has_the_paper_s_figures(name: str) -> None:
    expected, (impurity, tolerance) = REFERENCE["synthetic1024"][name], SYNTHETIC[name]
    X, y = synthetic_rows()
    model = WorstCaseTreeClassifier(impurity=impurity, tolerance=tolerance, multiway="all").fit(X, y)
    assert model.worst_case_cost_ == expected["max_cost"]
    assert model.tree_.n_leaves == expected["leaves"]
    assert (model.predict(X) != np.array(y)).sum() == expected["errors"]
    assert model.expected_cost_ == pytest.approx(
        float(Fraction(expected["expected_cost_uniform"])), rel=1e-12
    )
    assert model.n_objects_ == 1024


FUNCTIONS: dict[str, tuple[Any, SetFunction]] = {
    "Pairs": (Pairs(), pairs),
    **{f"Powers({l})": (Powers(l), powers(l)) for l in (2, 3, 4, 5, 7)},  # noqa: E741
    **{f"HingedPairs({a})": (HingedPairs(a), hinged_pairs(Fraction(a))) for a in (0, 0.5, 2, 4.25)},
    "without offset": (HingedPairs(1.5, offset=False), hinged_pairs("3/2", offset=False)),
    "Polynomial": (
        Polynomial([(0.25, (2, 1, 0)), (3.0, (1, 1, 2)), (1.0, (0, 1, 1))]),
        polynomial([("1/4", (2, 1, 0)), (3, (1, 1, 2)), (1, (0, 1, 1))]),
    ),
}
counts = st.lists(st.integers(0, 12), min_size=3, max_size=3)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(some=counts, more=counts, label=st.integers(0, 2))
def test_every_built_in_is_the_exact_function_and_admissible(
    name: str, some: list[int], more: list[int], label: int
) -> None:
    """The numbers are small enough for floats to be exact, so nothing is allowed for rounding."""
    impurity, exact = FUNCTIONS[name]
    large = [a + b for a, b in zip(some, more, strict=True)]
    one = [int(i == label) for i in range(3)]
    sets = np.array([some, large, np.add(some, one), np.add(large, one), np.multiply(some, one)])
    small_value, large_value, small_more, large_more, pure = impurity.value(sets).tolist()
    assert [small_value, large_value] == [float(exact(some)), float(exact(large))]
    assert pure == 0
    assert 0 <= small_value <= large_value
    assert large_more - large_value >= small_more - small_value


def test_figure_1_in_the_library_s_words() -> None:
    sets = np.array([FIGURE_1, *FIGURE_1_TESTS["t1"], *FIGURE_1_TESTS["t2"]])
    assert HingedPairs(8).value(sets).tolist() == [420, 0, 0, 0, 0]
    assert HingedPairs(8, offset=False).value(sets).tolist() == [484, 44, 0, 49, 49]
    assert Pairs().value(sets).tolist() == [900, 300, 0, 225, 225]


def three_leaves_of_three_and_one() -> tuple[list[list[int]], list[int]]:
    """Column 0 makes three leaves of 3 + 1 objects; column 1 tells the objects of each apart."""
    X = [[leaf, 4 * leaf + i] for leaf in range(3) for i in range(4)]
    return X, [int(i == 3) for _ in range(3) for i in range(4)]


def test_the_estimator_reports_the_bound_that_lemma_4_3_lacks_a_factor_for() -> None:
    """k(k-1)ε, as printed, is 2/12, and the tree errs in 3/12. With the number of leaves it is 6/12."""
    example = REFERENCE["bound_checks"]["lemma_4.3_as_printed_counterexample"]
    X, y = three_leaves_of_three_and_one()
    model = WorstCaseTreeClassifier(
        impurity=HingedPairs(example["alpha"]), multiway="all", costs=[1.0, 1e6]
    ).fit(X, y)
    assert model.tree_.n_leaves == len(example["leaves"])
    assert model.training_error_ == pytest.approx(float(Fraction(example["error"])))
    assert model.training_error_ > float(Fraction(example["printed bound k(k-1)eps"]))
    assert model.training_error_ <= model.error_bound_ <= float(Fraction(example["bound with l (Lemma 4.5)"]))


def random_objects(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = np.unique(random.integers(0, 3, (random.integers(20, 90), 5)), axis=0)
    return X, (X[:, 0] * X[:, 1] + (random.random(len(X)) < 0.2)).astype(int) % 3


def test_no_hinged_tree_errs_more_than_its_bound() -> None:
    informative = erring = 0
    for seed in range(60):
        X, y = random_objects(seed)
        epsilon = Random(seed).choice([0.005, 0.02, 0.05])
        model = WorstCaseTreeClassifier(impurity=HingedPairs(epsilon=epsilon), multiway="all").fit(X, y)
        assert model.training_error_ <= model.error_bound_ + 1e-12
        k = len(set(y.tolist()))
        assert model.error_bound_ <= k * (k - 1) * epsilon * model.tree_.n_leaves + 1e-12  # Lemma 4.5
        informative += model.error_bound_ < 0.5
        erring += model.training_error_ > 0
    assert informative > 0
    assert erring > 15


def test_a_tree_that_errs_in_no_more_than_a_share_is_pure_enough_for_that_share() -> None:
    """D_{E:ε} ⊆ D_{P_εn}: every leaf of a tree of error ε has no hinged pairs for α = εn."""
    for seed in range(60):
        X, y = random_objects(seed)
        model = WorstCaseTreeClassifier(tolerance=4.0, multiway="all").fit(X, y)
        leaf = model.apply(X)
        n_wrong = round(model.training_error_ * len(y))
        by_leaf = [np.bincount(y[leaf == one], minlength=3) for one in np.unique(leaf)]
        assert HingedPairs(float(n_wrong)).value(by_leaf).tolist() == [0] * len(by_leaf)
