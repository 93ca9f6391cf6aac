"""Better bounds by looking ahead: what the best first test leaves to pay, bounded again.

Let V(S, o) be the least price of the goal's trees for the objects S below a path that has bought o. If S may
not be a leaf, some test t that divides S comes first, and V is the least over t of

    price(t | o) + max over outcomes of V(S_v, o + t)            (worst case)
    p(S) price(t | o) + sum over outcomes of V(S_v, o + t)       (expected)

since a test with a branch for every outcome is as good as any on its feature, and what was bought on the path
has one outcome on S. Lower bounds in place of V give a lower bound, and when nothing is left to bound it is V
itself. For "error", leaves may each lose what all together may: a larger class, so a bound still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import PathState
from thriftree.search.allowance import Allowance
from thriftree.search.exact import Objective
from thriftree.search.instance import Goal, Instance
from thriftree.search.outcomes import may_be_leaf, outcome_blocks

_STATE_BYTES = 1000  # of a state, beside its objects
_TEST_BYTES = 200
_MOST_STORED = 50_000_000  # objects over all states: some 400 MB


@dataclass(eq=False)
class _State:
    """Objects below a path, and what is known of their price."""

    objects: NDArray[np.intp]
    path: PathState  # what matters of what was paid
    share: float  # what prices count here: 1, or the weight of the objects
    lower: float
    closed: bool = False  # `lower` is V
    tests: list[tuple[float, list[_State]]] | None = field(default=None, repr=False)  # price, what is left


class LookAhead:
    """A bound that rises with every `step`, until it is the optimum of the instance at least prices."""

    def __init__(
        self,
        instance: Instance,
        goal: Goal,
        objective: Objective,
        bound: Callable[[Instance, Goal, Allowance], float],
        allowance: Allowance,
        lower: float | None = None,
    ) -> None:
        """`bound` gives states their first bounds; `lower` is one of all objects, if it is known already."""
        self._instance, self._goal, self._bound, self._allowance = instance, goal, bound, allowance
        self._expected = objective == "expected"
        self._known: dict[tuple[bytes, PathState], _State] = {}
        self._stored = 0
        everything = np.arange(len(instance.labels), dtype=np.intp)
        if may_be_leaf(instance, goal, allowance):
            self._root = _State(everything, PathState(), 1.0, 0.0, closed=True)
        else:
            self._root = self._state(everything, PathState(), lower)

    @property
    def lower(self) -> float:
        """No tree of the goal's class is cheaper."""
        return self._root.lower

    @property
    def closed(self) -> bool:
        """Whether the bound cannot rise any more."""
        return self._root.closed

    def run(self, enough: float = np.inf) -> Iterator[float]:
        """The bound after every step while there is time, until it is `enough` or closed, or too many states
        are held.
        """
        yield self.lower
        while (
            not self.closed
            and self.lower < enough
            and self._stored < _MOST_STORED
            and self._allowance.has_time()
        ):
            self.step()
            yield self.lower

    def step(self) -> None:
        """Looks one test further where the bound is decided: along the test that bounds each state, into the
        branch of the largest bound. A step that is cut short changes nothing.
        """
        path = [self._root]
        while path[-1].tests is not None and not path[-1].closed:
            self._update(path[-1])
            if path[-1].closed:
                break
            _, left = self._deciding_test(path[-1])
            path.append(max((s for s in left if not s.closed), key=lambda state: state.lower))
        if not path[-1].closed and not self._expand(path[-1]):
            return
        for state in reversed(path):
            self._update(state)

    def _deciding_test(self, state: _State) -> tuple[float, list[_State]]:
        """The test of least bound, of equals one that is closed."""
        assert state.tests is not None
        return min(
            state.tests, key=lambda test: (self._value(state, *test), any(not s.closed for s in test[1]))
        )

    def _value(self, state: _State, price: float, left: list[_State]) -> float:
        lowers = [below.lower for below in left]
        return state.share * price + (sum(lowers) if self._expected else max(lowers, default=0.0))

    def _update(self, state: _State) -> None:
        if state.closed or state.tests is None:
            return
        price, left = self._deciding_test(state)
        state.lower = max(state.lower, self._value(state, price, left))
        state.closed = all(below.closed for below in left)

    def _expand(self, state: _State) -> bool:
        """Finds what every useful test leaves to be paid; False if the time is over first."""
        prices = self._instance.prices
        price_of = prices.marginals(state.path).tolist()
        tests = []
        with self._allowance.holding(self._instance.bytes_of(len(state.objects))):
            instance = self._instance.take(state.objects)
            for outcomes in outcome_blocks(instance, self._allowance):
                to_bound = ~outcomes.cells.may_be_leaves(self._goal, self._allowance)
                for i in np.flatnonzero(outcomes.useful).tolist():
                    t = outcomes.tests[i]
                    below = prices.visit(state.path, t)
                    mixed = outcomes.begin[i] + np.flatnonzero(
                        to_bound[outcomes.begin[i] : outcomes.begin[i + 1]]
                    )
                    left = []
                    for objects in _members(outcomes.cells.of[:, i], mixed):
                        if not self._allowance.has_time():
                            return False
                        left.append(self._state(state.objects[objects], below))
                    tests.append((price_of[t], left))
        self._allowance.book(_TEST_BYTES * len(tests))
        state.tests = tests
        return True

    def _state(self, objects: NDArray[np.intp], path: PathState, lower: float | None = None) -> _State:
        """The state of objects that may not be a leaf, with its first bound."""
        self._allowance.look()
        with self._allowance.holding(2 * self._instance.bytes_of(len(objects))):
            return self._bounded(objects, path, lower)

    def _bounded(self, objects: NDArray[np.intp], path: PathState, lower: float | None) -> _State:
        codes = self._instance.codes[objects]
        divides = (codes != codes[:1]).any(axis=0)
        path = self._instance.prices.restricted(path, np.flatnonzero(divides).tolist())
        key = (objects.tobytes(), path)
        if key not in self._known:
            instance = self._instance.below(path).take(objects)
            share = float(instance.p.sum()) if self._expected else 1.0
            # All of them pay the first test that divides them.
            least = share * float(instance.alone[divides].min())
            found = self._bound(instance, self._goal, self._allowance) if lower is None else lower
            self._allowance.book(2 * objects.nbytes + _STATE_BYTES)
            self._known[key] = _State(objects, path, share, max(least, found))
            self._stored += len(objects)
        return self._known[key]


def _members(outcome: NDArray[np.int64], chosen: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """The objects of each of the outcomes `chosen`, ascending."""
    if len(chosen) == 0:
        return
    order = np.argsort(outcome, kind="stable")
    begin = np.searchsorted(outcome[order], chosen, side="left")
    end = np.searchsorted(outcome[order], chosen, side="right")
    for first, stop in zip(begin, end, strict=True):
        yield order[first:stop].copy()  # not a view, which would keep the whole order
