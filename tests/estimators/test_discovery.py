"""Every public estimator is found, and passes every check of ours."""

from __future__ import annotations

from typing import Any

import pytest
from thoroughness import tries

import thriftree
from thriftree.testing.checks import EXPECTED_FAILURES, N_TABLES, all_checks, all_estimators, expected_failure


def test_discovery_finds_the_classic_trees() -> None:
    names = {cls.__name__ for cls in all_estimators()}
    assert names >= {"CARTClassifier", "CARTRegressor", "ID3Classifier", "C45Classifier"}


def test_every_public_name_has_a_home_and_a_docstring() -> None:
    assert sorted(thriftree.__all__) == sorted(thriftree._HOME)
    for name in thriftree.__all__:
        assert getattr(thriftree, name).__doc__, name


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_every_estimator_passes(cls: Any, check: Any) -> None:
    n_tables = tries(N_TABLES, 2)
    reason = expected_failure(cls, check)
    if reason is None:
        check(cls, n_tables)
        return
    with pytest.raises((AssertionError, TypeError)):
        check(cls, n_tables)


def test_expected_failures_name_estimators_and_checks_that_exist() -> None:
    names = {check.__name__ for check in all_checks()}
    assert set(EXPECTED_FAILURES) <= {cls.__name__ for cls in all_estimators()}
    assert all(set(reasons) <= names for reasons in EXPECTED_FAILURES.values())
