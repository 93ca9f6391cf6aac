"""Lower bounds on the price of telling an object from its partners, for all objects at once.

An object x that is separated from the partners Y pays for a set A of tests that holds, for every y, a test
t(y) on which the two differ. Let u_y >= 0 be divided over the tests and groups of tests such that
u_y <= b_yt + d_yg for every test t (of group g) that separates x and y, with Σ_y b_yt <= own_t and
Σ_y d_yg <= setup_g. Then Σ u_y <= Σ_y (b_yt(y) + d_yg(t(y))) <= the price of A: any such u is a bound.
(It is the dual of the covering LP with a variable for every test and every group's set-up.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.instance import Codes, Floats, Instance

Bools: TypeAlias = NDArray[np.bool_]
Eligible: TypeAlias = Callable[
    [NDArray[np.intp], NDArray[np.intp]], Bools
]  # objects, others -> [object, other]: may it be a partner?

_BYTES = 8  # for each of them at most: whether it separates, in two orders, and as a number
_ROOMS = 10  # arrays of prices, test by object, that are alive at a time
_CELLS = 1 << 18  # places x tests x objects that are worked out at once


class PriceRoom:
    """What is left of every price, by object: room for more u."""

    def __init__(self, instance: Instance, n: int) -> None:
        self.own = np.tile(instance.own[:, None], n)  # test x object
        self.setup = np.tile(instance.setup[:, None], n)  # group x object
        self.groups = [np.flatnonzero(instance.group == g) for g in range(len(instance.setup))]

    def left(self) -> Floats:
        """By test and object: the largest u that the test alone allows."""
        left = self.own.copy()
        for g, members in enumerate(self.groups):
            left[members] += self.setup[g]
        return left

    def raise_by(self, amount: Floats, separates: Bools) -> None:
        """Spends `amount` on every test that separates: a group's set-up only where own prices do not do."""
        spent = amount * separates
        for g, members in enumerate(self.groups):
            if len(members) == 0:
                continue
            short = np.max(spent[members] - self.own[members], axis=0).clip(0.0)
            self.setup[g] -= np.minimum(short, self.setup[g])
            spent[members] -= short * separates[members]
        self.own -= spent
        np.maximum(self.own, 0.0, out=self.own)


@dataclass(frozen=True, eq=False)
class Partners:
    """Some objects that each object is to be told from, each once. Place k of object x may be empty."""

    index: NDArray[np.intp]  # object x place
    present: Bools  # object x place
    separates: Bools  # place x test x object: do the two differ there?

    @staticmethod
    def nobody(n: int, n_tests: int) -> Partners:
        """No places."""
        index = np.zeros((n, 0), dtype=np.intp)
        return Partners(index, index > 0, np.zeros((0, n_tests, n), dtype=np.bool_))

    @classmethod
    def of_rows(
        cls, codes: Codes, rows: NDArray[np.intp], index: NDArray[np.intp], present: Bools
    ) -> Partners:
        """The partners `index` of these objects."""
        separates = np.zeros((index.shape[1], codes.shape[1], len(rows)), dtype=np.bool_)
        own = codes[rows].T
        for k, chosen in enumerate(index.T):
            np.not_equal(codes[chosen].T, own, out=separates[k])
        return cls(index, present, separates)

    def in_order(self, order: NDArray[np.intp]) -> Partners:
        """The same with order[x, k] in place k of object x."""
        return Partners(
            np.take_along_axis(self.index, order, axis=1),
            np.take_along_axis(self.present, order, axis=1),
            np.take_along_axis(self.separates, order.T[:, None, :], axis=0),
        )

    def joined(self, other: Partners) -> Partners:
        """These and then the others."""
        return Partners(
            np.concatenate([self.index, other.index], axis=1),
            np.concatenate([self.present, other.present], axis=1),
            np.concatenate([self.separates, other.separates]),
        )


def ascend(partners: Partners, room: PriceRoom, allowance: Allowance, step: float = 1.0) -> Floats:
    """u[object, place]: raises one partner's u after the other by `step` of what there is room for."""
    u = np.zeros(partners.index.shape)
    for k, separates in enumerate(partners.separates):
        allowance.look()
        most = np.where(separates, room.left(), np.inf).min(axis=0)
        amount = np.where(partners.present[:, k], step * most, 0.0)
        room.raise_by(amount, separates)
        u[:, k] = amount
    return u


def reordered(partners: Partners, instance: Instance, passes: int, allowance: Allowance) -> Iterator[Floats]:
    """u of several passes: hardest partners first, then in an order that learns from the passes before.

    A test that a pass used up becomes longer, one with much room shorter; partners are then taken by the
    length of the tests that separate them, shortest first (multiplicative weights, as for packing LPs).
    """
    n, places = partners.index.shape
    separates = partners.separates.astype(np.float32)
    price = instance.alone[:, None]
    length = 1 / np.maximum(np.tile(price, n), 1e-30)
    order = np.tile(np.arange(places), (n, 1))
    for _ in range(passes):
        room = PriceRoom(instance, n)
        u = np.empty((n, places))
        np.put_along_axis(u, order, ascend(partners.in_order(order), room, allowance), axis=1)
        yield u
        used = 1 - room.left() / np.where(price > 0, price, 1)
        length *= np.exp(used - used.mean(axis=0))
        by_length = np.einsum("kmn,mn->kn", separates, length.astype(np.float32)).T
        order = np.argsort(np.where(partners.present, by_length, np.inf), axis=1, kind="stable")


def spread(partners: Partners, instance: Instance, rounds: int, allowance: Allowance) -> Floats:
    """u by `rounds` passes over all partners that take 1/rounds, 1/(rounds - 1), ... of the room."""
    n, places = partners.index.shape
    room = PriceRoom(instance, n)
    u = np.zeros((n, places))
    for passes_left in range(rounds, 0, -1):
        u += ascend(partners, room, allowance, 1.0 / passes_left)
    return u


@contextmanager
def row_blocks(n_rows: int, n_tests: int, places: int, allowance: Allowance) -> Iterator[list[slice]]:
    """Inside, rows may be worked out a block at a time: by object, what each of its partners leaves of each
    price.
    """
    cells = n_tests * max(1, places)
    at_once = allowance.at_once(_BYTES * n_tests * (places + _ROOMS), _CELLS // cells)
    with allowance.holding(_BYTES * n_tests * (places + _ROOMS) * min(at_once, n_rows)):
        yield [slice(first, min(n_rows, first + at_once)) for first in range(0, n_rows, at_once)]
