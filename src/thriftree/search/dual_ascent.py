"""Lower bounds on the price of telling an object from its partners, for all objects at once.

An object x that is separated from the partners Y pays for a set A of tests that holds, for every y, a test
t(y) on which the two differ. Let u_y >= 0 be divided over the tests and groups of tests such that
u_y <= b_yt + d_yg for every test t (of group g) that separates x and y, with Σ_y b_yt <= own_t and
Σ_y d_yg <= setup_g. Then Σ u_y <= Σ_y (b_yt(y) + d_yg(t(y))) <= the price of A: any such u is a bound.
(It is the dual of the covering LP with a variable for every test and every group's set-up.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.search.instance import Floats, Instance, Ints

Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.integer[Any]]
Eligible: TypeAlias = Callable[
    [NDArray[np.intp]], Bools
]  # objects -> [object, every object]: may it be a partner?

_BLOCK = 1 << 16  # pairs at a time: the tables of a block stay in the cache
_MOST_PAIRS = 1 << 30  # pairs times tests looked at when choosing partners


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


def ascend(partners: Partners, room: PriceRoom, step: float = 1.0) -> Floats:
    """u[object, place]: raises one partner's u after the other by `step` of what there is room for."""
    u = np.zeros(partners.index.shape)
    for k, separates in enumerate(partners.separates):
        most = np.where(separates, room.left(), np.inf).min(axis=0)
        amount = np.where(partners.present[:, k], step * most, 0.0)
        room.raise_by(amount, separates)
        u[:, k] = amount
    return u


def reordered(partners: Partners, instance: Instance, passes: int) -> Iterator[Floats]:
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
        np.put_along_axis(u, order, ascend(partners.in_order(order), room), axis=1)
        yield u
        used = 1 - room.left() / np.where(price > 0, price, 1)
        length *= np.exp(used - used.mean(axis=0))
        by_length = np.einsum("kmn,mn->kn", separates, length.astype(np.float32)).T
        order = np.argsort(np.where(partners.present, by_length, np.inf), axis=1, kind="stable")


def spread(partners: Partners, instance: Instance, rounds: int) -> Floats:
    """u by `rounds` passes over all partners that take 1/rounds, 1/(rounds - 1), ... of the room."""
    n, places = partners.index.shape
    room = PriceRoom(instance, n)
    u = np.zeros((n, places))
    for passes_left in range(rounds, 0, -1):
        u += ascend(partners, room, 1.0 / passes_left)
    return u


def hardest_partners(instance: Instance, rows: NDArray[np.intp], eligible: Eligible, most: int) -> Partners:
    """For each of these objects up to `most` eligible ones that few and expensive tests tell from it.

    Hardness is 1 / Σ 1/room over the tests that separate. The first half is chosen by the full prices, the
    second by what an ascent over the first leaves, so that no place goes to partners that no longer count.
    """
    codes = small_codes(instance.codes)
    room = PriceRoom(instance, len(rows))
    nobody = Partners.nobody(len(rows), codes.shape[1])
    first = _choose(codes, rows, eligible, room.left(), nobody, most - most // 2)
    ascend(first, room)
    return first.joined(_choose(codes, rows, eligible, room.left(), first, most // 2))


def _choose(
    codes: Codes, rows: NDArray[np.intp], eligible: Eligible, room: Floats, taken: Partners, most: int
) -> Partners:
    """The `most` eligible objects of least Σ 1/room, in that order; none that is taken, or that is
    separated by a test without room.
    """
    n, m = codes.shape
    most = min(most, n)
    conductance = (1.0 / np.maximum(room.T, 1e-30)).astype(np.float32)
    index = np.zeros((len(rows), most), dtype=np.intp)
    present = np.zeros((len(rows), most), dtype=np.bool_)
    pool = np.unique(
        np.linspace(0, n - 1, max(most, min(n, _MOST_PAIRS // (len(rows) * m + 1)))).astype(np.intp)
    )
    columns = np.ascontiguousarray(codes[pool].T)
    block = max(1, _BLOCK // len(pool))
    for start in range(0, len(rows), block):
        part = rows[start : start + block]
        here = conductance[start : start + block]
        score = np.zeros((len(part), len(pool)), dtype=np.float32)
        for t, column in enumerate(columns):
            score += (codes[part, t, None] != column) * here[:, t, None]
        may = eligible(part)
        x, at = np.nonzero(taken.present[start : start + block])
        may[x, taken.index[start + x, at]] = False
        np.copyto(score, np.inf, where=~may[:, pool])
        place: NDArray[np.intp] = np.argpartition(score, min(most, len(pool)) - 1, axis=1)[:, :most]
        least = np.take_along_axis(score, place, axis=1)
        order = np.argsort(least, axis=1, kind="stable")
        index[start : start + block, : place.shape[1]] = pool[np.take_along_axis(place, order, axis=1)]
        present[start : start + block, : place.shape[1]] = np.take_along_axis(least, order, axis=1) < 1e20
    separates = (
        np.stack([codes[chosen].T != codes[rows].T for chosen in index.T]) if most else taken.separates[:0]
    )
    return Partners(index, present, separates)


def small_codes(codes: Ints) -> Codes:
    """The same equalities in as few bytes as fit."""
    small: Codes = np.empty(codes.shape, dtype=np.int32)
    most = 0
    for t in range(codes.shape[1]):
        distinct, small[:, t] = np.unique(codes[:, t], return_inverse=True)
        most = max(most, len(distinct))
    return small.astype(np.uint8) if most <= 256 else small
