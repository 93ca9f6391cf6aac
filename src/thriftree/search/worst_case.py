"""Lower bounds of the worst-case price: no tree of the goal's class has a cheaper worst path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from thriftree.search.covering import covering_bounds
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.kraft import kraft_bound
from thriftree.search.leaf_values import LeafValue, certain_objects, leaf_values, most_objects
from thriftree.search.leaves import ROUNDING, heaviest_mixed_leaf, largest_loss
from thriftree.search.market import Market, fractional_price, whole_price
from thriftree.search.outcomes import Outcomes

_SLACK = 1e-9  # of F: a demand gives way by this much, so that a sum that just meets it does
_REFINED_NODES = 20  # nodes whose knapsack is solved for whole tests
_FIRST_SAMPLE = 256


def knapsack_bound(instance: Instance, goal: Goal) -> float:
    """The cheapest set of tests that can lower F from that of all objects to that of a leaf.

    Follow any tree from the root, at test t into the outcome i of largest F(S_t^i). For R, the objects that
    arrive, supermodularity and monotonicity give F(R) - F(R & S_t^i) <= F(S) - F(S_t^i) =: r_t. The path ends
    in a leaf, of F at most `largest`, or where no object is left, F = 0, after a test that some object paid.
    So the tests of the path, each counted once, have sum r_t >= F(S) - largest, and somebody pays them all.
    """
    return max(
        (_price(market, demand, whole=True) for market, demand in _demands(instance, goal)), default=0.0
    )


def quick_knapsack_bound(instance: Instance, goal: Goal) -> float:
    """`knapsack_bound` for tests that can be bought in part: lower, and computed at once."""
    return max(
        (_price(market, demand, whole=False) for market, demand in _demands(instance, goal)), default=0.0
    )


def knapsack_bound_over_nodes(
    instance: Instance, goal: Goal, nodes: Iterable[NDArray[np.intp]], deadline: float
) -> float:
    """The best knapsack bound of these sets of objects: a tree for all objects holds one for each set, with
    the same limits and no more expensive. The sets are looked at in their order, until the deadline.
    """
    found: list[tuple[float, NDArray[np.intp]]] = []
    for objects in nodes:
        if monotonic() > deadline:
            break
        found.append((quick_knapsack_bound(instance.take(objects), goal), objects))
    best = 0.0
    for bound, objects in sorted(found, key=lambda pair: -pair[0])[:_REFINED_NODES]:
        best = max(best, bound)
        if monotonic() < deadline:
            best = max(best, knapsack_bound(instance.take(objects), goal))
    return best


def covering_bound(instance: Instance, goal: Goal) -> float:
    """What the object pays that is the hardest to tell from others."""
    return float(covering_bounds(instance, goal).max(initial=0.0))


def kraft_worst_bound(instance: Instance, goal: Goal) -> float:
    """The most expensive path costs at least the mean, by whatever weights: the objects' own, or equal
    ones.
    """
    by_weight = kraft_bound(instance, goal) / float(instance.p.sum())
    if goal.trees == "error":
        return by_weight
    return max(by_weight, kraft_bound(*_equal_weights(instance, goal)))


def on_growing_samples(
    bound: Callable[[Instance, Goal], float], instance: Instance, goal: Goal, deadline: float
) -> float:
    """The best of a bound on larger and larger samples of the objects, all of them if the deadline allows.

    A tree for all objects holds one for a sample, no more expensive. The first sample is looked at in any
    case.
    """
    n = len(instance.labels)
    order = np.random.default_rng(0).permutation(n)
    size = min(n, _FIRST_SAMPLE)
    best = 0.0
    while True:
        began = monotonic()
        sample = instance if size == n else instance.take(np.sort(order[:size]))
        best = max(best, bound(sample, goal))
        took = monotonic() - began
        if size == n or monotonic() + 4 * took > deadline:  # pairs of objects are looked at
            return best
        size = min(n, 2 * size)


def disjoint_sets_bound(instance: Instance, goal: Goal, order: NDArray[np.intp], deadline: float) -> float:
    """For "error": over disjoint sets that cannot all hold a wrong object, one is predicted without error.

    A set with a wrong object loses at least its least loss. The sets of largest bounds whose least losses
    together pass the limit are not all hit, so the least of their bounds (for pure leaves) holds. The sets
    are runs of `order`, which should place objects that are hard to tell apart near each other.
    """
    order = order[instance.loss[order] > ROUNDING]  # the others may be wrong at no loss
    wrong = most_objects(instance.loss[order], largest_loss(goal))
    best = 0.0
    for n_sets in (wrong + 1, 2 * (wrong + 1)):
        if 2 * n_sets > len(order):
            break
        found: list[tuple[float, float]] = []
        for objects in np.array_split(order, n_sets):
            if monotonic() > deadline:
                return best
            part = instance.take(objects)
            bound = max(quick_knapsack_bound(part, Goal("pure")), covering_bound(part, Goal("pure")))
            found.append((bound, float(part.loss.min())))
        found.sort(reverse=True)
        lost = np.cumsum([loss for _, loss in found])
        decisive = int(np.searchsorted(lost, largest_loss(goal), side="right"))
        if decisive < len(found):
            best = max(best, found[decisive][0])
    return best


def _demands(instance: Instance, goal: Goal) -> Iterator[tuple[Market, float]]:
    """For every F: what the tests gain of it, and what has to be gained."""
    if goal.trees == "error":
        instance = certain_objects(instance)
    if len(instance.labels) < 2:
        return
    outcomes = Outcomes.all_of(instance)
    counts = np.bincount(instance.labels, minlength=instance.n_classes).astype(np.float64)
    for leaf in leaf_values(instance, goal):
        value = float(leaf.function(counts[None])[0])
        if value == np.inf:  # a very high power of very many objects: F tells nothing in floats
            continue
        demand = value - leaf.largest - _SLACK * value
        if demand > 0:
            gain = value - outcomes.largest(np.asarray(leaf.function(outcomes.counts), dtype=np.float64))
            _check_within_reach(gain, demand, leaf)
            yield Market.of(instance, gain), demand


def _check_within_reach(gain: Floats, demand: float, leaf: LeafValue) -> None:
    if gain.clip(0.0).sum() < demand:
        raise ValueError(
            f"{leaf.name} is not supermodular: all tests together lower it by less than it takes to reach a "
            "leaf's value. Give an admissible impurity (thriftree.impurities), or certify without it"
        )


def _price(market: Market, demand: float, *, whole: bool) -> float:
    return whole_price(market, demand) if whole else fractional_price(market, demand)


def _equal_weights(instance: Instance, goal: Goal) -> tuple[Instance, Goal]:
    """The same objects with equal weights, and a class of trees for them that holds the goal's.

    A mixed leaf of weight at most theta has at most as many objects as the lightest that weigh so much.
    """
    n = len(instance.p)
    theta = most_objects(instance.p, heaviest_mixed_leaf(goal)) / n if goal.trees == "mass" else 0.0
    return replace(instance, p=np.full(n, 1.0 / n)), replace(goal, theta=theta)
