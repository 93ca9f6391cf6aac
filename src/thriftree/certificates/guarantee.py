"""The factor that a greedy tree keeps to whatever the data: paper 001's theorems, with their conditions.

Let the test of every node v, at price c, lower F from F(v) to at most F(child) at
c / (F(v) - F(child)) <= κ times the least price per gain of F that any test offers there (κ = 1: GreedyTree).
By Lemma 4.1 c <= κ OPT (F(v) - F(child)) / (F(v) - δ). Along a path these sum to at most κ OPT times
ln((F(S) - δ) / x) as long as F(child) > δ, where x = F - δ at the last node, and the last test adds
(F - F(child)) / (F - δ) <= (x + δ) / x. The sum is largest for the smallest x, hence with β the smallest
F - δ above 0

    worst case <= κ (ln((F(S) - δ) / β) + (β + δ) / β) OPT,

for δ = 0 the paper's ln F + 1, in which β must be 1. (Its Theorem 4.2 leaves out what the last test may add.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np
from numpy.typing import NDArray

from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.leaves import largest_value, values
from thriftree.search.market import Market
from thriftree.search.outcomes import Outcomes

_MOST_SETS = 1_000_000  # class counts looked at for β


@dataclass(frozen=True)
class Promise:
    """What the greedy rule promises for a tree that departs from it by so much."""

    factor: float
    departure: float  # κ; 1: the tree keeps to the rule


def greedy_promise(
    instance: Instance,
    goal: Goal,
    node_objects: Sequence[NDArray[np.intp]],
    parent: Sequence[int],
    node_price: Sequence[float],
) -> Promise | None:
    """The factor for a tree of these nodes (objects, parent and price of the test; a leaf's is 0) among trees
    with F at most the goal's tolerance in every leaf.

    The leaves keep to the tolerance. None if the tree has a paid test that does not lower F, or where a free
    one would, or where F is within the tolerance already; or if β would take too long to find, or F is more
    than a float can hold.
    """
    counts = np.stack([_counts(instance.labels[objects], instance.n_classes) for objects in node_objects])
    value = values(goal, counts)
    if value[0] == np.inf:
        return None
    if value[0] <= largest_value(goal):
        return Promise(1.0, 1.0) if len(parent) == 1 else None
    largest_child = np.zeros(len(value))
    np.maximum.at(largest_child, np.asarray(parent[1:], dtype=np.intp), value[1:])
    departure = 1.0
    for node in sorted(set(parent[1:])):
        if node_price[node] == 0:
            continue
        lowered = value[node] - largest_child[node]
        if value[node] <= largest_value(goal) or lowered <= 0:
            return None
        least = _least_price_per_gain(instance.take(node_objects[node]), goal, float(value[node]))
        if least == 0:
            return None
        departure = max(departure, float(node_price[node] / lowered) / least)
    departure = 1.0 if departure < 1 + 1e-9 else departure
    beta = smallest_excess(lambda sets: values(goal, sets), counts[0], goal.tolerance)
    if beta is None:
        return None
    of_rule = log((value[0] - goal.tolerance) / beta) + (beta + goal.tolerance) / beta
    return Promise(departure * of_rule, departure)


def smallest_excess(
    function: Callable[[Floats], Floats], counts: Floats, tolerance: float = 0.0
) -> float | None:
    """β: the smallest F - tolerance above 0 of any set with at most these objects per class; None if there
    are too many kinds of sets to tell. F is monotone.
    """
    present = np.flatnonzero(counts)
    if tolerance == 0 and len(present) > 1:
        pairs = np.zeros((len(present) * (len(present) - 1) // 2, len(counts)))
        for row, pair in enumerate(combinations(present, 2)):
            pairs[row, pair] = 1.0
        of_pairs = function(pairs)
        if (of_pairs > 0).all():  # every impure set holds a pair, and F no less than the pair's
            return float(of_pairs.min())
    return _smallest_on_lattice(function, counts, tolerance)


def _smallest_on_lattice(
    function: Callable[[Floats], Floats], counts: Floats, tolerance: float
) -> float | None:
    """For all counts of the other classes, the fewest objects of the largest class that are too many."""
    last = int(np.argmax(counts))
    sizes = [1 if k == last else int(n) + 1 for k, n in enumerate(counts)]
    if float(np.prod(np.array(sizes, dtype=np.float64))) > _MOST_SETS:
        return None
    sets = np.stack([axis.ravel() for axis in np.indices(sizes)], axis=1).astype(np.float64)
    too_few, enough = np.full(len(sets), -1.0), np.full(len(sets), counts[last])
    sets[:, last] = counts[last]
    passes = function(sets) > tolerance
    sets, too_few, enough = sets[passes], too_few[passes], enough[passes]
    if len(sets) == 0:
        return None
    while np.any(enough - too_few > 1):
        sets[:, last] = np.floor((too_few + enough) / 2)
        above = function(sets) > tolerance
        # Where the two meet the middle is `too_few` itself, which stays.
        enough, too_few = np.where(above, sets[:, last], enough), np.where(above, too_few, sets[:, last])
    sets[:, last] = enough
    return float(function(sets).min() - tolerance)


def _least_price_per_gain(instance: Instance, goal: Goal, value: float) -> float:
    outcomes = Outcomes.all_of(instance)
    price, gain, _ = Market.of(instance, value - outcomes.largest(values(goal, outcomes.counts))).bundles()
    return float(price[0] / gain[0])


def _counts(labels: NDArray[np.int64], n_classes: int) -> Floats:
    return np.bincount(labels, minlength=n_classes).astype(np.float64)
