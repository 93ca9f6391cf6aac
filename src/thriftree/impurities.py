"""The impurities of worst-case trees: functions F of the objects of each class in a set.

An impurity is *admissible* (paper 001, section 3) if it is non-negative, zero on pure sets, monotone,
supermodular, and grows no faster than a power of the number of objects. With any such F the greedy tree costs
at worst at most a factor of order log n more than the best tree can. The four here are admissible whatever
their parameters; `check_admissible` tries a function of one's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thriftree.admissibility import check_admissible

__all__ = ["HingedPairs", "Impurity", "Pairs", "Polynomial", "Powers", "check_admissible", "name_of"]

Floats: TypeAlias = NDArray[np.float64]
_ROUNDING = 1e-12  # at n_i n_j = α (n_i + n_j) hinged pairs are 0, whatever the digits of α
Term: TypeAlias = tuple[float, tuple[int, ...]]


@dataclass(frozen=True)
class Pairs:
    """The number of pairs of objects of different classes.

    >>> Pairs().value([30, 10]).item()
    300.0
    """

    def value(self, counts: ArrayLike) -> Floats:
        """F of each set; `counts[..., k]` are the objects of each class."""
        n = _counts(counts)
        return _summed(n[..., 1:] * np.cumsum(n, axis=-1)[..., :-1])


@dataclass(frozen=True)
class Powers:
    """The l-th power of the number of objects, minus those of each class (Eq. 9 of paper 001).

    `Powers(2)` is twice `Pairs()`; the larger l, the more a test must divide the objects evenly. F of very
    many objects to a very high power is infinite here, as in every float.

    Parameters
    ----------
    l : int >= 2

    >>> Powers(3).value([2, 1]).item()
    18.0
    """

    l: int  # noqa: E741  (the paper's letter)

    def __post_init__(self) -> None:
        if isinstance(self.l, bool) or not isinstance(self.l, Integral) or self.l < 2:
            raise ValueError(f"l is {self.l!r}: give an int of 2 or more")
        object.__setattr__(self, "l", int(self.l))

    def value(self, counts: ArrayLike) -> Floats:
        """F of each set; `counts[..., k]` are the objects of each class."""
        n = _counts(counts)
        total = n.sum(axis=-1, keepdims=True)
        # N^l - sum n^l = sum n (N - n) (N^(l-2) + N^(l-3) n + ... + n^(l-2)): no difference of large numbers.
        with np.errstate(over="ignore", invalid="ignore"):
            quotient = np.ones_like(n)
            power = np.ones_like(n)
            for _ in range(self.l - 2):
                power = power * n
                quotient = quotient * total + power
            mixed = n * (total - n)
            return _summed(np.where(mixed > 0, mixed * quotient, 0.0))


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in the objects of each class, such as 2·n₁·n₂ + n₁²·n₃ (Eq. 8 of paper 001).

    Parameters
    ----------
    terms : sequence of (coefficient, exponents)
        A coefficient >= 0 and a whole exponent >= 0 for each class, in the order of `classes_`; at least two
        exponents of a term are not 0, or a pure set would not be pure.

    >>> Polynomial([(2.0, (1, 1, 0)), (1.0, (2, 0, 1))]).value([3, 1, 1]).item()
    15.0
    """

    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        terms = tuple(_term(number, term) for number, term in enumerate(_listed(self.terms, "terms")))
        if not any(coefficient > 0 for coefficient, _ in terms):
            raise ValueError("terms has no positive coefficient, so F would be 0: give at least one")
        sizes = [len(exponents) for _, exponents in terms]
        for number, size in enumerate(sizes):
            if size != sizes[0]:
                raise ValueError(
                    f"terms[{number}] has {size} exponents, but terms[0] has {sizes[0]}: give every term one "
                    "exponent a class"
                )
        object.__setattr__(self, "terms", terms)

    @property
    def n_classes(self) -> int:
        """Exponents of a term."""
        return len(self.terms[0][1])

    def value(self, counts: ArrayLike) -> Floats:
        """F of each set; `counts[..., k]` are the objects of each class."""
        n = _counts(counts)
        if n.shape[-1] != self.n_classes:
            raise ValueError(
                f"Polynomial has terms of {self.n_classes} classes, but counts have {n.shape[-1]}: give one "
                "exponent a class"
            )
        total = np.zeros(n.shape[:-1])
        with np.errstate(over="ignore", invalid="ignore"):
            for coefficient, exponents in self.terms:
                powers = n ** np.array(exponents, dtype=np.float64)
                # 0 where a class is absent, though the power of another may be infinite.
                product = np.where((powers == 0).any(axis=-1), 0.0, np.prod(powers, axis=-1))
                total = total + (coefficient * product if coefficient > 0 else 0.0)
        return np.asarray(total, dtype=np.float64)


