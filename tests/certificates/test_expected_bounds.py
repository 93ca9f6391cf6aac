"""No lower bound on the expected cost ever exceeds the brute-forced optimum."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from small_trees import least_expected_cost, random_cases

from thriftree.certificates.expected import expected_bounds


@pytest.mark.parametrize("trees", ["pure", "mass", "tolerance", "error"])
def test_no_bound_is_ever_above_the_optimum(trees: str) -> None:
    shares: dict[str, list[float]] = {}
    for case in random_cases(1000, seed=21):
        best = least_expected_cost(case, trees)
        for name, bound in expected_bounds(case.instance, case.goal(trees), math.inf).items():
            assert 0 <= bound <= best + 1e-9, (name, bound, best, case)
            if best > 0:
                shares.setdefault(name, []).append(bound / best)
    print(trees, {k: round(float(np.mean(v)), 3) for k, v in shares.items()})
