"""scikit-learn's own checks, on every estimator that discovery finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from thriftree.testing.checks import all_estimators, estimators_with


def expected_failures(estimator: Any) -> dict[str, str]:
    """Each check that cannot pass, with its reason."""
    reasons = {}
    parameters = estimator.get_params()
    # CHAID stops by itself, PUBLIC prunes while it builds.
    stops = not parameters.keys().isdisjoint({"repeats", "alpha_split", "bound"})
    if "class_weight" in parameters and not parameters.get("pruning") and not stops:
        reasons["check_class_weight_classifiers"] = (
            "it keeps leaves large by a parameter called min_weight_fraction_leaf; "
            "repeated below with min_leaf"
        )
    if parameters.get("min_leaf", 1) != 1:
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


@pytest.mark.parametrize("cls", estimators_with("class_weight"))
@pytest.mark.parametrize("n_centers", [2, 3])
def test_a_class_of_large_weight_is_what_a_small_tree_predicts(cls: Any, n_centers: int) -> None:
    X, y = make_blobs(centers=n_centers, random_state=0, cluster_std=20)
    weights = {0: 1000, 1: 0.0001} if n_centers == 2 else {0: 1000, 1: 0.0001, 2: 0.0001}
    model = cls(class_weight=weights, min_leaf=0.01).fit(X[::2], y[::2])
    assert np.mean(model.predict(X[1::2]) == 0) > 0.87


@pytest.mark.parametrize("cls", [cls for cls in estimators_with("min_leaf") if cls().min_leaf != 1])
def test_a_weight_is_a_repetition_when_leaves_may_hold_one_row(cls: Any) -> None:
    from sklearn.utils.estimator_checks import (
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    )

    check_sample_weight_equivalence_on_dense_data(cls.__name__, cls(min_leaf=1))
    check_sample_weight_equivalence_on_sparse_data(cls.__name__, cls(min_leaf=1))
