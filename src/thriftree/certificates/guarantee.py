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
from functools import partial
from itertools import combinations, islice
from math import log

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.leaves import largest_value, values
from thriftree.search.market import Market
from thriftree.search.outcomes import largest_values

_MOST_SETS = 1_000_000  # class counts looked at for β
_NUMBERS = 1 << 17  # of a table, set by class
_BYTES = 64  # for each of them at most, in the arrays that are alive at a time


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
    allowance: Allowance,
) -> Promise | None:
    """The factor for a tree of these nodes (objects, parent and price of the test; a leaf's is 0) among trees
    with F at most the goal's tolerance in every leaf.

    The leaves keep to the tolerance. None if the tree has a paid test that does not lower F, or where a free
    one would, or where F is within the tolerance already; or if β would take too long to find, or F is more
    than a float can hold.
    """
    value = np.empty(len(node_objects))
    for node, objects in enumerate(node_objects):
        allowance.look()
        value[node] = values(goal, _counts(instance.labels[objects], instance.n_classes)[None])[0]
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
        with allowance.holding(instance.bytes_of(len(node_objects[node]))):
            part = instance.take(node_objects[node])
            least = _least_price_per_gain(part, goal, float(value[node]), allowance)
        if least == 0:
            return None
        departure = max(departure, float(node_price[node] / lowered) / least)
    departure = 1.0 if departure < 1 + 1e-9 else departure
    counts = _counts(instance.labels, instance.n_classes)
    beta = smallest_excess(partial(values, goal), counts, goal.tolerance, allowance)
    if beta is None:
        return None
    of_rule = log((value[0] - goal.tolerance) / beta) + (beta + goal.tolerance) / beta
    return Promise(departure * of_rule, departure)


def smallest_excess(
    function: Callable[[Floats], Floats], counts: Floats, tolerance: float, allowance: Allowance
) -> float | None:
    """β: the smallest F - tolerance above 0 of any set with at most these objects per class; None if there
    are too many kinds of sets to tell. F is monotone.
    """
    present = np.flatnonzero(counts)
    if tolerance == 0 and len(present) > 1:
        of_pairs = _smallest_of_pairs(function, present, len(counts), allowance)
        if of_pairs > 0:  # every impure set holds a pair, and F no less than the pair's
            return of_pairs
    return _smallest_on_lattice(function, counts, tolerance, allowance)


def _smallest_of_pairs(
    function: Callable[[Floats], Floats], present: NDArray[np.intp], n_classes: int, allowance: Allowance
) -> float:
    """The smallest F of one object each of two of the classes present."""
    smallest = np.inf
    at_once = allowance.at_once(_BYTES * n_classes, _NUMBERS // n_classes)
    every_pair = combinations(present.tolist(), 2)
    with allowance.holding(_BYTES * n_classes * at_once):
        while pairs := list(islice(every_pair, at_once)):
            allowance.look()
            sets = np.zeros((len(pairs), n_classes))
            np.put_along_axis(sets, np.array(pairs), 1.0, axis=1)
            smallest = min(smallest, float(function(sets).min()))
    return smallest


def _smallest_on_lattice(
    function: Callable[[Floats], Floats], counts: Floats, tolerance: float, allowance: Allowance
) -> float | None:
    """For all counts of the other classes, the fewest objects of the largest class that are too many."""
    last = int(np.argmax(counts))
    sizes = [1 if k == last else int(n) + 1 for k, n in enumerate(counts)]
    n_sets = float(np.prod(np.array(sizes, dtype=np.float64)))
    if n_sets > _MOST_SETS:
        return None
    smallest = np.inf
    at_once = allowance.at_once(_BYTES * len(sizes), _NUMBERS // len(sizes))
    with allowance.holding(_BYTES * len(sizes) * min(at_once, n_sets)):
        for first in range(0, int(n_sets), at_once):
            numbers = np.arange(first, min(int(n_sets), first + at_once))
            sets = np.stack(np.unravel_index(numbers, sizes), axis=1).astype(np.float64)
            smallest = min(
                smallest, _smallest_with_more(function, sets, last, counts[last], tolerance, allowance)
            )
    return None if smallest == np.inf else smallest - tolerance


def _smallest_with_more(
    function: Callable[[Floats], Floats],
    sets: Floats,
    last: int,
    most: float,
    tolerance: float,
    allowance: Allowance,
) -> float:
    """The smallest F above the tolerance of these sets with up to `most` objects of class `last`; inf without
    any.
    """
    too_few, enough = np.full(len(sets), -1.0), np.full(len(sets), most)
    sets[:, last] = most
    passes = function(sets) > tolerance
    sets, too_few, enough = sets[passes], too_few[passes], enough[passes]
    if len(sets) == 0:
        return np.inf
    while np.any(enough - too_few > 1):
        allowance.look()
        sets[:, last] = np.floor((too_few + enough) / 2)
        above = function(sets) > tolerance
        # Where the two meet the middle is `too_few` itself, which stays.
        enough, too_few = np.where(above, sets[:, last], enough), np.where(above, too_few, sets[:, last])
    sets[:, last] = enough
    return float(function(sets).min())


def _least_price_per_gain(instance: Instance, goal: Goal, value: float, allowance: Allowance) -> float:
    largest = largest_values(instance, [partial(values, goal)], allowance)[0]
    price, gain, _ = Market.of(instance, value - largest).bundles()
    return float(price[0] / gain[0])


def _counts(labels: NDArray[np.int64], n_classes: int) -> Floats:
    return np.bincount(labels, minlength=n_classes).astype(np.float64)
