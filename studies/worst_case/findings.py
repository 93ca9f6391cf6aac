"""Which impurity errs less at which largest number of tests, and whether paper 001's two findings hold.

The paper finds hinged-Pairs better for trees of small max-cost, Powers better for large ones. Here that
means: take the max-costs at which the errors of hinged-Pairs and of the Powers differ; in the lower half of
them hinged-Pairs should err less, in the upper half Powers. The middle one of an odd number is in neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

HINGED = "hinged-Pairs"
# Eq. (10) without its -α²: what the paper's own example computes with, and maybe its program.
WITHOUT_OFFSET = "without −α²"
POWERS = ("Powers 2", "Powers 3", "Powers 4", "Powers 5")
IMPURITIES = (*POWERS, HINGED, WITHOUT_OFFSET)


@dataclass(frozen=True)
class Point:
    """A tree: the most tests that an object takes, the share of objects it gets wrong, and its δ or α."""

    max_cost: int
    error: float
    parameter: float
    leaves: int


Curves: TypeAlias = Mapping[str, Sequence[Point]]  # by impurity


@dataclass(frozen=True)
class PaperComparison:
    """Where the errors of hinged-Pairs and of the best Powers differ. Positive: hinged-Pairs errs more."""

    differences: Mapping[int, float]  # by max-cost, ascending; none is 0

    @property
    def small(self) -> tuple[int, ...]:
        """The lower half of the max-costs at which errors differ."""
        costs = tuple(self.differences)
        return costs[: len(costs) // 2]

    @property
    def large(self) -> tuple[int, ...]:
        """The upper half."""
        costs = tuple(self.differences)
        return costs[len(costs) - len(costs) // 2 :]

    @property
    def hinged_better(self) -> int:
        """Small max-costs at which hinged-Pairs errs less."""
        return sum(self.differences[cost] < 0 for cost in self.small)

    @property
    def powers_better(self) -> int:
        """Large max-costs at which the best Powers errs less."""
        return sum(self.differences[cost] > 0 for cost in self.large)


def error_at(points: Iterable[Point], max_cost: int) -> float:
    """The least error of a tree of at most this max-cost; a single leaf is always one of them."""
    return min(point.error for point in points if point.max_cost <= max_cost)


def max_costs(curves: Curves) -> range:
    """From 0 to where the last impurity reaches its least error."""
    least = {name: min(point.error for point in points) for name, points in curves.items()}
    reached = (
        min(point.max_cost for point in points if point.error == least[name])
        for name, points in curves.items()
    )
    return range(1 + max(reached))


def compare(curves: Curves, hinged: str = HINGED) -> PaperComparison:
    """Hinged-Pairs, in one of its two forms, against the best of the Powers at every max-cost."""
    differences = {}
    for cost in max_costs(curves):
        of_powers = min(error_at(curves[name], cost) for name in POWERS)
        differences[cost] = error_at(curves[hinged], cost) - of_powers
    return PaperComparison({cost: d for cost, d in differences.items() if d != 0})


def verdict(better: int, of: int) -> str:
    """Whether a finding holds, given at how many of the max-costs it does."""
    if of == 0:
        return "no case"
    if 2 * better == of:
        return "undecided"
    return "holds" if 2 * better > of else "fails"
