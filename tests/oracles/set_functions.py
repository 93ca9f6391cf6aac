"""The impurities of paper 001 by their definitions: exact functions of the objects per class in a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import TypeAlias

SetFunction: TypeAlias = Callable[[Sequence[int]], Fraction]
Term: TypeAlias = tuple[Fraction | int, Sequence[int]]  # coefficient, and the exponent of every class

ZERO = Fraction(0)


def pairs(counts: Sequence[int]) -> Fraction:
    """The pairs of objects whose classes differ."""
    return Fraction(sum(a * b for a, b in combinations(counts, 2)))


def powers(l: int) -> SetFunction:  # noqa: E741  (the paper's letter)
    """Equation (9): n^l minus the sum of n_i^l."""
    return lambda counts: Fraction(sum(counts) ** l - sum(n**l for n in counts))


def hinged_pairs(alpha: Fraction | int | str, *, offset: bool = True) -> SetFunction:
    """Equation (10) over i < j; without the offset -α² as in the paper's Figure 1."""
    a = Fraction(alpha)
    subtracted = a * a if offset else ZERO

    def function(counts: Sequence[int]) -> Fraction:
        above = [max(n - a, ZERO) for n in counts]
        return sum((max(p * q - subtracted, ZERO) for p, q in combinations(above, 2)), ZERO)

    return function


def polynomial(terms: Sequence[Term]) -> SetFunction:
    """Equation (8): the sum of γ Π n_i^p_i."""
    return lambda counts: (
        sum(
            (Fraction(gamma) * prod(n**p for n, p in zip(counts, exponents, strict=True)))
            for gamma, exponents in terms
        )
        + Fraction(0)
    )
