"""Lower bounds of the worst-case price: no tree of the goal's class has a cheaper worst path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.covering import covering_bounds
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.kraft import kraft_bound
from thriftree.search.leaf_values import LeafValue, certain_objects, leaf_values, most_objects
from thriftree.search.leaves import ROUNDING, heaviest_mixed_leaf, largest_loss
from thriftree.search.market import Market, fractional_price, whole_prices
from thriftree.search.outcomes import largest_values, may_be_leaf

_SLACK = 1e-9  # of F: a demand gives way by this much, so that a sum that just meets it does
_REFINED_NODES = 20  # nodes whose knapsack is solved for whole tests
_FIRST_SAMPLE = 256


def knapsack_bound(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """The cheapest set of tests that can lower F from that of all objects to that of a leaf.

    Follow any tree from the root, at test t into the outcome i of largest F(S_t^i). For R, the objects that
    arrive, supermodularity and monotonicity give F(R) - F(R & S_t^i) <= F(S) - F(S_t^i) =: r_t. The path ends
    in a leaf, of F at most `largest`, or where no object is left, F = 0, after a test that some object paid.
    So the tests of the path, each counted once, have sum r_t >= F(S) - largest, and somebody pays them all.
    """
    if may_be_leaf(instance, goal, allowance):
        return
    best = float(instance.alone.min())
    yield best  # all objects are no leaf: the first test is paid
    for demand in _demands(instance, goal, allowance):
        for bound in whole_prices(demand.market, demand.amount, allowance):
            best = max(best, bound)
            yield best


def quick_knapsack_bound(instance: Instance, goal: Goal, allowance: Allowance) -> float:
    """`knapsack_bound` for tests that can be bought in part: lower, and computed at once."""
    demands = _demands(instance, goal, allowance)
    return max((fractional_price(demand.market, demand.amount) for demand in demands), default=0.0)


def knapsack_bound_over_nodes(
    instance: Instance, goal: Goal, nodes: Iterable[NDArray[np.intp]], allowance: Allowance
) -> Iterator[float]:
    """The best knapsack bound of these sets of objects: a tree for all objects holds one for each set, with
    the same limits and no more expensive. The sets are looked at in their order, while there is time.
    """
    best = 0.0
    found: list[tuple[float, NDArray[np.intp]]] = []
    for objects in nodes:
        if not allowance.has_time():
            break
        with allowance.holding(instance.bytes_of(len(objects))):
            found.append((quick_knapsack_bound(instance.take(objects), goal, allowance), objects))
        best = max(best, found[-1][0])
        yield best
    for _, objects in sorted(found, key=lambda pair: -pair[0])[:_REFINED_NODES]:
        if not allowance.has_time():
            break
        with allowance.holding(instance.bytes_of(len(objects))):
            for bound in knapsack_bound(instance.take(objects), goal, allowance):
                best = max(best, bound)
                yield best


def covering_bound(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """What the object pays that is the hardest to tell from others."""
    for least in covering_bounds(instance, goal, allowance):
        yield float(least.max(initial=0.0))


def kraft_worst_bound(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """The most expensive path costs at least the mean, by whatever weights: the objects' own, or equal
    ones.
    """
    best = 0.0
    total = float(instance.p.sum())
    for bound in kraft_bound(instance, goal, allowance):
        best = max(best, bound / total)
        yield best
    if goal.trees == "error":
        return
    for bound in kraft_bound(*_equal_weights(instance, goal), allowance):
        best = max(best, bound)
        yield best


def on_growing_samples(
    bounds: Callable[[Instance, Goal, Allowance], Iterator[float]],
    instance: Instance,
    goal: Goal,
    allowance: Allowance,
) -> Iterator[float]:
    """The best of a bound on larger and larger samples of the objects, all of them if there is time.

    A tree for all objects holds one for a sample, no more expensive. Unless the call's time is limited, the
    first sample is looked at in any case.
    """
    n = len(instance.labels)
    order = np.random.default_rng(0).permutation(n)
    size = min(n, _FIRST_SAMPLE)
    best = 0.0
    while True:
        began = monotonic()
        allowance.look()
        with allowance.holding(instance.bytes_of(size)):
            sample = instance if size == n else instance.take(np.sort(order[:size]))
            for bound in bounds(sample, goal, allowance):
                best = max(best, bound)
                yield best
        took = monotonic() - began
        if size == n or not allowance.has_time(4 * took):  # pairs of objects are looked at
            return
        size = min(n, 2 * size)


def disjoint_sets_bound(
    instance: Instance, goal: Goal, order: NDArray[np.intp], allowance: Allowance
) -> Iterator[float]:
    """For "error": over disjoint sets that cannot all hold a wrong object, one is predicted without error.

    A set with a wrong object loses at least its least loss. The sets of largest bounds whose least losses
    together pass the limit are not all hit, so the least of their bounds (for pure leaves) holds: of all
    sets, or of those that were looked at. The sets are runs of `order`, which should place objects that are
    hard to tell apart near each other.
    """
    order = order[instance.loss[order] > ROUNDING]  # the others may be wrong at no loss
    wrong = most_objects(instance.loss[order], largest_loss(goal))
    best = 0.0
    for n_sets in (wrong + 1, 2 * (wrong + 1)):
        if 2 * n_sets > len(order):
            break
        found: list[tuple[float, float]] = []
        for objects in np.array_split(order, n_sets):
            if not allowance.has_time():
                return
            part = instance.take(objects)
            bound = quick_knapsack_bound(part, Goal("pure"), allowance)
            for covering in covering_bound(part, Goal("pure"), allowance):
                bound = max(bound, covering)
            found.append((bound, float(part.loss.min())))
            if len(found) in (n_sets, 1 << len(found).bit_length() - 1):  # now and then, and at the end
                best = max(best, _free_of_error(found, largest_loss(goal)))
                yield best


def _free_of_error(sets: list[tuple[float, float]], limit: float) -> float:
    """What the tree costs at least by sets of (bound, least loss), which cannot lose more than the limit."""
    falling = sorted(sets, reverse=True)
    lost = np.cumsum([loss for _, loss in falling])
    decisive = int(np.searchsorted(lost, limit, side="right"))
    return falling[decisive][0] if decisive < len(falling) else 0.0


class _Demand(NamedTuple):
    """What tests gain of an F and cost, and what has to be gained."""

    market: Market
    amount: float


def _demands(instance: Instance, goal: Goal, allowance: Allowance) -> list[_Demand]:
    """By F that leaves must lower."""
    if goal.trees != "error":
        return _demands_on(instance, goal, allowance)
    with allowance.holding(instance.bytes_of(len(instance.labels))):
        return _demands_on(certain_objects(instance), goal, allowance)


def _demands_on(instance: Instance, goal: Goal, allowance: Allowance) -> list[_Demand]:
    if len(instance.labels) < 2:
        return []
    counts = np.bincount(instance.labels, minlength=instance.n_classes).astype(np.float64)
    wanted: list[tuple[LeafValue, float, float]] = []
    for leaf in leaf_values(instance, goal, allowance):
        value = float(leaf.function(counts[None])[0])
        if value == np.inf:  # a very high power of very many objects: F tells nothing in floats
            continue
        amount = value - leaf.largest - _SLACK * value
        if amount > 0:
            wanted.append((leaf, value, amount))
    if not wanted:
        return []
    largest = largest_values(instance, [leaf.function for leaf, _, _ in wanted], allowance)
    demands = []
    for (leaf, value, amount), high in zip(wanted, largest, strict=True):
        _check_within_reach(value - high, amount, leaf)
        demands.append(_Demand(Market.of(instance, value - high), amount))
    return demands


def _check_within_reach(gain: Floats, demand: float, leaf: LeafValue) -> None:
    if gain.clip(0.0).sum() < demand:
        raise ValueError(
            f"{leaf.name} is not supermodular: all tests together lower it by less than it takes to reach a "
            "leaf's value. Give an admissible impurity (thriftree.impurities), or certify without it"
        )


def _equal_weights(instance: Instance, goal: Goal) -> tuple[Instance, Goal]:
    """The same objects with equal weights, and a class of trees for them that holds the goal's.

    A mixed leaf of weight at most theta has at most as many objects as the lightest that weigh so much.
    """
    n = len(instance.p)
    theta = most_objects(instance.p, heaviest_mixed_leaf(goal)) / n if goal.trees == "mass" else 0.0
    return replace(instance, p=np.full(n, 1.0 / n)), replace(goal, theta=theta)
