"""The per-object bound never exceeds the least price that the object can have."""

from __future__ import annotations

import numpy as np
import pytest
from small_trees import SmallCase, least_price_of, random_cases

from thriftree.certificates import covering
from thriftree.certificates.covering import covering_bounds

CLASSES = ("pure", "mass", "tolerance")


def least_prices(case: SmallCase, trees: str) -> np.ndarray:
    return np.array([least_price_of(case, x, trees) for x in sorted(case.everything)])


@pytest.fixture
def many_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds small instances as if their tests were too many to look at every set of them."""
    monkeypatch.setattr(covering, "few_enough", lambda instance, goal: False)


@pytest.mark.parametrize("trees", CLASSES)
def test_with_few_tests_the_bound_is_the_least_price_itself(trees: str) -> None:
    for case in random_cases(400, seed=1):
        np.testing.assert_allclose(
            covering_bounds(case.instance, case.goal(trees)), least_prices(case, trees)
        )


@pytest.mark.parametrize("trees", CLASSES)
@pytest.mark.usefixtures("many_tests")
def test_with_many_tests_the_bound_is_never_above_the_least_price(trees: str) -> None:
    shares = []
    for case in random_cases(700, seed=2):
        least = least_prices(case, trees)
        for max_partners in (2, 64):
            bound = covering_bounds(case.instance, case.goal(trees), max_partners=max_partners)
            assert np.all(bound <= least + 1e-9), case
        shares.extend((bound[least > 0] / least[least > 0]).tolist())
    assert np.mean(shares) > {"pure": 0.99, "mass": 0.8, "tolerance": 0.7}[trees]
