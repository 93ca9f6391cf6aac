"""All bounds on one instance, the quick ones first, until the time is up or nothing is left to prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from time import monotonic
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.certificates.proved import Proved
from thriftree.learning.limits import Limits
from thriftree.search.allowance import Allowance
from thriftree.search.exact import Objective, optimum
from thriftree.search.expected import certificate_bound, expected_bounds, expected_names
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
_SHARES = (0.2, 0.35, 0.5, 0.7, 1.0)  # of the time: when the bounds end, one group after the other

Nodes: TypeAlias = Sequence[NDArray[np.intp]]
BoundOfState: TypeAlias = Callable[[Instance, Goal, Allowance], float]


class _Turn(NamedTuple):
    """A bound in its turn."""

    name: str
    bounds: Callable[[Allowance], Iterator[float]]  # rising
    allowance: Allowance
    is_optional: bool = False  # not begun when its part of the time is over
    is_optimum: Callable[[], bool] = lambda: False  # whether the last of the bounds is


def tightest(
    instance: Instance,
    goal: Goal,
    objective: Objective,
    nodes: Nodes,
    reached: float,
    proved: Proved,
    limits: Limits,
    allowance: Allowance,
    seconds: float,
) -> None:
    """Proves the bounds that the limits allow, in so many seconds. If only the search has to keep to these,
    bounds that take no search are computed to their end.

    `nodes` are the objects of the tree's nodes, the larger sets first and then leaf by leaf in `nodes[0]`;
    `reached` is what the tree costs.
    """
    until = [allowance.until(monotonic() + share * seconds) for share in _SHARES]
    rounding = 1e-12 * float(instance.own.sum() + instance.setup.sum())
    turns = _turns(instance, goal, objective, nodes, reached, proved, until)
    for turn in turns:
        proved.attempt(turn.name, partial(_follow, turn, reached, rounding, proved), limits)
        if proved.is_exact:
            return


def _follow(turn: _Turn, reached: float, rounding: float, proved: Proved) -> None:
    turn.allowance.look()
    if not turn.is_optional:
        proved.add(turn.name, 0.0, rounding)
    elif not turn.allowance.has_time():
        return
    with turn.allowance.whole():
        for bound in turn.bounds(turn.allowance):
            proved.add(turn.name, bound, rounding)
            if bound >= reached - rounding:
                proved.close(proved.best)
                return
        if turn.is_optimum():
            proved.close(turn.name)


def _turns(
    instance: Instance,
    goal: Goal,
    objective: Objective,
    nodes: Nodes,
    reached: float,
    proved: Proved,
    until: list[Allowance],
) -> Iterator[_Turn]:
    if objective == "worst_case":
        yield from _quick_worst_case(instance, goal, nodes, until)
    else:
        yield from _quick_expected(instance, goal, until)
    if len(instance.labels) <= _MOST_OBJECTS:
        exact = partial(optimum, instance, goal, objective)
        yield _Turn("exact search", exact, until[3], True, lambda: "exact search" in proved.by_name)
    ahead: list[LookAhead] = []

    def look_ahead(allowance: Allowance) -> Iterator[float]:
        bound = _BOUND_OF_STATE[objective](instance)
        ahead.append(LookAhead(instance, goal, objective, bound, allowance, proved.lower))
        return ahead[0].run(enough=reached)

    yield _Turn("look-ahead", look_ahead, until[4], True, lambda: ahead[0].closed and goal.trees != "error")


def _quick_worst_case(
    instance: Instance, goal: Goal, nodes: Nodes, until: list[Allowance]
) -> Iterator[_Turn]:
    step = price_step(instance)

    def whole(
        bounds: Callable[..., Iterator[float]], *given: object
    ) -> Callable[[Allowance], Iterator[float]]:
        return lambda allowance: (next_price(bound, step) for bound in bounds(*given, allowance))

    yield _Turn("knapsack", whole(knapsack_bound, instance, goal), until[0])
    over_nodes = whole(knapsack_bound_over_nodes, instance, goal, nodes)
    yield _Turn("knapsack over nodes", over_nodes, until[0])
    if goal.trees == "error":
        yield _Turn("disjoint sets", whole(disjoint_sets_bound, instance, goal, nodes[0]), until[0])
        yield _Turn("average", whole(_average, instance, goal), until[1])
    else:
        certificate = whole(on_growing_samples, covering_bound, instance, goal)
        yield _Turn("certificate", certificate, until[1])
    yield _Turn("kraft", whole(on_growing_samples, kraft_worst_bound, instance, goal), until[2])


def _average(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """What trees cost on average, which the most expensive path costs at least."""
    objects = next(_runs(instance, _PAIRED_AT_ONCE))
    with allowance.holding(instance.bytes_of(len(objects))):
        part = instance.take(objects)
        weight, best = float(part.p.sum()), 0.0
        for number, bounds in enumerate(expected_bounds(part, goal, allowance).values()):
            if number and not allowance.has_time():
                return
            for bound in bounds:
                best = max(best, bound / weight)
                yield best


def _quick_expected(instance: Instance, goal: Goal, until: list[Allowance]) -> Iterator[_Turn]:
    """Bounds that look at pairs of objects, which of very many are too many."""
    n = len(instance.labels)
    if n > _PAIRED_AT_ONCE and goal.trees != "error":
        yield _Turn("certificate", partial(_certificate_of_runs, instance, goal), until[2])
        return

    @cache
    def bounds() -> dict[str, Iterator[float]]:
        # Of "error" all parts share what may be lost, so that only one can count.
        objects = next(_runs(instance, _PAIRED_AT_ONCE))
        until[2].book(instance.bytes_of(len(objects)))
        return expected_bounds(instance.take(objects), goal, until[2])

    for name in expected_names(goal, n):
        is_optional = name in ("kraft", "blocks")
        yield _Turn(name, partial(_at, bounds, name), until[2], is_optional)


def _at(bounds: Callable[[], dict[str, Iterator[float]]], name: str, allowance: Allowance) -> Iterator[float]:
    return bounds()[name]


def _certificate_of_runs(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """What disjoint sets of objects cost adds up to no more than what all do."""
    done = 0.0
    for number, objects in enumerate(_runs(instance, _COVERED_AT_ONCE)):
        if number and not allowance.has_time():
            return
        here = 0.0
        for here in certificate_bound(instance.take(objects), goal, allowance):
            yield done + here
        done += here


def _worst_case_of_state(instance: Instance) -> BoundOfState:
    step = price_step(instance)

    def bound(state: Instance, goal: Goal, allowance: Allowance) -> float:
        some = state.take(next(_runs(state, _COVERED_AT_ONCE)))  # fewer objects never cost more
        covering = max(covering_bound(some, goal, allowance))
        return next_price(max(quick_knapsack_bound(state, goal, allowance), covering), step)

    return bound


def _expected_of_state(instance: Instance) -> BoundOfState:
    def bound(state: Instance, goal: Goal, allowance: Allowance) -> float:
        lower = 0.0
        if len(state.labels) <= _COVERED_AT_ONCE:
            lower = max(kraft_bound(state, goal, allowance), default=0.0)
        runs = (state.take(objects) for objects in _runs(state, _COVERED_AT_ONCE))
        return max(lower, sum(max(certificate_bound(run, goal, allowance)) for run in runs))

    return bound


def _runs(instance: Instance, most: int) -> Iterator[NDArray[np.intp]]:
    """The objects in disjoint sets of at most so many."""
    n = len(instance.labels)
    n_runs = -(-n // most)
    for first in range(n_runs):
        yield np.arange(first, n, n_runs)


_BOUND_OF_STATE: dict[Objective, Callable[[Instance], BoundOfState]] = {
    "worst_case": _worst_case_of_state,
    "expected": _expected_of_state,
}
