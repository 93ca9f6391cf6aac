"""Every figure of paper 001 that was computed anew, from the definitions in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from oracles.greedy_tree import claims, grow, object_prices
from oracles.set_functions import SetFunction, hinged_pairs, pairs, powers
from paper_tables import (
    FIGURE_1,
    FIGURE_1_FUNCTIONS,
    FIGURE_1_TESTS,
    REFERENCE,
    SYNTHETIC_FUNCTIONS,
    errors,
    synthetic,
    synthetic_problem,
)


def ratios_of_figure_1(function: SetFunction) -> dict[str, Fraction]:
    whole = function(FIGURE_1)
    return {
        test: max(1 / (whole - function(part)) for part in parts) for test, parts in FIGURE_1_TESTS.items()
    }


def smaller(ratios: dict[str, Fraction]) -> str:
    if ratios["t1"] == ratios["t2"]:
        return "tie"
    return min(ratios, key=lambda test: ratios[test])


@pytest.mark.parametrize("name", REFERENCE["figure1"])
def test_figure_1_has_these_fractions(name: str) -> None:
    expected, function = REFERENCE["figure1"][name], FIGURE_1_FUNCTIONS[name]
    assert function(FIGURE_1) == Fraction(expected["F(G)"])
    for test, parts in FIGURE_1_TESTS.items():
        assert [function(part) for part in parts] == [
            Fraction(value) for value in expected[f"F({test} outcomes)"]
        ]
    ratios = ratios_of_figure_1(function)
    assert ratios == {test: Fraction(expected[f"R({test})"]) for test in FIGURE_1_TESTS}
    assert smaller(ratios) == expected["argmin"]


def test_the_hinged_test_of_figure_1_is_no_better_than_the_even_one_at_any_alpha() -> None:
    """What the paper shows holds for the function without its offset only."""
    scan = REFERENCE["figure1_alpha_scan_eq10"]
    assert [[alpha, smaller(ratios_of_figure_1(hinged_pairs(alpha)))] for alpha, _ in scan] == scan
    assert smaller(ratios_of_figure_1(hinged_pairs(8, offset=False))) == "t1"


@pytest.mark.parametrize("name", SYNTHETIC_FUNCTIONS)
def test_the_tree_of_the_1024_objects_has_these_figures(name: str) -> None:
    expected, problem = REFERENCE["synthetic1024"][name], synthetic_problem(name)
    root = grow(problem)
    prices = object_prices(problem, root)
    assert max(prices.values()) == expected["max_cost"]
    assert sum(prices.values()) / 1024 == Fraction(expected["expected_cost_uniform"])
    assert len(root.leaves()) == expected["leaves"]
    assert errors(problem.of, root, 4) == expected["errors"]
    assert root.chosen is not None
    # The reference sums Eq. (10) over i != j here, that is each pair of classes twice.
    twice = 2 if name.startswith("hinged") else 1
    assert root.chosen.ratio == twice * Fraction(expected["root_R"])
    tests = [expected["root_test"], *expected["second_level_tests"]]
    assert [node.chosen and node.chosen.column + 1 for node in (root, *root.children)] == tests
    by_depth = [errors(problem.of, root.cut(depth), 4) for depth in range(11)]
    assert by_depth == expected["errors_by_cut_depth"]


def test_the_reference_names_no_function_that_is_not_tested() -> None:
    assert set(REFERENCE["synthetic1024"]) == set(SYNTHETIC_FUNCTIONS)
    assert set(REFERENCE["figure1"]) == set(FIGURE_1_FUNCTIONS)


def test_the_first_tests_of_the_1024_objects_have_these_ratios() -> None:
    problem = synthetic_problem("Pairs")
    competing = claims(problem, problem.of.objects, frozenset())
    found = {f"t{claim.offers[0].column + 1}": claim.ratio for claim in competing}
    assert found == {test: Fraction(ratio) for test, ratio in REFERENCE["synthetic1024_root_R_pairs"].items()}


def test_four_of_the_1024_objects_need_all_ten_tests() -> None:
    """Each differs in class from whatever differs from it in one test, so no tree is less than ten deep."""
    of = synthetic()
    number_of = {codes: i for i, codes in enumerate(of.codes)}

    def needs_all(i: int) -> bool:
        flipped = (tuple(code ^ (bit == test) for test, code in enumerate(of.codes[i])) for bit in range(10))
        return all(of.labels[number_of[codes]] != of.labels[i] for codes in flipped)

    assert {str(i): True for i in of.objects if needs_all(i)} == REFERENCE["synthetic1024_lower_bound"]


SUPERMODULAR = {
    "Pairs": pairs,
    "Powers3": powers(3),
    "Powers4": powers(4),
    "hinged_a1": hinged_pairs(1),
    "hinged_a2": hinged_pairs(2),
    "hinged_nosub_a1": hinged_pairs(1, offset=False),
}


@pytest.mark.parametrize("name", REFERENCE["supermodularity"])
def test_an_object_adds_no_less_to_a_larger_set(name: str) -> None:
    """All R ⊆ G of three classes of up to four objects, and an object of each class."""
    function = SUPERMODULAR[name]
    value = {counts: function(counts) for counts in product(range(6), repeat=3)}
    checked = violations = 0
    for large in product(range(5), repeat=3):
        for small in product(*(range(n + 1) for n in large)):
            for extra in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
                with_large = tuple(a + b for a, b in zip(large, extra, strict=True))
                with_small = tuple(a + b for a, b in zip(small, extra, strict=True))
                checked += 1
                violations += value[with_large] - value[large] < value[with_small] - value[small]
    assert {"checked": checked, "violations": violations} == REFERENCE["supermodularity"][name]


def test_the_printed_bound_of_lemma_4_3_fails_and_that_of_lemma_4_5_holds() -> None:
    """A tree of three leaves of 3 + 1 objects, α = 1: every leaf has P_α = 0."""
    example = REFERENCE["bound_checks"]["lemma_4.3_as_printed_counterexample"]
    leaves, k, n = example["leaves"], example["k"], example["n"]
    assert n == sum(map(sum, leaves))
    epsilon = Fraction(example["alpha"], n)
    assert [hinged_pairs(example["alpha"])(leaf) for leaf in leaves] == [0] * len(leaves)
    error = Fraction(sum(sum(leaf) - max(leaf) for leaf in leaves), n)
    assert error == Fraction(example["error"]) > k * (k - 1) * epsilon
    assert k * (k - 1) * epsilon == Fraction(example["printed bound k(k-1)eps"])
    assert k * (k - 1) * epsilon * len(leaves) == Fraction(example["bound with l (Lemma 4.5)"]) >= error
