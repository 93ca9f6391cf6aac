"""The per-object bound never exceeds the least price that the object can have."""

from __future__ import annotations

import numpy as np
import pytest
from small_trees import SmallCase, least_price_of, random_cases

from thriftree.certificates.covering import covering_bounds, partner_bounds

CLASSES = ("pure", "mass", "tolerance")


def least_prices(case: SmallCase, trees: str) -> np.ndarray:
    return np.array([least_price_of(case, x, trees) for x in sorted(case.everything)])


@pytest.mark.parametrize("trees", CLASSES)
def test_the_bound_over_all_sets_of_tests_is_the_least_price_itself(trees: str) -> None:
    for case in random_cases(400, seed=1):
        np.testing.assert_allclose(
            covering_bounds(case.instance, case.goal(trees)), least_prices(case, trees)
        )


@pytest.mark.parametrize("trees", CLASSES)
def test_the_bound_by_partners_is_never_above_the_least_price(trees: str) -> None:
    shares = []
    for case in random_cases(700, seed=2):
        least = least_prices(case, trees)
        for max_partners in (2, 64):
            bound = partner_bounds(
                case.instance, case.goal(trees), np.arange(len(least)), max_partners, 0 * least
            )
            assert np.all(bound <= least + 1e-9), case
        shares.extend((bound[least > 0] / least[least > 0]).tolist())
    assert np.mean(shares) > {"pure": 0.99, "mass": 0.8, "tolerance": 0.7}[trees]
