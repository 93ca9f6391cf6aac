"""What the columns of a tree were worth."""

from __future__ import annotations

import numpy as np

from thriftree import _core
from thriftree.learning.growth import Plan, growth_weight
from thriftree.learning.targets import Floats


def importances(core: _core.Tree, plan: Plan) -> Floats:
    """Share of each column in the weighted decrease of impurity over all tests: sums to 1, or all 0 without a
    test.
    """
    mass = np.where(core.rows > 0, growth_weight(core, plan) * core.impurity, 0.0)
    decrease = mass.copy()
    np.subtract.at(decrease, core.parent[1:], mass[1:])
    tests = core.column >= 0
    total = np.bincount(core.column[tests], weights=decrease[tests], minlength=core.n_columns)
    total = np.maximum(total, 0.0)
    return np.asarray(total / total.sum() if total.any() else total, dtype=np.float64)
