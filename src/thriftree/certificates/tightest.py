"""All bounds on one instance, the quick ones first, until the time is up or nothing is left to prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.search.exact import Objective, optimum
from thriftree.search.expected import certificate_bound, expected_bounds
from thriftree.search.instance import Goal, Instance
from thriftree.search.kraft import kraft_bound
from thriftree.search.lookahead import LookAhead
from thriftree.search.price_steps import next_price, price_step
from thriftree.search.worst_case import (
    covering_bound,
    disjoint_sets_bound,
    knapsack_bound,
    knapsack_bound_over_nodes,
    kraft_worst_bound,
    on_growing_samples,
    quick_knapsack_bound,
)

# The exact search looks at sets of objects, of which more objects than this have too many.
_MOST_OBJECTS = 24
_COVERED_AT_ONCE = 400  # objects of a state, when looking ahead
_PAIRED_AT_ONCE = 4000  # objects for the bounds on the expected price

Nodes: TypeAlias = Sequence[NDArray[np.intp]]
BoundOfState: TypeAlias = Callable[[Instance, Goal], float]


@dataclass(frozen=True)
class Bounds:
    """Lower bounds by name."""

    by_name: dict[str, float]
    best: str
    exact: bool  # the best is the optimum


def tightest(
    instance: Instance, goal: Goal, objective: Objective, nodes: Nodes, reached: float, time_limit_s: float
) -> Bounds:
    """The bounds that the time allows; those that take no search are always computed.

    `nodes` are the objects of the tree's nodes, the larger sets first and then leaf by leaf in `nodes[0]`;
    `reached` is what the tree costs.
    """
    until = [monotonic() + share * time_limit_s for share in (0.2, 0.35, 0.5, 0.7, 1.0)]
    found: dict[str, float] = {}
    best = ""
    rounding = 1e-12 * float(instance.own.sum() + instance.setup.sum())
    for name, bound, exact in _in_turn(instance, goal, objective, nodes, reached, until):
        found[name] = bound if bound > rounding else 0.0
        if exact or best == "" or found[name] > found[best] + rounding:
            best = name
        if exact or bound >= reached - rounding:
            return Bounds(found, best, exact=True)
    return Bounds(found, best, exact=False)


def _in_turn(
    instance: Instance,
    goal: Goal,
    objective: Objective,
    nodes: Nodes,
    reached: float,
    until: list[float],
) -> Iterator[tuple[str, float, bool]]:
    """Name, bound, and whether it is the optimum."""
    if objective == "worst_case":
        quick = _quick_worst_case(instance, goal, nodes, until)
    else:
        quick = _quick_expected(instance, goal, until)
    lower = 0.0
    for name, bound in quick:
        lower = max(lower, bound)
        yield name, bound, False
    if len(instance.labels) <= _MOST_OBJECTS:
        best = optimum(instance, goal, objective, until[3])
        if best is not None:
            yield "exact search", best, True
    if monotonic() < until[4]:
        ahead = LookAhead(instance, goal, objective, _BOUND_OF_STATE[objective](instance), lower)
        ahead.run(until[4], enough=reached)
        yield "look-ahead", ahead.lower, ahead.closed and goal.trees != "error"


def _quick_worst_case(
    instance: Instance, goal: Goal, nodes: Nodes, until: list[float]
) -> Iterator[tuple[str, float]]:
    step = price_step(instance)
    yield "knapsack", next_price(knapsack_bound(instance, goal), step)
    over_nodes = knapsack_bound_over_nodes(instance, goal, nodes, until[0])
    yield "knapsack over nodes", next_price(over_nodes, step)
    if goal.trees == "error":
        yield "disjoint sets", next_price(disjoint_sets_bound(instance, goal, nodes[0], until[0]), step)
        part = _runs(instance, _PAIRED_AT_ONCE)[0]
        average = max(expected_bounds(part, goal, until[1]).values()) / float(part.p.sum())
        yield "average", next_price(average, step)  # which the most expensive path costs at least
    else:
        certificate = on_growing_samples(covering_bound, instance, goal, until[1])
        yield "certificate", next_price(certificate, step)
    yield "kraft", next_price(on_growing_samples(kraft_worst_bound, instance, goal, until[2]), step)


def _quick_expected(instance: Instance, goal: Goal, until: list[float]) -> Iterator[tuple[str, float]]:
    """Bounds that look at pairs of objects, which of very many are too many."""
    n = len(instance.labels)
    if n <= _PAIRED_AT_ONCE:
        yield from expected_bounds(instance, goal, until[2]).items()
    elif goal.trees == "error":  # all parts share what may be lost, so that only one can count
        yield from expected_bounds(_runs(instance, _PAIRED_AT_ONCE)[0], goal, until[2]).items()
    else:
        total = 0.0
        for run in _runs(instance, _COVERED_AT_ONCE):
            total += certificate_bound(run, goal)
            if monotonic() > until[2]:
                break
        yield "certificate", total


def _worst_case_of_state(instance: Instance) -> BoundOfState:
    step = price_step(instance)

    def bound(state: Instance, goal: Goal) -> float:
        some = _runs(state, _COVERED_AT_ONCE)[0]  # fewer objects never cost more
        lower = max(quick_knapsack_bound(state, goal), covering_bound(some, goal))
        return next_price(lower, step)

    return bound


def _expected_of_state(instance: Instance) -> BoundOfState:
    def bound(state: Instance, goal: Goal) -> float:
        runs = _runs(state, _COVERED_AT_ONCE)
        lower = kraft_bound(state, goal) if len(runs) == 1 else 0.0
        return max(lower, sum(certificate_bound(run, goal) for run in runs))

    return bound


def _runs(instance: Instance, most: int) -> list[Instance]:
    """The objects in disjoint sets of at most so many. What they cost adds up to no more than what all do."""
    n = len(instance.labels)
    if n <= most:
        return [instance]
    n_runs = -(-n // most)
    return [instance.take(np.arange(first, n, n_runs)) for first in range(n_runs)]


_BOUND_OF_STATE: dict[Objective, Callable[[Instance], BoundOfState]] = {
    "worst_case": _worst_case_of_state,
    "expected": _expected_of_state,
}
