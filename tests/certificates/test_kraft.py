"""Kraft's bound with prices never exceeds the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from small_trees import least_expected_cost, random_cases

from thriftree.certificates.instance import Goal, Instance
from thriftree.certificates.kraft import kraft_bound, price_of_bits


@pytest.mark.parametrize("trees", ["pure", "mass", "tolerance", "error"])
def test_the_bound_is_never_above_the_optimum(trees: str) -> None:
    shares = []
    for case in random_cases(1000, seed=11):
        bound, best = kraft_bound(case.instance, case.goal(trees)), least_expected_cost(case, trees)
        assert 0 <= bound <= best + 1e-9, case
        if best > 0:
            shares.append(bound / best)
    print(trees, np.mean(shares))
