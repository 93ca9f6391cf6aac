"""What a lower bound is computed from: objects, their classes and weights, and the least price of every test.

A bound speaks of all trees that test these features, whatever the form of their tests, so a feature is one
test here, with an outcome for every code. Prices are the least a test can cost: those of its cheapest
outcome, without delay. An own price a test and a set-up a group are all that bounds know of the rules of
prices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import PathState, PriceRules, Prices

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[
    np.integer[Any]
]  # in as few bytes as may be: sums of them are made of wider numbers
TreeClass: TypeAlias = Literal["pure", "tolerance", "mass", "error"]


@dataclass(frozen=True, eq=False)
class Instance:
    """Objects and tests. No two objects agree in all codes."""

    codes: Codes  # object x test, >= 0
    labels: Ints  # by object, 0 .. n_classes - 1: its heaviest class
    p: Floats  # by object: its share of the sample weight; they sum to 1
    # By object: the share of the weight that is lost if it is not predicted as its label says (the heaviest
    # class minus the next one).
    loss: Floats
    own: Floats  # by test: the cheapest outcome's price, without the set-up of its group; 0 if known
    group: Ints  # by test: -1, or the group whose set-up price the first of its tests on a path pays
    setup: Floats  # by group

    @property
    def n_classes(self) -> int:
        """Classes that labels may name."""
        return int(self.labels.max(initial=0)) + 1

    @property
    def alone(self) -> Floats:
        """By test: its price as the only test of its group on a path. What a single test costs at least;
        sums of several tests may only use `own` and the set-up once a group.
        """
        return self.prices.marginals(PathState())

    @cached_property
    def prices(self) -> Prices:
        """What paths of these tests pay at least."""
        own, group, setup = self.own.tolist(), self.group.tolist(), self.setup.tolist()
        return Prices(PriceRules(own, group, setup, known=[False] * len(own)))

    def below(self, path: PathState) -> Instance:
        """The instance for objects whose path has paid so far. The tests that it bought are left as they
        are: each has one outcome there.
        """
        return replace(self, setup=self.prices.below(path).setup)

    def bytes_of(self, n_objects: int) -> int:
        """What the instance of so many objects takes."""
        return n_objects * (int(self.codes.shape[1]) * int(self.codes.itemsize) + 24)

    def take(self, objects: NDArray[np.intp]) -> Instance:
        """The instance of these objects alone; p and loss stay shares of the whole."""
        return Instance(
            self.codes[objects],
            self.labels[objects],
            self.p[objects],
            self.loss[objects],
            self.own,
            self.group,
            self.setup,
        )


@dataclass(frozen=True, eq=False)
class Goal:
    """The class of trees that a bound speaks of.

    - "pure": the objects of every leaf have one label;
    - "tolerance": F of every leaf is at most `tolerance`, F a function of the leaf's objects per class;
    - "mass": every leaf is pure, or its weight is at most `theta`;
    - "error": the objects that are not predicted as their label says lose at most `error` in all.
    """

    trees: TreeClass
    function: Callable[[Floats], Floats] | None = None  # F of each row of counts[sets, classes]
    tolerance: float = 0.0
    theta: float = 0.0
    error: float = 0.0
