"""What careless callers give to `certify`: refused with a reason, or certified as if it were sound."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from thriftree import (
    CARTClassifier,
    Pairs,
    Polynomial,
    Powers,
    TestCosts,
    WorstCaseTreeClassifier,
    certify,
)

XOR, XOR_LABELS = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]


def random_rows(seed: int, n: int = 40, n_classes: int = 2):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, 4)), rng.integers(0, n_classes, n)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"time_limit_s": wrong}, "time_limit_s is .*: give") for wrong in (-1, np.nan, "long")),
        ({"memory_limit_mb": -1}, "memory_limit_mb is -1: give a number of megabytes"),
        *(({"tolerance": wrong, "impurity": Pairs()}, "tolerance is .*: give") for wrong in (None, "a", [1])),
        ({"min_mass": "a"}, "min_mass is 'a': give"),
        ({"impurity": "pairs"}, r"impurity is 'pairs': give one such as Pairs\(\)"),
        ({"impurity": Pairs}, "impurity is <class"),
        ({"impurity": lambda counts: counts}, r"returned shape \(1, 2\) for 1 sets"),
    ],
)
def test_parameters_of_another_kind_are_refused_by_name(parameters: dict, message: str) -> None:
    stump = CARTClassifier(max_depth=0).fit(XOR, XOR_LABELS)
    with pytest.raises(ValueError, match=message):
        certify(stump, XOR, XOR_LABELS, **parameters)


def test_an_impurity_whose_bound_passes_the_tree_s_own_price_is_refused(no_search: None) -> None:
    def errors(counts):  # not supermodular
        return counts.sum(axis=1) - counts.max(axis=1)

    refused = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (14, 4)), rng.integers(0, 3, 14)
        model = WorstCaseTreeClassifier(multiway="all").fit(X, y)
        try:
            certify(model, X, y, impurity=errors, trees="tolerance")
        except ValueError as refusal:
            refused += "no such tree costs less than" in str(refusal)
    assert refused


@pytest.mark.parametrize("impurity", [Powers(1000), Polynomial([(1.0, (400, 400))])])
@pytest.mark.parametrize("trees", ["auto", "tolerance"])
def test_an_impurity_beyond_floats_says_nothing_but_spoils_nothing(
    impurity, trees: str, no_search: None
) -> None:
    X, y = random_rows(0)
    model = WorstCaseTreeClassifier(impurity=impurity).fit(X, y)
    made = certify(model, X, y, trees=trees)
    assert made.factor is None
    assert made.lower_bound == pytest.approx(certify(model.tree_, X, y).lower_bound)


def errors(cell: np.ndarray, y: np.ndarray, leaves: list[list[int]]) -> int:
    found = [y[np.isin(cell, leaf)] for leaf in leaves]
    return sum(len(labels) - int(np.bincount(labels).max()) for labels in found)


def test_a_bound_is_only_called_exact_if_a_tree_reaches_it() -> None:
    """Objects of several of three classes lose more by one wrong label than by another."""
    cells = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    partitions = {0: [[[0, 1, 2, 3]]], 1: [[[0, 1], [2, 3]], [[0, 2], [1, 3]]], 2: [[[0], [1], [2], [3]]]}
    n_exact = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        cell = np.repeat(np.arange(4), rng.integers(4, 9, 4))
        y = rng.integers(0, 3, len(cell))
        model = CARTClassifier().fit(cells[cell], y)
        wrong = int((model.predict(cells[cell]) != y).sum())
        fitting = [
            price
            for price, trees in partitions.items()
            if min(errors(cell, y, leaves) for leaves in trees) <= wrong
        ]
        made = certify(model, cells[cell], y, trees="error")
        assert made.lower_bound <= min(fitting)
        assert not made.exact or made.lower_bound == min(fitting)
        n_exact += made.exact
    assert n_exact > 0


@pytest.mark.parametrize("objective", ["worst_case", "expected"])
def test_a_bound_by_the_cheapest_outcomes_is_not_called_exact(objective: str) -> None:
    """Exclusive or needs both tests: 7 at worst and 5 on average, where the bound counts 1 and 2."""
    X, y = pd.DataFrame({"a": ["u", "v"] * 6, "b": ["s", "s", "t", "t"] * 3}), [0, 1, 1, 0] * 3
    model = CARTClassifier(costs=TestCosts({"a": {"u": 1, "v": 5}, "b": 2})).fit(X, y)
    made = certify(model, X, y, objective=objective)
    assert (made.lower_bound, made.reached) == (3, {"worst_case": 7, "expected": 5}[objective])
    assert not made.exact
    assert "cannot be raised" not in str(made)
    within = certify(model, X, y, objective="expected", max_depth=2)  # that search counts each outcome
    assert (within.lower_bound, within.exact) == (5, True)
    plain = certify(model, X, y, {"a": 1, "b": 2}, objective=objective)
    assert (plain.lower_bound, plain.exact) == (3, True)


def test_only_ratios_of_weights_matter(no_search: None) -> None:
    X, y = random_rows(1)
    weight = np.random.default_rng(2).integers(1, 5, len(y)).astype(float)
    model = CARTClassifier(max_depth=2).fit(X, y, sample_weight=weight)
    for objective in ("worst_case", "expected"):
        plain, huge = (
            certify(model, X, y, sample_weight=scale * weight, objective=objective)
            for scale in (1.0, 2.0**1020)
        )
        assert huge.bounds == plain.bounds
