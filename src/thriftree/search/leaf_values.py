"""How large an impurity can be in a leaf of the goal's trees, so that the trees are those of a tolerance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from thriftree.impurities import HingedPairs, Powers
from thriftree.search.allowance import Allowance
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.leaves import (
    ROUNDING,
    heaviest_mixed_leaf,
    largest_loss,
    largest_value,
    values,
)

# Small powers count pairs, large ones only how far tests divide the objects: each is best somewhere.
_NUMBERS = 1 << 14  # of a table, leaf by class
_POWERS = (2, 3, 4, 6)


@dataclass(frozen=True, eq=False)
class LeafValue:
    """A supermodular, monotone F, and the largest value it has in a leaf of the goal's trees."""

    name: str
    function: Callable[[Floats], Floats]
    largest: float


def leaf_values(instance: Instance, goal: Goal, allowance: Allowance) -> list[LeafValue]:
    """What can be said of the leaves of the goal's trees on the objects of `instance`."""
    if goal.trees == "tolerance":
        return [LeafValue("the impurity", lambda counts: values(goal, counts), largest_value(goal))]
    powers = [Powers(power) for power in _POWERS]
    largest = [0.0] * len(powers)
    for leaves in _fullest_leaves(instance, goal):
        allowance.look()
        here = [float(power.value(leaves).max()) for power in powers]
        largest = [max(both) for both in zip(largest, here, strict=True)]
    found = [
        LeafValue(f"powers {power.l}", power.value, high) for high, power in zip(largest, powers, strict=True)
    ]
    if goal.trees == "error":
        # Paper 001, Lemma 4.5: where all classes but one have at most alpha objects, hinged pairs are 0.
        hinged = HingedPairs(float(most_objects(instance.loss, largest_loss(goal))))
        found.append(LeafValue("hinged pairs", hinged.value, 0.0))
    return found


def most_objects(weight: Floats, limit: float) -> int:
    """The largest number of objects that weigh at most `limit` together."""
    return int(np.searchsorted(np.cumsum(np.sort(weight)), limit, side="right"))


def certain_objects(instance: Instance) -> Instance:
    """Without the objects that may be predicted as another class at no loss: fewer never cost more."""
    certain = np.flatnonzero(instance.loss > ROUNDING)
    return instance if len(certain) == len(instance.loss) else instance.take(certain)


def _fullest_leaves(instance: Instance, goal: Goal) -> Iterator[Floats]:
    """Class counts (whole or not), some at a time, such that every leaf has at most the Powers of one.

    Powers grow with every count, and for a given sum they are largest where the counts are most equal.
    """
    counts = np.bincount(instance.labels, minlength=instance.n_classes).astype(np.float64)
    if goal.trees == "mass":
        mixed = most_objects(instance.p, heaviest_mixed_leaf(goal))
        yield _most_equal(counts, mixed)[None]
    if goal.trees == "error":
        wrong = most_objects(instance.loss, largest_loss(goal))
        k = len(counts)
        at_once = max(1, _NUMBERS // k)
        for first in range(0, k, at_once):
            labels = range(first, min(k, first + at_once))
            yield np.stack([_leaf_for(label, counts, wrong) for label in labels])


def _leaf_for(label: int, counts: Floats, wrong: int) -> Floats:
    """A leaf that predicts `label`: all its objects, and `wrong` others."""
    others = counts.copy()
    others[label] = 0.0
    leaf = _most_equal(others, wrong)
    leaf[label] = counts[label]
    return leaf


def _most_equal(caps: Floats, total: float) -> Floats:
    """Counts of this sum (or all of the caps), none above its cap, as equal as can be."""
    order = np.argsort(caps)
    rising = caps[order]
    level = (total - (np.cumsum(rising) - rising)) / np.arange(len(caps), 0, -1)  # if those before are full
    full = int(np.argmax(np.append(rising > level, True)))
    leaf = caps.copy()
    leaf[order[full:]] = level[full : full + 1]
    return leaf
