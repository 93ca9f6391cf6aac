"""Non-overfitting group identification (paper 000) by its definitions, in exact fractions.

A *cell* is a set of objects that some tests do not tell apart: what reaches a node of a tree. The submodular
functions of section 4 and the three terms of the score are written down as the paper has them, one object at
a time; the oracle for the closed form and for the trees of the enhanced learners.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

Cell: TypeAlias = frozenset[int]
Number: TypeAlias = Fraction | float
Impurity: TypeAlias = Literal["gini", "entropy"]

ONE = Fraction(1)


@dataclass(frozen=True, eq=False)
class Instance:
    """Objects, their classes and probabilities, and the tests that tell them apart. Make it with
    `instance`.
    """

    codes: tuple[tuple[int, ...], ...]  # by object and test
    labels: tuple[int, ...]
    p: tuple[Fraction, ...]  # by object; they sum to 1
    prices: tuple[Fraction, ...]  # by test
    theta: Fraction
    counted: tuple[Fraction, ...] = ()  # by object: what impurities count it for, with class weights; (): p

    @property
    def as_counted(self) -> Instance:
        """The same objects with what impurities count them for as their probabilities."""
        return replace(self, p=self.counted, counted=()) if self.counted else self

    @property
    def objects(self) -> Cell:
        """X: all objects, the root of every tree."""
        return frozenset(range(len(self.labels)))

    @property
    def tests(self) -> range:
        """D: all tests."""
        return range(len(self.prices))


def instance(
    codes: Iterable[Iterable[int]],
    labels: Iterable[int],
    weights: Iterable[Fraction | float | str],
    prices: Iterable[Fraction | float | str],
    theta: Fraction | float | str = 0,
) -> Instance:
    """An instance; weights need not sum to 1, and numbers may be texts such as "1/3"."""
    given = [Fraction(w) for w in weights]
    total = sum(given)
    return Instance(
        tuple(tuple(int(code) for code in row) for row in codes),
        tuple(int(label) for label in labels),
        tuple(w / total for w in given),
        tuple(Fraction(price) for price in prices),
        Fraction(theta),
    )


def coalesce(
    codes: Sequence[Sequence[int]],
    labels: Sequence[int],
    weights: Sequence[Fraction | float],
    prices: Iterable[Fraction | float | str],
    theta: Fraction | float | str = 0,
    class_weight: Mapping[int, float] | None = None,
) -> tuple[Instance, list[int]]:
    """Rows of equal codes as one object of the heaviest class, the first of equals; and each row's object.

    Class weights decide which class is the heaviest and what impurities count an object for: p times the
    weight of its class, over the mean class weight of all rows.
    """
    factor = {label: Fraction((class_weight or {}).get(label, 1)) for label in labels}
    distinct = {row: i for i, row in enumerate(dict.fromkeys(tuple(row) for row in codes))}
    object_of_row = [distinct[tuple(row)] for row in codes]
    classes = sorted(set(labels))
    sums = [[Fraction(0)] * len(classes) for _ in distinct]
    for i, label, weight in zip(object_of_row, labels, weights, strict=True):
        sums[i][classes.index(label)] += Fraction(weight)
    counted = [[w * factor[label] for w, label in zip(by_class, classes, strict=True)] for by_class in sums]
    heaviest = [classes[by_class.index(max(by_class))] for by_class in counted]
    of = instance(distinct, heaviest, [sum(by_class) for by_class in sums], prices, theta)
    if class_weight is not None:
        all_counted = sum((w for by_class in counted for w in by_class), Fraction(0))
        mean = all_counted / sum((w for by_class in sums for w in by_class), Fraction(0))
        own = tuple(p * factor[label] / mean for p, label in zip(of.p, of.labels, strict=True))
        of = replace(of, counted=own)
    return of, object_of_row


@lru_cache(maxsize=1 << 14)
def mass(of: Instance, cell: Cell) -> Fraction:
    """p(S)."""
    return sum((of.p[i] for i in cell), Fraction(0))


@lru_cache(maxsize=1 << 14)
def impure_pairs(of: Instance, cell: Cell) -> int:
    """φ(S): the pairs of objects whose classes differ."""
    counts = Counter(of.labels[i] for i in cell).values()
    return (sum(counts) ** 2 - sum(n * n for n in counts)) // 2


def cell_of(of: Instance, i: int, tests: Collection[int], within: Cell | None = None) -> Cell:
    """S_D'^(i): the objects that answer all these tests as object i does."""
    start = of.objects if within is None else within
    return frozenset(j for j in start if all(of.codes[i][d] == of.codes[j][d] for d in tests))


