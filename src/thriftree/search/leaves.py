"""What the leaf of an object may hold besides it, by the goal's class of trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.instance import Floats, Goal, Instance

_NUMBERS = 1 << 17  # of a table, pair of classes by class
_BYTES = 64  # for each of them at most, in the arrays that are alive at a time
ROUNDING = 1e-10  # sums of weights differ in their last digits: comparisons give way by this much


def heaviest_mixed_leaf(goal: Goal) -> float:
    """The weight that a leaf of several classes may have, with room for rounding. 0: leaves are pure."""
    return goal.theta * (1 + ROUNDING) + ROUNDING if goal.trees == "mass" and goal.theta > 0 else 0.0


def largest_value(goal: Goal) -> float:
    """The largest F of a leaf, with room for rounding."""
    return goal.tolerance + ROUNDING * max(1.0, abs(goal.tolerance))


def largest_loss(goal: Goal) -> float:
    """What the objects that are not predicted as their label says may lose, with room for rounding."""
    return goal.error * (1 + ROUNDING) + ROUNDING


def values(goal: Goal, counts: Floats) -> Floats:
    """The goal's F of each row of counts[sets, classes]."""
    if goal.function is None:
        raise ValueError(
            "the class of trees 'tolerance' needs the function F: Goal('tolerance', function=...)"
        )
    found = np.asarray(goal.function(counts), dtype=np.float64)
    if found.shape != (len(counts),):
        raise ValueError(
            f"the impurity returned shape {found.shape} for {len(counts)} sets: it must take "
            "counts[n_sets, n_classes] and return values[n_sets]"
        )
    return found


def company_bytes(instance: Instance) -> int:
    """What `company`, and what is made of it, takes."""
    return 24 * instance.n_classes**2


def company(instance: Instance, goal: Goal, allowance: Allowance) -> Floats:
    """By class i and class j: the most objects of class j that can be in one leaf with an object of class i;
    for "mass" in a leaf heavier than θ. Infinite on the diagonal.

    F is monotone, so more objects of class j, or of others, never lower it.
    """
    k = instance.n_classes
    limit = np.where(np.eye(k, dtype=np.bool_), np.inf, 0.0)
    if goal.trees != "tolerance":
        return limit
    i, j = np.nonzero(np.isfinite(limit))
    many = np.bincount(instance.labels, minlength=k)
    at_once = allowance.at_once(_BYTES * k, _NUMBERS // k)
    with allowance.holding(_BYTES * k * min(at_once, len(i))):
        for first in range(0, len(i), at_once):
            pairs = slice(first, first + at_once)
            limit[i[pairs], j[pairs]] = _most_beside(goal, i[pairs], j[pairs], many, allowance)
    return limit


def _most_beside(
    goal: Goal, i: NDArray[np.intp], j: NDArray[np.intp], many: NDArray[np.intp], allowance: Allowance
) -> NDArray[np.int64]:
    """By pair of classes: how many objects of j, of so `many`, may be in a leaf with one of i."""
    fits = np.zeros(len(i), dtype=np.int64)  # so many objects of j fit
    fails = many[j] + 1  # so many do not, or there are fewer
    rows = np.arange(len(i))
    while np.any(fails - fits > 1):
        allowance.look()
        middle = (fits + fails) // 2
        counts = np.zeros((len(i), len(many)))
        counts[rows, i] = 1
        counts[rows, j] = middle
        may = values(goal, counts) <= largest_value(goal)
        fits = np.where(may, middle, fits)
        fails = np.where(may, fails, np.maximum(middle, fits + 1))
    return fits
