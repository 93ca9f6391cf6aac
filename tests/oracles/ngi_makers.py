"""Random instances of non-overfitting group identification, small enough for brute force.

Only `Random.random` is drawn from, whose sequence Python promises to keep: recorded results stay comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import TypeVar

from oracles.ngi import Instance, indistinguishable, instance

T = TypeVar("T")


def random_instance(
    rng: Random,
    *,
    max_objects: int = 7,
    max_tests: int = 4,
    realisable: bool = True,
    zero_probabilities: bool = False,
) -> Instance:
    """Two to four classes, tests of two or three outcomes, weights from even to very uneven, any θ.

    `realisable`: all objects differ in some test. Otherwise about half of the instances have objects of
    different classes that no test tells apart. `zero_probabilities` lets objects weigh nothing.
    """
    n_objects = 2 + below(rng, max_objects - 1)
    n_tests = 1 + below(rng, max_tests)
    arity = [2 + below(rng, 2) for _ in range(n_tests)]
    n_classes = 2 + below(rng, 3)
    codes = [[below(rng, k) for k in arity] for _ in range(n_objects)]
    if realisable:
        codes = [list(row) for row in dict.fromkeys(tuple(row) for row in codes)]
    labels = [below(rng, n_classes) for _ in codes]
    heaviest = one_of(rng, (1, 4, 30))
    least = 0 if zero_probabilities else 1
    weights = [max(below(rng, heaviest + 1), least) for _ in codes]
    if not any(weights):
        weights[0] = 1
    if rng.random() < 0.2:
        weights[below(rng, len(weights))] = 10 * heaviest
    prices = [1 + below(rng, 5) for _ in range(n_tests)]
    theta = one_of(rng, (Fraction(0), Fraction(1, 20), Fraction(1, 5), Fraction(below(rng, 101), 100)))
    return instance(codes, labels, weights, prices, theta)


def has_impure_groups(of: Instance) -> bool:
    """Whether objects of different classes cannot be told apart."""
    return any(len({of.labels[j] for j in indistinguishable(of, i)}) > 1 for i in of.objects)


def below(rng: Random, n: int) -> int:
    """A whole number from 0 to n - 1."""
    return int(rng.random() * n)


def one_of(rng: Random, choices: Sequence[T]) -> T:
    """One of the choices, all equally likely."""
    return choices[below(rng, len(choices))]
