"""Small random instances, and the cheapest trees on them by brute force in whole numbers.

Weights and prices are whole numbers of a unit, so every sum is exact. A tree reads whole features: reading
the feature where a tree first tests it gives a tree of the same prices whose leaves are parts of its leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from thriftree.search.instance import Goal, Instance

Objects = frozenset[int]


@dataclass(frozen=True)
class SmallCase:
    codes: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]
    weights: tuple[int, ...]
    losses: tuple[int, ...]  # at most the weight
    own: tuple[int, ...]  # in units of 1 / price_unit
    group: tuple[int, ...]
    setup: tuple[int, ...]
    price_unit: int
    theta: Fraction  # in units of weight
    error: Fraction  # in units of weight
    tolerance: Fraction

    @cached_property
    def total(self) -> int:
        return sum(self.weights)

    @cached_property
    def everything(self) -> Objects:
        return frozenset(range(len(self.labels)))

    @cached_property
    def instance(self) -> Instance:
        return Instance(
            np.array(self.codes, dtype=np.int64),
            np.array(self.labels, dtype=np.int64),
            np.array(self.weights) / self.total,
            np.array(self.losses) / self.total,
            np.array(self.own) / self.price_unit,
            np.array(self.group, dtype=np.int64),
            np.array(self.setup, dtype=np.float64) / self.price_unit,
        )

    def goal(self, trees: str) -> Goal:
        theta, error = float(self.theta / self.total), float(self.error / self.total)
        return Goal(trees, function=pairs, tolerance=float(self.tolerance), theta=theta, error=error)

    def price(self, tests: frozenset[int]) -> int:
        opened = {self.group[t] for t in tests} - {-1}
        return sum(self.own[t] for t in tests) + sum(self.setup[g] for g in opened)

    def weight(self, objects: Objects) -> int:
        return sum(self.weights[x] for x in objects)

    def parts(self, objects: Objects, test: int) -> list[Objects]:
        codes = sorted({self.codes[x][test] for x in objects})
        return [frozenset(x for x in objects if self.codes[x][test] == code) for code in codes]

    def may_be_leaf(self, objects: Objects, trees: str) -> bool:
        counts = [sum(self.labels[x] == k for x in objects) for k in range(max(self.labels) + 1)]
        if trees == "tolerance":
            return sum(a * b for i, a in enumerate(counts) for b in counts[:i]) <= self.tolerance
        pure = sum(c > 0 for c in counts) == 1
        return pure or (trees == "mass" and self.weight(objects) <= self.theta)


def pairs(counts: np.ndarray) -> np.ndarray:
    """Pairs of objects of different classes."""
    return (counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)) / 2


def least_expected_cost(case: SmallCase, trees: str) -> float:
    """The least expected cost of a tree of this class, with what is paid before carried along."""
    if trees == "error":
        choices = loss_and_cost(case, case.everything, frozenset())
        cost = min(cost for loss, cost in choices if loss <= case.error)
    else:
        cost = least_cost_below(case, trees, case.everything, frozenset(), {})
    return cost / (case.total * case.price_unit)


def least_cost_below(
    case: SmallCase, trees: str, objects: Objects, bought: frozenset[int], known: dict[object, int]
) -> int:
    if case.may_be_leaf(objects, trees):
        return 0
    at = (objects, bought)
    if at not in known:
        known[at] = min(
            case.weight(objects) * (case.price(bought | {t}) - case.price(bought))
            + sum(least_cost_below(case, trees, part, bought | {t}, known) for part in parts)
            for t, parts in tests_of(case, objects)
        )
    return known[at]


def loss_and_cost(case: SmallCase, objects: Objects, bought: frozenset[int]) -> list[tuple[int, int]]:
    """(loss, cost) of all subtrees that no other beats in both."""
    labels = {case.labels[x] for x in objects}
    found = [(sum(case.losses[x] for x in objects if case.labels[x] != label), 0) for label in labels]
    for t, parts in tests_of(case, objects):
        paid = case.weight(objects) * (case.price(bought | {t}) - case.price(bought))
        for choice in product(*(loss_and_cost(case, part, bought | {t}) for part in parts)):
            found.append((sum(loss for loss, _ in choice), paid + sum(cost for _, cost in choice)))
    best: list[tuple[int, int]] = []
    for loss, cost in sorted(set(found)):
        if not best or cost < best[-1][1]:
            best.append((loss, cost))
    return best


def tests_of(case: SmallCase, objects: Objects) -> Iterator[tuple[int, list[Objects]]]:
    for t in range(len(case.own)):
        parts = case.parts(objects, t)
        if len(parts) > 1:
            yield t, parts


def least_price_of(case: SmallCase, x: int, trees: str) -> float:
    """The least that x pays in a tree of this class: over all sets of tests that may end its path."""
    prices = []
    for chosen in product((False, True), repeat=len(case.own)):
        tests = frozenset(t for t, taken in enumerate(chosen) if taken)
        alike = frozenset(
            y for y in case.everything if all(case.codes[x][t] == case.codes[y][t] for t in tests)
        )
        if case.may_be_leaf(alike, trees):
            prices.append(case.price(tests))
    return min(prices) / case.price_unit


def random_case(rng: np.random.Generator) -> SmallCase:
    """2-7 distinct objects, 1-4 tests of 2-3 outcomes, 2-3 classes, groups and free tests now and then."""
    while True:
        m = int(rng.integers(1, 5))
        codes = np.unique(rng.integers(0, rng.integers(2, 4), size=(rng.integers(2, 8), m)), axis=0)
        if len(codes) >= 2:
            break
    n = len(codes)
    weights = rng.integers(1, rng.choice([2, 5, 10]), size=n)
    if rng.random() < 0.3:
        weights[rng.integers(n)] = weights.sum() + 3
    losses = np.where(rng.random(n) < 0.7, weights, rng.integers(0, weights + 1))
    n_groups = int(rng.integers(0, 3)) if rng.random() < 0.5 else 0
    some = weights[rng.random(n) < rng.random()].sum()  # often exactly a sum of weights
    return SmallCase(
        codes=tuple(map(tuple, rng.permutation(codes).tolist())),
        labels=tuple(rng.integers(0, rng.integers(2, 4), size=n).tolist()),
        weights=tuple(weights.tolist()),
        losses=tuple(losses.tolist()),
        own=tuple((rng.integers(1, 10, size=m) * (rng.random(m) > 0.1)).tolist()),
        group=tuple(rng.integers(-1, n_groups, size=m).tolist()),
        setup=tuple(rng.integers(0, 10, size=n_groups).tolist()),
        price_unit=int(rng.choice([1, 7])),
        theta=Fraction(int(some)) + rng.choice([0, 0, Fraction(1, 2), -Fraction(1, 2)]) * bool(some),
        error=Fraction(int(losses[rng.random(n) < 0.3].sum())),
        tolerance=Fraction(int(rng.integers(0, 4))),
    )


def random_cases(how_many: int, seed: int) -> Iterator[SmallCase]:
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        yield random_case(rng)
