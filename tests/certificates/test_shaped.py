"""Certificates against trees of a limited depth are tight wherever the exact search ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thoroughness import tries

from thriftree import CARTClassifier, ID3Classifier, OptimalTreeClassifier, TestCosts, certify, near_optimal
from thriftree.testing.makers import SmallTable, small_table


def made(seed: int) -> tuple[SmallTable, TestCosts]:
    rows = small_table(seed, n_rows=16, n_values=4, weighted=bool(seed & 1), missing=bool(seed & 2))
    rng = np.random.default_rng(seed)
    prices = {j: float(rng.integers(1, 9)) for j in range(rows.X.shape[1])}
    return rows, TestCosts(prices, groups={"both": {"setup": 3.0, "members": [0, 2]}} if seed % 3 else {})


def every_tree(rows: SmallTable, costs: TestCosts) -> Any:
    """All trees of two levels over all thresholds; `near_optimal` is compared with lists elsewhere."""
    return near_optimal(
        rows.X, rows.y, slack=1.0, max_depth=2, leaf_penalty=0.0, costs=costs,
        sample_weight=rows.sample_weight, categorical_features=list(rows.categorical), thresholds="all",
    )  # fmt: skip


@pytest.mark.parametrize("objective", ["expected", "worst_case"])
@pytest.mark.parametrize("seed", range(tries(40, 6)))
def test_the_bound_is_the_price_of_the_cheapest_tree_that_errs_no_more(seed: int, objective: Any) -> None:
    rows, costs = made(seed)
    given: dict[str, Any] = {"categorical_features": list(rows.categorical)}
    model = CARTClassifier(max_depth=2, costs=costs, **given).fit(
        rows.X, rows.y, sample_weight=rows.sample_weight
    )
    found = certify(
        model.tree_, rows.X, rows.y, sample_weight=rows.sample_weight, objective=objective, trees="error",
        max_depth=2, **given,
    )  # fmt: skip
    wrong = np.average(model.predict(rows.X) != rows.y, weights=rows.sample_weight)
    prices = [
        tree.expected_cost(rows.X, rows.sample_weight) if objective == "expected" else tree.worst_case_cost()
        for tree in every_tree(rows, costs)
        if np.average(tree.predict(rows.X) != rows.y, weights=rows.sample_weight) <= wrong + 1e-9
    ]
    assert found.lower_bound == pytest.approx(min(prices))
    assert found.exact or found.ratio == 1
    assert "optimal tree search" in (found.bound, *found.bounds) or found.ratio == 1
    assert str(found).splitlines()[1].startswith("Every tree of at most 2 two-way tests on a path, that errs")


def test_a_proven_corner_of_the_frontier_is_certified_as_the_cheapest() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(200, 5)).astype(float)
    y = ((X[:, 0] > 2) ^ (X[:, 1] > 3) ^ (rng.random(200) < 0.1)).astype(int)
    costs = TestCosts({j: float(p) for j, p in enumerate((5, 4, 1, 2, 3))})
    model = OptimalTreeClassifier(max_depth=2, leaf_penalty=0.0, costs=costs, price_weight=0.01).fit(X, y)
    found = certify(model, X, y, objective="expected", trees="error", max_depth=2)
    assert found.ratio == 1
    assert found.bound == "optimal tree search"
    assert "the search of optimal trees" in str(found)
    # Deeper trees may be cheaper at this error: without a limit of depth the bound is lower.
    assert certify(model, X, y, objective="expected", trees="error").lower_bound < found.lower_bound


def test_a_tree_of_another_shape_is_refused() -> None:
    rows, costs = made(1)
    deep = CARTClassifier(costs=costs).fit(rows.X, rows.y)
    with pytest.raises(ValueError, match=r"max_depth is 1: give at least max_depth=\d, or a tree of"):
        certify(deep, rows.X, rows.y, max_depth=1)
    X = np.array([["a"], ["b"], ["c"]], dtype=object)
    many = ID3Classifier().fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="two-way tests"):
        certify(many, X, [0, 1, 2], max_depth=1)
