"""The cheapest set of tests whose gains add up to a demand: a knapsack in which tests share set-up prices."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from thriftree.search.allowance import Allowance
from thriftree.search.instance import Floats, Instance, Ints

_NODE_BYTES = 1000  # beside its arrays
_MOST_NODES = 300  # of branch and bound: a knapsack with more is left with the bound reached


@dataclass(frozen=True, eq=False)
class Market:
    """Tests on sale: what each gains and costs. A test of a group is paid `own` and, once, its set-up."""

    gain: Floats  # by test, >= 0
    own: Floats  # by test
    group: Ints  # by test; -1: none
    setup: Floats  # by group

    @classmethod
    def of(cls, instance: Instance, gain: Floats) -> Market:
        """The tests of an instance at its prices."""
        return cls(np.maximum(gain, 0.0), instance.own, instance.group, instance.setup)

    def bundles(self) -> tuple[Floats, Floats, Ints]:
        """Price, gain and one test of every bundle, cheapest per gain first.

        A bundle is a single test, or the tests of a group that are best bought with its set-up: those of
        least own / gain, as many as make (setup + sum of own) / (sum of gains) least. Further tests of the
        group cost more per gain than that, so buying bundles in this order, the last one in part, solves
        min sum own z + sum setup y, sum gain z >= demand, 0 <= z <= y <= 1, which no set of tests undercuts.
        """
        tests = np.flatnonzero(self.gain > 0)
        price, gain, sample = self.own[tests], self.gain[tests], tests
        keep = np.ones(len(tests), dtype=bool)
        bundled: list[tuple[float, float, int]] = []
        for g, setup in enumerate(self.setup):
            members = np.flatnonzero(self.group[tests] == g)
            if setup == 0 or len(members) == 0:
                continue
            members = members[np.argsort(price[members] / gain[members], kind="stable")]
            cost, gained = setup + np.cumsum(price[members]), np.cumsum(gain[members])
            size = int(np.argmin(cost / gained)) + 1
            first = members[:size]
            keep[first] = False
            largest = first[np.argmax(gain[first])]
            bundled.append((float(cost[size - 1]), float(gained[size - 1]), int(tests[largest])))
        if bundled:
            first_of_groups = np.array(
                bundled
            )  # before further tests of the group at the same price per gain
            price = np.concatenate([first_of_groups[:, 0], price[keep]])
            gain = np.concatenate([first_of_groups[:, 1], gain[keep]])
            sample = np.concatenate([first_of_groups[:, 2].astype(np.int64), sample[keep]])
        order = np.argsort(price / gain, kind="stable")
        return price[order], gain[order], sample[order]

    def without(self, test: int) -> Market:
        """The market in which `test` is not on sale."""
        gain = self.gain.copy()
        gain[test] = 0.0
        return replace(self, gain=gain)

    def price_of(self, test: int) -> float:
        """What `test` costs, with its set-up."""
        g = int(self.group[test])
        return float(self.own[test]) + (float(self.setup[g]) if g >= 0 else 0.0)

    def after(self, test: int) -> Market:
        """The market after `test` was bought."""
        setup = self.setup.copy()
        if self.group[test] >= 0:
            setup[self.group[test]] = 0.0
        return replace(self.without(test), setup=setup)


def fractional_price(market: Market, demand: float) -> float:
    """The least price of gains of `demand` if tests could be bought in part; inf if all are too little."""
    return _relaxed(market, demand)[0]


def whole_prices(market: Market, demand: float, allowance: Allowance) -> Iterator[float]:
    """Rising lower bounds of the least price of a set of tests that gains `demand`, the last of them that
    price, if it is found within some hundred steps of branch and bound. inf if all tests gain too little.
    """
    number = count()  # so that the heap never compares markets
    bound, split = _relaxed(market, demand)
    yield bound
    with allowance.holding(2 * _MOST_NODES * (market.gain.nbytes + market.setup.nbytes + _NODE_BYTES)):
        yield from _branches([(bound, next(number), 0.0, market, demand, split)], number, allowance)


def _branches(
    heap: list[tuple[float, int, float, Market, float, int | None]], number: count[int], allowance: Allowance
) -> Iterator[float]:
    """What the cheapest branch costs, with every branch that is divided: its bound, number, what it has paid,
    what is on sale and wanted, and the test that divides it.
    """
    for _ in range(_MOST_NODES):
        allowance.look()
        bound, _, paid, market, demand, split = heap[0]
        yield bound
        if split is None or bound == np.inf:
            return  # a whole solution, or none; all other branches cost at least as much
        heapq.heappop(heap)
        price = market.price_of(split)
        rest = demand - float(market.gain[split])
        for spent, branch, need in (
            (paid + price, market.after(split), rest),
            (paid, market.without(split), demand),
        ):
            value, next_split = _relaxed(branch, need)
            # A branch costs no less than what it was split from.
            heapq.heappush(heap, (max(bound, spent + value), next(number), spent, branch, need, next_split))
    yield heap[0][0]


def _relaxed(market: Market, demand: float) -> tuple[float, int | None]:
    """The fractional price, and a test of the bundle that is bought in part (None: all are bought whole)."""
    if demand <= 0:
        return 0.0, None
    price, gain, sample = market.bundles()
    total = np.cumsum(gain)
    if len(total) == 0 or total[-1] < demand:
        return np.inf, None
    last = int(np.searchsorted(total, demand))
    share = (demand - (total[last] - gain[last])) / gain[last]
    value = float(price[:last].sum() + share * price[last])
    return value, None if share >= 1 else int(sample[last])
