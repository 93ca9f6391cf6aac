"""All bounds on one instance, the quick ones first, until the time is up or nothing is left to prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.certificates.exact import Objective, optimum
from thriftree.certificates.expected import certificate_bound, expected_bounds
from thriftree.certificates.instance import Goal, Instance
from thriftree.certificates.kraft import kraft_bound
from thriftree.certificates.lookahead import LookAhead
from thriftree.certificates.worst_case import (
    covering_bound,
    disjoint_sets_bound,
    knapsack_bound,
    knapsack_bound_over_nodes,
    kraft_worst_bound,
    next_price,
    on_growing_samples,
    price_step,
    quick_knapsack_bound,
)

# The exact search looks at sets of objects, of which more objects than this have too many.
_MOST_OBJECTS = 24
_COVERED_BELOW = 300  # objects of a state that looking ahead bounds by covering too, which takes longer

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
    started = monotonic()
    found: dict[str, float] = {}
    best = ""
    rounding = 1e-12 * float(instance.own.sum() + instance.setup.sum())
    for name, bound, exact in _in_turn(instance, goal, objective, nodes, reached, started, time_limit_s):
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
    started: float,
    time_limit_s: float,
) -> Iterator[tuple[str, float, bool]]:
    """Name, bound, and whether it is the optimum."""
    until = [started + share * time_limit_s for share in (0.2, 0.35, 0.5, 0.7, 1.0)]
    if objective == "worst_case":
        quick = _quick_worst_case(instance, goal, nodes, until)
        step = price_step(instance)
        yield from ((name, next_price(bound, step), False) for name, bound in quick)
    else:
        yield from ((name, bound, False) for name, bound in expected_bounds(instance, goal, until[2]).items())
    if len(instance.labels) <= _MOST_OBJECTS:
        best = optimum(instance, goal, objective, until[3])
        if best is not None:
            yield "exact search", best, True
    if monotonic() < until[4]:
        ahead = LookAhead(instance, goal, objective, _BOUND_OF_STATE[objective](instance))
        ahead.run(until[4], enough=reached)
        yield "look-ahead", ahead.lower, ahead.closed and goal.trees != "error"


def _quick_worst_case(
    instance: Instance, goal: Goal, nodes: Nodes, until: list[float]
) -> Iterator[tuple[str, float]]:
    yield "knapsack", knapsack_bound(instance, goal)
    yield "knapsack over nodes", knapsack_bound_over_nodes(instance, goal, nodes, until[0])
    if goal.trees == "error":
        yield "disjoint sets", disjoint_sets_bound(instance, goal, nodes[0], until[1])
    else:
        yield "certificate", on_growing_samples(covering_bound, instance, goal, until[1])
    yield "kraft", on_growing_samples(kraft_worst_bound, instance, goal, until[2])


def _worst_case_of_state(instance: Instance) -> BoundOfState:
    step = price_step(instance)

    def bound(state: Instance, goal: Goal) -> float:
        lower = quick_knapsack_bound(state, goal)
        if len(state.labels) <= _COVERED_BELOW:
            lower = max(lower, covering_bound(state, goal))
        return next_price(lower, step)

    return bound


def _expected_of_state(instance: Instance) -> BoundOfState:
    def bound(state: Instance, goal: Goal) -> float:
        if len(state.labels) > _COVERED_BELOW:
            return 0.0
        lower = kraft_bound(state, goal)
        return lower if goal.trees == "error" else max(lower, certificate_bound(state, goal))

    return bound


_BOUND_OF_STATE: dict[Objective, Callable[[Instance], BoundOfState]] = {
    "worst_case": _worst_case_of_state,
    "expected": _expected_of_state,
}