@dataclass(frozen=True)
class HingedPairs:
    """Pairs of which small classes are forgiven: the sum over classes i < j of
    [[n_i - α]₊ [n_j - α]₊ - α²]₊ (Eq. 10 of paper 001).

    A set in which all classes but one have at most α objects is pure enough, F = 0, so the tree may err.
    `HingedPairs(0)` is `Pairs()`.

    Parameters
    ----------
    alpha : float, optional
        α, a number of objects; it may be fractional.
    epsilon : float, optional
        α as a share of all objects, from 0 to 1. Give one of the two.
    offset : bool, default=True
        Whether α² is taken off. False gives the figures of the paper's Figure 1.

    >>> HingedPairs(8).value([30, 30]).item()
    420.0
    >>> HingedPairs(8, offset=False).value([30, 30]).item()
    484.0
    """

    alpha: float | None = None
    epsilon: float | None = field(default=None, kw_only=True)
    offset: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        if (self.alpha is None) == (self.epsilon is None):
            raise ValueError(
                "give alpha, a number of objects, or epsilon, a share of them: one of the two, not "
                + ("both" if self.alpha is not None else "neither")
            )
        if self.alpha is not None:
            object.__setattr__(self, "alpha", _number("alpha", self.alpha, "a finite number >= 0"))
        else:
            epsilon = _number("epsilon", self.epsilon, "a number from 0 to 1")
            if epsilon > 1:
                raise ValueError(f"epsilon is {self.epsilon!r}: give a number from 0 to 1, or alpha")
            object.__setattr__(self, "epsilon", epsilon)
        if not isinstance(self.offset, (bool, np.bool_)):
            raise ValueError(f"offset is {self.offset!r}: give True or False")

    def of(self, n_objects: int) -> HingedPairs:
        """The same with α as a number, where it is a share: that of `n_objects`."""
        if self.epsilon is None:
            return self
        return HingedPairs(self.epsilon * n_objects, offset=self.offset)

    def value(self, counts: ArrayLike) -> Floats:
        """F of each set; `counts[..., k]` are the objects of each class."""
        if self.alpha is None:
            raise ValueError("epsilon is a share of objects that are not known here: give alpha, or call of")
        n = _counts(counts)
        over = np.maximum(n - self.alpha, 0.0)
        taken_off = self.alpha**2 if self.offset else 0.0
        total = np.zeros(n.shape[:-1])
        for i in range(n.shape[-1] - 1):
            product = over[..., i, None] * over[..., i + 1 :]
            total = total + _summed(np.where(product > taken_off * (1 + _ROUNDING), product - taken_off, 0.0))
        return np.asarray(total, dtype=np.float64)


Impurity: TypeAlias = Pairs | Powers | Polynomial | HingedPairs


def name_of(impurity: Any) -> str:
    """An impurity, or a function of one's own, as people read it.

    >>> name_of(HingedPairs(3.3000000000000003))
    'HingedPairs(3.3)'
    """
    match impurity:
        case Pairs():
            return "Pairs"
        case Polynomial(terms):
            return f"Polynomial({list(terms)})"
        case Powers(l):
            return f"Powers({l})"
        case HingedPairs(alpha=alpha, epsilon=epsilon, offset=offset):
            size = f"{alpha:g}" if alpha is not None else f"epsilon={epsilon:g}"
            return f"HingedPairs({size})" if offset else f"HingedPairs({size}, offset=False)"
    return str(getattr(impurity, "__name__", type(impurity).__name__))


def _counts(counts: ArrayLike) -> Floats:
    n = np.asarray(counts, dtype=np.float64)
    if n.ndim == 0:
        raise ValueError(f"counts is {counts!r}: give the objects of each class, in the last axis")
    return n


def _summed(terms: Floats) -> Floats:
    return np.asarray(terms.sum(axis=-1), dtype=np.float64)


def _number(parameter: str, value: Any, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise ValueError(f"{parameter} is {value!r}: give {wanted}")
    return float(value)


def _term(number: int, term: Any) -> Term:
    """One term of a polynomial, checked."""
    place = f"terms[{number}]"
    parts = _listed(term, place)
    if len(parts) != 2:
        raise ValueError(f"{place} is {term!r}: give (coefficient, exponents)")
    coefficient = _number(f"the coefficient of {place}", parts[0], "a finite number >= 0")
    exponents = _listed(parts[1], f"the exponents of {place}")
    for exponent in exponents:
        if isinstance(exponent, bool) or not isinstance(exponent, Integral) or exponent < 0:
            raise ValueError(f"the exponents of {place} have {exponent!r}: give whole numbers >= 0")
    if sum(exponent > 0 for exponent in exponents) < 2:
        raise ValueError(
            f"{place} has fewer than two classes with an exponent > 0, so a set of one class would not be "
            "pure: multiply by another class, or leave the term out"
        )
    return coefficient, tuple(int(exponent) for exponent in exponents)


def _listed(value: Any, parameter: str) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable) or not len(items := tuple(value)):
        raise ValueError(f"{parameter} is {value!r}: give a sequence of at least one")
    return items
