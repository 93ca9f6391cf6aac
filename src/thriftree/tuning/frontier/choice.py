"""Choosing one tree of a frontier within bounds, or saying which come nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thriftree.tuning.frontier.points import FrontierPoint


@dataclass(frozen=True)
class Bound:
    """What a figure of a tree may be at most, or must be at least."""

    parameter: str  # the argument that set it
    figure: str  # the attribute of a point
    most: float | None = None
    least: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether the caller asked for it."""
        return self.most is not None or self.least is not None

    @property
    def limit(self) -> float:
        """The number that was given, checked."""
        given = self.least if self.most is None else self.most
        if isinstance(given, bool) or not isinstance(given, (int, float)) or given != given:
            raise ValueError(f"{self.parameter} is {given!r}: give a number")
        return float(given)

    def excess(self, point: FrontierPoint) -> float:
        """By how much the point misses the bound; at most 0 if it keeps it."""
        value = float(getattr(point, self.figure))
        # A price is a sum that may be off in its last digits, and a budget of 87.3 must admit the 87.3 tree.
        slack = 1e-9 * max(abs(self.limit), abs(value))
        return (self.limit - value if self.most is None else value - self.limit) - slack


def choose(points: Sequence[FrontierPoint], bounds: Sequence[Bound], metric: str) -> FrontierPoint:
    """See `Frontier.best`."""
    if not points:
        raise ValueError("the frontier has no trees to choose from")
    for bound in bounds:
        if getattr(points[0], bound.figure) is None:
            raise ValueError(f"{bound.parameter} asks for {bound.figure}, which was not measured here")
    fitting = [point for point in points if all(bound.excess(point) <= 0 for bound in bounds)]
    if not fitting:
        raise ValueError(_what_comes_nearest(points, bounds, metric))
    if any(bound.least is not None for bound in bounds):
        return min(fitting, key=lambda point: (point.expected_cost, *_thrift(point, metric)))
    return min(fitting, key=lambda point: _thrift(point, metric))


def _thrift(point: FrontierPoint, metric: str) -> tuple[float, ...]:
    """Small for a good score, then for low prices, then for few leaves."""
    score, *rest = point.figures(metric)
    return (-score, *rest)


def _what_comes_nearest(points: Sequence[FrontierPoint], bounds: Sequence[Bound], metric: str) -> str:
    """One line a bound: the tree that misses it least among those that keep the other bounds, if any do."""
    lines = []
    for bound in bounds:
        others = [b for b in bounds if b is not bound]
        rest = [p for p in points if all(b.excess(p) <= 0 for b in others)]
        if not rest:
            continue
        near = min(rest, key=lambda point: (max(bound.excess(point), 0.0), *_thrift(point, metric)))
        lines.append(
            f"{bound.parameter}={_number(getattr(near, bound.figure))} would give {_described(near, metric)}"
        )
    asked = ", ".join(f"{bound.parameter}={_number(bound.limit)}" for bound in bounds)
    if not lines:
        lines = ["no single bound is to blame: loosen several, or leave one out"]
    return f"none of the {len(points)} trees has {asked}. Nearest: {'; '.join(lines)}"


def _described(point: FrontierPoint, metric: str) -> str:
    score, expected, worst, leaves = point.figures(metric)
    prices = f"{_number(expected)} expected, {_number(worst)} at worst"
    return f"{metric} {score:.3f} for {prices}, {leaves:.0f} leaves"


def _number(value: Any) -> str:
    return f"{value:.6g}"
