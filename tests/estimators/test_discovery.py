"""Every public estimator is found, and passes every check of ours."""

from __future__ import annotations

from typing import Any

import pytest

import thriftree
from thriftree.testing.checks import all_checks, all_estimators


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
    check(cls)
