"""scikit-learn's own checks, on the learners of neural trees."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from thriftree.testing.checks import neural_estimators

CHECKS = parametrize_with_checks([cls() for cls in neural_estimators()])
NAMES, CASES = CHECKS.args


@pytest.mark.full
@pytest.mark.parametrize(NAMES, list(CASES), **CHECKS.kwargs)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


def test_discovery_finds_them() -> None:
    assert [cls.__name__ for cls in neural_estimators()] == ["NeuralTreeClassifier", "NeuralTreeRegressor"]
