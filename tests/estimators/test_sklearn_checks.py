"""scikit-learn's own checks, on every estimator that discovery finds."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thriftree.testing.checks import all_estimators, estimators_with


def expected_failures(estimator: Any) -> dict[str, str]:
    """Each check that cannot pass, with its reason."""
    reasons = {}
    if estimator.get_params().get("min_leaf", 1) != 1:
        for data in ("dense", "sparse"):
            reasons[f"check_sample_weight_equivalence_on_{data}_data"] = (
                "min_leaf counts rows: a repeated row counts twice, a row of weight 2 once; "
                "repeated below with min_leaf=1"
            )
    return reasons


CHECKS = parametrize_with_checks(
    [cls() for cls in all_estimators()], expected_failed_checks=expected_failures
)
NAMES, CASES = CHECKS.args


@pytest.mark.parametrize(NAMES, list(CASES), **CHECKS.kwargs)  # older releases give a generator, not a list
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("cls", [cls for cls in estimators_with("min_leaf") if cls().min_leaf != 1])
def test_a_weight_is_a_repetition_when_leaves_may_hold_one_row(cls: Any) -> None:
    from sklearn.utils.estimator_checks import (
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    )

    check_sample_weight_equivalence_on_dense_data(cls.__name__, cls(min_leaf=1))
    check_sample_weight_equivalence_on_sparse_data(cls.__name__, cls(min_leaf=1))
