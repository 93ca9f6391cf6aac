"""Proven trade-offs of risk and expected price: corners of the lower hull, by searches at weights of price.

With risk R (error and penalties) and expected price P, the best of R + w·P is a concave function of w, made
of straight lines. Two trees tie at the w where their lines cross; if no tree is better there, none lies below
the straight line between them. A limit on P is met by the same searches: for every w,
R ≥ best(w) − w·limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from thriftree.methods.optimal.outline import LEAF, Outline
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import OPTIMAL, Solution

_ROUNDING: Final = 1e-9  # of an objective: a tree that is better by less is no corner
_FIRST_SHARE: Final = 1e-3  # of the least share of the weight, that the highest price is worth at first
_MOST_SEARCHES: Final = 200


@dataclass(frozen=True)
class PricePoint:
    """A tree with its risk (error and penalties) and expected price."""

    outline: Outline
    risk: float
    price: float

    def at(self, weight: float) -> float:
        """The objective where a price of 1 is worth so much."""
        return self.risk + weight * self.price


@dataclass
class PricePath:
    """Searches of one problem at weights of price, at least `least_weight`."""

    problem: Problem  # with prices
    search: Callable[[Problem, Sequence[Outline]], Solution]
    least_weight: float = 0.0
    solutions: dict[float, Solution] = field(default_factory=dict)  # by weight
    points: list[PricePoint] = field(default_factory=list)  # what they found

    def hull(self) -> list[PricePoint]:
        """The corners, by falling price: from the least risk, at its least price, to what is free."""
        self.solved(self._first_weight, ())
        self._free()
        while True:
            corners = lower_hull(self.points)
            weights = [_crossing(dear, cheap) for dear, cheap in pairwise(corners)]
            # Searches generate tests of their own, so that one may find what another had no test for: where
            # corners meet anew, they are searched anew.
            fresh = [w for w in weights if w > self.least_weight and w not in self.solutions]
            if not fresh or len(self.solutions) + len(fresh) > _MOST_SEARCHES:
                return corners
            for weight in fresh:
                self.solved(weight, [one.outline for one in corners])

    def within(self, most: float) -> PricePoint:
        """The best corner whose price is at most `most`."""
        dear = self.solved(self.least_weight, ())
        if dear.price <= most:
            return dear
        cheap = self._free()
        while len(self.solutions) < _MOST_SEARCHES:
            found = self._corner_between(dear, cheap)
            if found is None:
                break
            dear, cheap = (dear, found) if found.price <= most else (found, cheap)
        return cheap

    def lower_bound(self, most: float) -> float:
        """What no tree of at most this price has a smaller objective than, by the searches so far."""
        least = self.least_weight
        return max(
            (one.lower_bound - (weight - least) * most for weight, one in self.solutions.items()), default=0.0
        )

    @property
    def proved(self) -> bool:
        """Whether every search came to its end."""
        return all(one.status == OPTIMAL for one in self.solutions.values())

    def solved(self, weight: float, warm: Sequence[Outline]) -> PricePoint:
        """The best tree at a weight."""
        problem = self.problem.with_price_weight(weight)
        self.solutions[weight] = self.search(problem, warm)
        self.points.append(self.point(self.solutions[weight].outline))
        return self.points[-1]

    def point(self, outline: Outline) -> PricePoint:
        """An outline with its figures."""
        free, priced = (self.problem.with_price_weight(weight).objective(outline) for weight in (0.0, 1.0))
        risk = self.problem.risk(free)
        return PricePoint(outline, risk, max(0.0, self.problem.risk(priced) - risk))

    @property
    def _first_weight(self) -> float:
        """So little that no price is worth a mistake, and of equal risks the cheapest wins."""
        return max(self.least_weight, _FIRST_SHARE / len(self.problem.rows) / max(self._highest, 1e-300))

    @property
    def _highest(self) -> float:
        """What any path costs at most."""
        assert self.problem.prices is not None
        rules = self.problem.prices.rules
        return float(rules.own.sum() + rules.setup.sum())

    def _free(self) -> PricePoint:
        """The best tree that costs nothing: any price is worth more than all mistakes."""
        assert self.problem.prices is not None
        rules = self.problem.prices.rules
        positive = [price for price in (*rules.own.tolist(), *rules.setup.tolist()) if price > 0]
        alone = self.problem.risk(self.problem.objective(LEAF))
        weight = 2 * (alone + 1e-9) * len(self.problem.rows) / min(positive, default=1.0)
        return self.solved(max(weight, self._first_weight), ())

    def _corner_between(self, dear: PricePoint, cheap: PricePoint) -> PricePoint | None:
        if dear.price - cheap.price <= _ROUNDING * max(1.0, dear.price) or cheap.risk <= dear.risk:
            return None
        weight = _crossing(dear, cheap)
        if weight <= self.least_weight or weight in self.solutions:
            return None
        found = self.solved(weight, (dear.outline, cheap.outline))
        return found if found.at(weight) < dear.at(weight) - _ROUNDING else None


def _crossing(dear: PricePoint, cheap: PricePoint) -> float:
    """The weight of price at which both are as good."""
    return (cheap.risk - dear.risk) / (dear.price - cheap.price)


def lower_hull(points: Sequence[PricePoint]) -> list[PricePoint]:
    """The points that are best at some weight of price, by falling price; of nearly equal ones the first."""
    hull: list[PricePoint] = []
    for point in sorted(points, key=lambda one: (one.price, one.risk)):
        if hull and point.risk >= hull[-1].risk - _ROUNDING:
            continue
        while len(hull) > 1 and hull[-1].at(weight := _crossing(point, hull[-2])) >= (
            point.at(weight) - _ROUNDING
        ):
            hull.pop()
        hull.append(point)
    return hull[::-1]
