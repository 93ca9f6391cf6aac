"""The cheapest tree itself, where there are few objects: every tree that could be best is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np

from thriftree.costs import PathState
from thriftree.search.allowance import Allowance
from thriftree.search.instance import Goal, Instance
from thriftree.search.leaves import largest_loss
from thriftree.search.outcomes import may_be_leaf

Objective: TypeAlias = Literal["worst_case", "expected"]
#: What subtrees can do, none beaten in both: (what their wrong objects lose, what they cost), by rising loss.
Options: TypeAlias = list[tuple[float, float]]
_STATE_BYTES = 600
_OPTION_BYTES = 120
_State: TypeAlias = tuple[int, PathState]  # objects as bits, what matters of the path to them


class _OutOfTimeError(Exception):
    """The part of the time that was for this search is over."""


def optimum(instance: Instance, goal: Goal, objective: Objective, allowance: Allowance) -> Iterator[float]:
    """The least price of the goal's trees at the least prices of tests; nothing if there was no time to find
    it.

    A test has a branch for every outcome: a tree that divides a feature's values less finely, or asks for the
    feature again, pays no less, and its leaves only get smaller by the finer test.
    """
    with allowance.growing() as book:
        search = _Search(instance, goal, objective, allowance, book)
        try:
            options = search.best((1 << len(instance.labels)) - 1, PathState())
        except _OutOfTimeError:
            return
        yield min(cost for _, cost in options)


class _Search:
    """Options of every set of objects that a path can arrive with, each found once."""

    def __init__(
        self,
        instance: Instance,
        goal: Goal,
        objective: Objective,
        allowance: Allowance,
        book: Callable[[float], None],
    ) -> None:
        self.instance, self.goal, self.allowance, self.book = instance, goal, allowance, book
        self.prices = instance.prices
        self.expected = objective == "expected"
        self.limit = largest_loss(goal) if goal.trees == "error" else 0.0
        self.known: dict[_State, Options] = {}
        self.sides = [_sides(column) for column in instance.codes.T]

    def best(self, objects: int, path: PathState) -> Options:
        """The options for these objects, below a path that has paid so far."""
        useful = [t for t, sides in enumerate(self.sides) if all(objects & ~side for side in sides)]
        path = self.prices.restricted(path, useful)
        state = (objects, path)
        if state in self.known:
            return self.known[state]
        if not self.allowance.has_time():
            raise _OutOfTimeError
        index = np.array([i for i in range(objects.bit_length()) if objects >> i & 1], dtype=np.intp)
        options = self._as_leaf(self.instance.take(index))
        share = float(self.instance.p[index].sum()) if self.expected else 1.0
        price_of = self.prices.marginals(path).tolist()
        for price, test in sorted((share * price_of[t], t) for t in useful):
            if options and options[0][0] <= 0 and options[0][1] <= price:
                break  # something free of error costs no more than this test alone
            below = self.prices.visit(path, test)
            branches: Options = [(0.0, 0.0)]
            for side in self.sides[test]:
                if objects & side:
                    branches = self._together(branches, self.best(objects & side, below))
            options = _unbeaten(options + [(loss, price + cost) for loss, cost in branches])
        self.book(_STATE_BYTES + _OPTION_BYTES * len(options))
        self.known[state] = options
        return options

    def _as_leaf(self, part: Instance) -> Options:
        if self.goal.trees != "error":
            return [(0.0, 0.0)] if may_be_leaf(part, self.goal, self.allowance) else []
        by_class = np.bincount(part.labels, weights=part.loss)
        loss = max(0.0, float(by_class.sum() - by_class.max()))
        return [(loss, 0.0)] if loss <= self.limit else []

    def _together(self, left: Options, right: Options) -> Options:
        """Losses add up over branches; so do expected prices, while of worst cases the higher counts."""
        self.allowance.look()
        return _unbeaten(
            [
                (a + b, c + d if self.expected else max(c, d))
                for a, c in left
                for b, d in right
                if a + b <= self.limit
            ]
        )


def _sides(column: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """The objects of each outcome, as bits."""
    sides: dict[int, int] = {}
    for i, code in enumerate(column.tolist()):
        sides[code] = sides.get(code, 0) | 1 << i
    return list(sides.values())


def _unbeaten(options: Options) -> Options:
    kept: Options = []
    for loss, cost in sorted(options):
        if not kept or cost < kept[-1][1]:
            kept.append((loss, cost))
    return kept
