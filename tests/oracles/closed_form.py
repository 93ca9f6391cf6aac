"""The efficiency term of paper 000's score from sums over each outcome, in exact fractions.

Write m_i = max(p_i, θ). At the node S object i has f̃_i = 1 - (p(S) - m_i)_+ φ(S) / ((1 - m_i) φ(X)), so the
factors of the root cancel in its progress from S to its outcome. `efficiency_from_sums` needs sums that
can be added over codes; `efficiency_with_groups` serves data that was not coalesced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracles.ngi import Cell, Instance, impure_pairs, indistinguishable, mass


@dataclass(frozen=True)
class Sums:
    """What an outcome must be known by: of its objects at the node S, light (p_i <= θ) and heavy."""

    pairs: int  # φ of the outcome, from its class counts
    mass: Fraction
    light: Fraction  # Σ p_i over the light
    a: Fraction  # Σ p_i / (p(S) - p_i) over the heavy
    b: Fraction  # Σ p_i² / (p(S) - p_i) over the heavy
    heavy: Fraction  # Σ p_i over the heavy that are not covered yet


def sums_of(of: Instance, cell: Cell, part: Cell) -> Sums:
    """The sums of one outcome of a test at `cell`."""
    whole = mass(of, cell)
    light = [of.p[i] for i in part if of.p[i] <= of.theta]
    heavy = [of.p[i] for i in part if of.theta < of.p[i] < whole]
    return Sums(
        pairs=impure_pairs(of, part),
        mass=mass(of, part),
        light=sum(light, Fraction(0)),
        a=sum((p / (whole - p) for p in heavy), Fraction(0)),
        b=sum((p * p / (whole - p) for p in heavy), Fraction(0)),
        heavy=sum(heavy, Fraction(0)),
    )


def efficiency_from_sums(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Fraction:
    """E, if every group of indistinguishable objects is of one class or no heavier than m_i."""
    pairs, whole, theta = impure_pairs(of, cell), mass(of, cell), of.theta
    if pairs == 0 or whole <= theta:
        return Fraction(0)
    outcomes = [sums_of(of, cell, part) for part in parts]
    total = sum((v.light + v.heavy for v in outcomes), Fraction(0))
    for v in outcomes:
        light = v.light * max(v.mass - theta, Fraction(0)) / (whole - theta)
        heavy = v.mass * v.a - v.b
        total -= Fraction(v.pairs, pairs) * (light + heavy)
    return total


def efficiency_with_groups(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Fraction:
    """E for any data: K_i is what no test can remove from object i's group."""
    total = Fraction(0)
    for part in parts:
        for i in part:
            now, then = _left_over(of, i, cell), _left_over(of, i, part)
            stays = _left_over(of, i, indistinguishable(of, i))
            if now > stays:
                total += of.p[i] * (now - then) / (now - stays)
    return total


def _left_over(of: Instance, i: int, cell: Cell) -> Fraction:
    """(p(S) - m_i)_+ φ(S)."""
    return max(mass(of, cell) - max(of.p[i], of.theta), Fraction(0)) * impure_pairs(of, cell)
