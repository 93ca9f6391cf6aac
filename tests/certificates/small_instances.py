"""Small random instances with whole prices, and the cheapest tree of a class by trying every tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from thriftree.impurities import HingedPairs, Pairs, Polynomial, Powers
from thriftree.search.instance import Goal, Instance

CLASSES = ("pure", "tolerance", "mass", "error")
OBJECTIVES = ("worst_case", "expected")


@dataclass(frozen=True)
class Small:
    """An instance in whole numbers: weights and losses are shares of `total`."""

    codes: tuple[tuple[int, ...], ...]  # by object
    labels: tuple[int, ...]
    weights: tuple[int, ...]
    losses: tuple[int, ...]
    own: tuple[int, ...]
    group: tuple[int, ...]
    setup: tuple[int, ...]
    weight_of_others: int = 0

    @property
    def total(self) -> int:
        return sum(self.weights) + self.weight_of_others

    @property
    def n_classes(self) -> int:
        return max(self.labels) + 1

    def take(self, objects: list[int]) -> Small:
        """These objects alone. Limits of goals stay shares of the weight of all."""
        rest = self.total - sum(self.weights[i] for i in objects)
        taken = (tuple(of[i] for i in objects) for of in (self.codes, self.labels, self.weights, self.losses))
        return Small(*taken, self.own, self.group, self.setup, rest)

    def instance(self) -> Instance:
        return Instance(
            np.array(self.codes, dtype=np.int64).reshape(len(self.labels), -1),
            np.array(self.labels, dtype=np.int64),
            np.array(self.weights) / self.total,
            np.array(self.losses) / self.total,
            np.array(self.own, dtype=np.float64),
            np.array(self.group, dtype=np.int64),
            np.array(self.setup, dtype=np.float64),
        )


def random_small(rng: np.random.Generator, most_objects: int = 7, most_tests: int = 4) -> Small:
    """2 .. most_objects distinct objects of up to 3 classes; at times groups, free tests, uneven weights."""
    n_tests = int(rng.integers(1, most_tests + 1))
    arity = rng.integers(2, 4, n_tests)
    wanted = int(rng.integers(2, most_objects + 1))
    codes = sorted({tuple(int(rng.integers(a)) for a in arity) for _ in range(wanted)})
    rng.shuffle(codes)
    n = len(codes)
    weights = rng.integers(1, 10 if rng.random() < 0.6 else 2, n)
    losses = [int(rng.integers(0 if rng.random() < 0.2 else 1, w + 1)) for w in weights]
    n_groups = int(rng.integers(0, 3))
    free = rng.random() < 0.3
    return Small(
        tuple(codes),
        tuple(rng.integers(0, int(rng.integers(2, 4)), n).tolist()),
        tuple(weights.tolist()),
        tuple(losses),
        tuple(rng.integers(0 if free else 1, 10, n_tests).tolist()),
        tuple(rng.integers(-1, n_groups, n_tests).tolist()),
        tuple(rng.integers(0, 8, n_groups).tolist()),
    )


def random_goal(rng: np.random.Generator, small: Small, trees: str) -> Goal:
    """A goal of this class with a limit that matters."""
    if trees == "mass":
        return Goal("mass", theta=int(rng.integers(0, small.total + 1)) / small.total)
    if trees == "error":
        return Goal("error", error=int(rng.integers(0, max(2, small.total // 3))) / small.total)
    if trees == "tolerance":
        k = small.n_classes
        counts = np.bincount(small.labels, minlength=k)
        impurity = [
            Pairs(),
            Powers(2),
            Powers(3),
            HingedPairs(float(rng.integers(0, 4)) / 2),
            HingedPairs(1.0, offset=False),
            Polynomial([(1.0, (2, 1, *[0] * (k - 2))), (0.5, (1, *[1] * (k - 1)))]) if k > 1 else Pairs(),
        ][rng.integers(6)]

        def padded(rows):
            return impurity.value(np.pad(rows, ((0, 0), (0, k - rows.shape[1]))))

        most = float(impurity.value(counts))
        return Goal("tolerance", padded, tolerance=float(rng.choice([0.0, 0.3 * most, 0.6 * most])))
    return Goal("pure")


def random_cases(how_many: int, trees: str, seed: int) -> Iterator[tuple[np.random.Generator, Small, Goal]]:
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        small = random_small(rng)
        yield rng, small, random_goal(rng, small, trees)


def optimum_by_trying(small: Small, goal: Goal, objective: str) -> Fraction:
    """The cheapest tree of the goal's class: every leaf or test at every set, in exact fractions."""
    error = Fraction(goal.error).limit_denominator(1000) * small.total
    return min(cost for loss, cost in _trees(small, goal, objective) if loss <= error)


def _trees(small: Small, goal: Goal, objective: str) -> set[tuple[Fraction, Fraction]]:
    """(loss, cost) of every tree whose leaves the goal allows."""
    theta = Fraction(goal.theta).limit_denominator(1000) * small.total

    def leaf_losses(objects: frozenset[int]) -> set[int]:
        present = {small.labels[i] for i in objects}
        if goal.trees == "error":
            return {sum(small.losses[i] for i in objects if small.labels[i] != label) for label in present}
        if len(present) == 1:
            return {0}
        if goal.trees == "mass" and sum(small.weights[i] for i in objects) <= theta:
            return {0}
        if goal.trees == "tolerance":
            counts = np.bincount([small.labels[i] for i in objects], minlength=small.n_classes)
            if float(goal.function(counts[None].astype(float))[0]) <= goal.tolerance + 1e-9:
                return {0}
        return set()

    @cache
    def trees(objects: frozenset[int], opened: frozenset[int]) -> frozenset[tuple[int, Fraction]]:
        found = {(loss, Fraction(0)) for loss in leaf_losses(objects)}
        share = Fraction(sum(small.weights[i] for i in objects), small.total)
        for t in range(len(small.own)):
            sides: dict[int, set[int]] = {}
            for i in objects:
                sides.setdefault(small.codes[i][t], set()).add(i)
            if len(sides) == 1:
                continue
            g = small.group[t]
            price = Fraction(small.own[t] + (small.setup[g] if g >= 0 and g not in opened else 0))
            together = {(0, Fraction(0))}
            for side in sides.values():
                options = trees(frozenset(side), opened | {g})
                together = {
                    (a + b, c + d if objective == "expected" else max(c, d))
                    for a, c in together
                    for b, d in options
                }
            own_share = share if objective == "expected" else 1
            found |= {(loss, own_share * price + cost) for loss, cost in together}
        # Of equal loss only the cheapest can be part of a cheapest tree.
        return frozenset((loss, min(c for other, c in found if other == loss)) for loss, _ in found)

    return set(trees(frozenset(range(len(small.labels))), frozenset()))
