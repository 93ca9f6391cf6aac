"""Choosing one tree of a frontier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thriftree import CARTClassifier, Frontier
from thriftree.tuning.frontier import FrontierPoint


def point(accuracy, expected, worst, leaves) -> FrontierPoint:
    tree = CARTClassifier().fit(np.zeros((2, 1)), [0, 1]).tree_
    return FrontierPoint(
        tree=tree,
        method="cart",
        settings={},
        accuracy=accuracy,
        auc=accuracy / 2,
        r2=None,
        expected_cost=expected,
        worst_case_cost=worst,
        leaves=leaves,
    )


FRONT = Frontier.among(
    [
        point(0.50, 0, 0, 1),
        point(0.70, 1, 1, 2),
        point(0.75, 9, 30, 5),
        point(0.76, 10, 10, 20),
        point(0.80, 25, 87.3, 6),
    ],
    "accuracy",
)


def test_without_bounds_the_best_score_is_best():
    assert FRONT.best().accuracy == 0.80


@pytest.mark.parametrize(
    ("bounds", "accuracy"),
    [
        ({"budget": 87.3}, 0.80),
        ({"budget": 87.29}, 0.76),
        ({"max_worst_case": 9}, 0.70),
        ({"budget": 100, "max_worst_case": 9}, 0.70),
        ({"max_expected": 9.5}, 0.75),
        ({"max_leaves": 5}, 0.75),
        ({"max_leaves": 5, "budget": 10}, 0.70),
        ({"budget": 0}, 0.50),
    ],
)
def test_the_best_score_within_the_bounds_is_taken(bounds, accuracy):
    assert FRONT.best(**bounds).accuracy == accuracy


@pytest.mark.parametrize(("least", "accuracy"), [(0.0, 0.50), (0.6, 0.70), (0.71, 0.75), (0.755, 0.76)])
def test_a_least_score_is_reached_as_cheaply_as_possible(least, accuracy):
    assert FRONT.best(min_accuracy=least).accuracy == accuracy
    assert FRONT.best(min_auc=least / 2).accuracy == accuracy


def test_a_price_that_rounding_puts_above_the_budget_still_fits():
    above = Frontier.among([replace(FRONT[0], worst_case_cost=86.3 + 1.0 + 1e-13)], "accuracy")
    assert above.best(budget=87.3) is above[0]


def test_where_nothing_fits_the_nearest_are_named():
    with pytest.raises(ValueError, match=r"none of the 5 trees has budget=20, min_accuracy=0.79") as caught:
        FRONT.best(budget=20, min_accuracy=0.79)
    assert "budget=87.3 would give accuracy 0.800 for 25 expected, 87.3 at worst, 6 leaves" in str(
        caught.value
    )
    assert "min_accuracy=0.76 would give accuracy 0.760" in str(caught.value)


def test_bounds_that_only_together_leave_nothing_are_said_to():
    with pytest.raises(ValueError, match="loosen several"):
        FRONT.best(budget=-1, min_accuracy=0.9, max_leaves=1)


@pytest.mark.parametrize("wrong", ["10", float("nan"), True])
def test_a_bound_must_be_a_number(wrong):
    with pytest.raises(ValueError, match=r"budget is .*: give a number"):
        FRONT.best(budget=wrong)


def test_a_score_that_was_not_measured_cannot_be_asked_for():
    with pytest.raises(ValueError, match="min_r2 asks for r2, which was not measured here"):
        FRONT.best(min_r2=0.5)