@lru_cache(maxsize=1 << 14)
def indistinguishable(of: Instance, i: int) -> Cell:
    """S_D^(i): the objects that no test tells from object i."""
    return cell_of(of, i, of.tests)


def f_mass(of: Instance, i: int, cell: Cell) -> Fraction:
    """f^p of object i when its path has come to `cell`: the share of the other mass that is excluded."""
    if of.p[i] == 1:
        return ONE
    return (1 - mass(of, cell)) / (1 - of.p[i])


def f_mass_truncated(of: Instance, i: int, cell: Cell) -> Fraction:
    """f̄^p: covered as soon as no more than θ (or i itself) is left."""
    least = max(of.p[i], of.theta)
    if least >= 1:
        return ONE
    return min((1 - mass(of, cell)) / (1 - least), ONE)


def f_pairs(of: Instance, i: int, cell: Cell) -> Fraction:
    """f^φ: the share of the impure pairs that is excluded; it depends on i by its cell only."""
    pairs = impure_pairs(of, of.objects)
    if pairs == 0:
        return ONE
    return Fraction(pairs - impure_pairs(of, cell), pairs)


@lru_cache(maxsize=1 << 14)
def f_either(of: Instance, i: int, cell: Cell) -> Fraction:
    """f̃: the disjunction of f̄^p and f^φ."""
    return 1 - (1 - f_mass_truncated(of, i, cell)) * (1 - f_pairs(of, i, cell))


def divided(of: Instance, cell: Cell, test: int) -> list[Cell]:
    """The outcomes of a test on a cell, by code; those that no object has are left out."""
    values = sorted({of.codes[i][test] for i in cell})
    return [frozenset(i for i in cell if of.codes[i][test] == value) for value in values]


def largest(parts: Sequence[Cell]) -> list[Cell]:
    """The outcomes with most objects, by code. The paper does not say which of several v* is."""
    most = max(len(part) for part in parts)
    return [part for part in parts if len(part) == most]


def balance(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Fraction:
    """B: the mass outside of the outcome with most objects; of equal ones, outside of the heaviest."""
    return mass(of, cell) - max(mass(of, part) for part in largest(parts))


def efficiency(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Fraction:
    """E: each object's progress towards all it can reach; an object that is there already adds nothing."""
    total = Fraction(0)
    for part in parts:
        for i in part:
            now = f_either(of, i, cell)
            reachable = f_either(of, i, indistinguishable(of, i)) - now
            if reachable > 0:
                total += of.p[i] * (f_either(of, i, part) - now) / reachable
    return total


def discrimination(of: Instance, cell: Cell, parts: Sequence[Cell], impurity: Impurity) -> Number:
    """D = p(S) h(S) - Σ p(S_v) h(S_v); exact for gini, in bits for entropy."""
    weighed = weighed_gini if impurity == "gini" else weighed_entropy
    of = of.as_counted
    return weighed(of, cell) - sum(weighed(of, part) for part in parts)


def weighed_gini(of: Instance, cell: Cell) -> Fraction:
    """p(S) h(S) = Σ p_l (1 - p_l / p(S))."""
    total = mass(of, cell)
    return sum((w * (1 - w / total) for w in class_masses(of, cell)), Fraction(0))


def weighed_entropy(of: Instance, cell: Cell) -> float:
    """p(S) h(S) = -Σ p_l log2(p_l / p(S))."""
    total = mass(of, cell)
    return -sum(float(w) * math.log2(w / total) for w in class_masses(of, cell))


def class_masses(of: Instance, cell: Cell) -> list[Fraction]:
    """p_l(S) of the classes that have any mass in the cell, by class."""
    classes = sorted({of.labels[i] for i in cell})
    masses = [sum((of.p[i] for i in cell if of.labels[i] == c), Fraction(0)) for c in classes]
    return [m for m in masses if m > 0]


def benefit(of: Instance, cell: Cell, parts: Sequence[Cell], trade_off: Number, impurity: Impurity) -> Number:
    """B + E + λD, what the score of a test divides by its price; D alone for an infinite λ."""
    if trade_off == math.inf:
        return discrimination(of, cell, parts, impurity)
    both = balance(of, cell, parts) + efficiency(of, cell, parts)
    return both + trade_off * discrimination(of, cell, parts, impurity) if trade_off else both


def score(of: Instance, cell: Cell, test: int, trade_off: Number, impurity: Impurity = "gini") -> Number:
    """Z of equation (2)."""
    return benefit(of, cell, divided(of, cell, test), trade_off, impurity) / of.prices[test]


def is_leaf(of: Instance, cell: Cell) -> bool:
    """A node of one class, or of mass at most θ, is not divided."""
    return impure_pairs(of, cell) == 0 or mass(of, cell) <= of.theta
