"""What the columns of a tree were worth."""

from __future__ import annotations

from thriftree import _core
from thriftree.learning.growth import Plan, growth_weight
from thriftree.learning.targets import Floats


def importances(core: _core.Tree, plan: Plan) -> Floats:
    """Share of each column in the weighted decrease of impurity over all tests: sums to 1, or all 0 without a
    test.
    """
    total = _core.column_decreases(core, growth_weight(core, plan) * core.impurity)
    whole = total.sum()
    return total / whole if whole > 0 else total
