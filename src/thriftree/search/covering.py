"""What each object pays at least in any tree of a class: the price of a leaf that it may be in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.cells import ObjectCells
from thriftree.search.cheapest_sets import cheapest_leaves
from thriftree.search.dual_ascent import Bools, Eligible, Partners, reordered, spread
from thriftree.search.hardest_partners import HardestPartners
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import cheapest_removal, most_value, shared_prices
from thriftree.search.leaves import (
    company,
    company_bytes,
    heaviest_mixed_leaf,
    largest_value,
    values,
)
from thriftree.search.price_steps import next_price, price_step

#: Some of the objects asked for, and a bound for each; of the same objects again, where it has risen.
Raised: TypeAlias = Iterator[tuple[Any, Floats]]

_PASSES = 5  # over the partners, each in a new order
_ROUNDS = 3  # of a dual solution that is spread over many partners
_MOST_CELLS = 8_000_000  # partners x tests x objects; of wide tables fewer partners are looked at
_LEAST_PARTNERS = 4
_NUMBERS = 1 << 15  # object x test, worked out at once
_BYTES = 96  # for each of them at most, in the arrays that are alive at a time


def covering_bounds(
    instance: Instance, goal: Goal, allowance: Allowance, *, max_partners: int = 64
) -> Iterator[Floats]:
    """By object: a lower bound on its price in every tree of the goal's class. The same array again and
    again, raised.

    Exact where one of the cheapest sets of tests makes a leaf for the object; else at least a covering LP
    against up to `max_partners` other objects, bounded by dual ascent. For "error" 0: any one object may be
    among the wrong ones.
    """
    n = len(instance.p)
    if goal.trees == "error" or n < 2:
        yield np.zeros(n)
        return
    least, exact = np.zeros(n), np.zeros(n, dtype=np.bool_)
    for least, exact in cheapest_leaves(instance, goal, allowance):  # noqa: B007
        yield least
    rest = np.flatnonzero(~exact)
    if len(rest):
        for some, bound in partner_bounds(instance, goal, rest, max_partners, least[rest], allowance):
            least[rest[some]] = bound
            yield least


def partner_bounds(
    instance: Instance,
    goal: Goal,
    rows: NDArray[np.intp],
    max_partners: int,
    known: Floats,
    allowance: Allowance,
) -> Raised:
    """By object of `rows`: the bound by its partners and by what its tests must remove; at least `known`."""
    affordable = _MOST_CELLS // max(1, len(rows) * instance.codes.shape[1])
    max_partners = min(max_partners, max(_LEAST_PARTNERS, affordable))
    step = price_step(instance)
    limit = heaviest_mixed_leaf(goal)
    is_light = instance.p[rows] <= limit
    apart = np.zeros(len(rows))  # the price if the leaf is no light one
    for some, bound in _not_light(instance, goal, rows, max_partners, allowance):
        apart[some] = np.maximum(apart[some], bound)
        raised = np.where(is_light[some], 0.0, apart[some])
        yield some, np.maximum(known[some], next_price(raised, step))
    light = np.flatnonzero(is_light & (apart > known))
    if len(light) == 0:
        return
    in_light_leaf = np.zeros(len(light))
    for part, bound in _in_light_leaf(instance, rows[light], limit, max_partners, allowance):
        in_light_leaf[part] = np.maximum(in_light_leaf[part], bound)
        raised = np.minimum(apart[light[part]], in_light_leaf[part])
        yield light[part], np.maximum(known[light[part]], next_price(raised, step))


def _not_light(
    instance: Instance, goal: Goal, rows: NDArray[np.intp], max_partners: int, allowance: Allowance
) -> Raised:
    """By object: its price if its leaf is pure, or within the tolerance."""
    if goal.trees == "tolerance":
        yield from _removal_of_value(instance, goal, rows, allowance)
    with allowance.holding(company_bytes(instance)):
        beside = company(instance, goal, allowance)
        yield from _told_apart(instance, beside, rows, max_partners, allowance)


def _told_apart(
    instance: Instance, beside: Floats, rows: NDArray[np.intp], max_partners: int, allowance: Allowance
) -> Raised:
    """By object: its price if at most so many objects of each class may be `beside` it."""
    many = np.bincount(instance.labels, minlength=instance.n_classes)
    counts = np.isfinite(beside) & (beside < many)
    if not np.any(counts):
        return

    def eligible(objects: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        return np.asarray(counts[instance.labels[objects][:, None], instance.labels[others]])

    hardest = HardestPartners(instance, len(rows), eligible, max_partners, allowance)
    for block, partners in hardest.blocks(rows):
        allowed = beside[instance.labels[rows[block]][:, None], instance.labels[partners.index]]
        best = _costliest_partner(instance, partners, partners.present & (allowed == 0))
        yield block, best
        for u in _ascents(instance, partners, _PASSES, allowance):
            best = np.maximum(best, _without_largest(u, instance.labels[partners.index], allowed))
            yield block, best


def _ascents(instance: Instance, partners: Partners, passes: int, allowance: Allowance) -> Iterator[Floats]:
    yield from reordered(partners, instance, passes, allowance)
    yield spread(partners, instance, _ROUNDS, allowance)


def _without_largest(u: Floats, label: NDArray[np.int64], allowed: Floats) -> Floats:
    """By object: Σ u without, for every class, the largest u of as many partners as may share its leaf.

    By object and partner: u, the partner's class, and how many objects of this class are `allowed`.
    """
    total = np.where(allowed == 0, u, 0.0).sum(axis=1)
    some = np.isfinite(allowed) & (allowed > 0)
    for k in np.unique(label[some]):
        of_class = some & (label == k)
        falling = -np.sort(-np.where(of_class, u, 0.0), axis=1)
        most = np.where(of_class, allowed, 0.0).max(axis=1)
        total += np.where(np.arange(u.shape[1]) >= most[:, None], falling, 0.0).sum(axis=1)
    return np.asarray(total)


def _costliest_partner(instance: Instance, partners: Partners, must: Bools) -> Floats:
    """By object: the largest price of the cheapest single test that separates it from a partner it must be
    separated from; a group's set-up in full.
    """
    best = np.zeros(len(must))
    for k in range(must.shape[1]):
        cheapest = np.where(partners.separates[k], instance.alone[:, None], np.inf).min(axis=0)
        best = np.maximum(best, np.where(must[:, k], cheapest, 0.0))
    return best


def _in_light_leaf(
    instance: Instance, light: NDArray[np.intp], limit: float, max_partners: int, allowance: Allowance
) -> Raised:
    """By light object: its price if its leaf weighs at most `limit`.

    Such a leaf holds no object that is too heavy beside it, of whatever class, and at most limit - p(x) of
    the others: of Σ u over partners y those may be missing that fit into a knapsack of this size.
    """
    p = instance.p

    def anyone(objects: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        return np.asarray(objects[:, None] != others)

    def too_heavy(objects: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        return anyone(objects, others) & (p[objects][:, None] + p[others] > limit)

    yield from _removal_of_mass(instance, light, limit, allowance)
    chosen: list[Eligible] = [anyone, too_heavy]
    for eligible in chosen:
        hardest = HardestPartners(instance, len(light), eligible, max_partners, allowance)
        for block, partners in hardest.blocks(light):
            room, size = limit - p[light[block]], p[partners.index]
            must = partners.present & (size > room[:, None])
            yield block, _costliest_partner(instance, partners, must)
            for u in _ascents(instance, partners, 1, allowance):
                yield block, u.sum(axis=1) - most_value(u, size, room)


def _removal_of_mass(
    instance: Instance, light: NDArray[np.intp], limit: float, allowance: Allowance
) -> Raised:
    """The least price of tests whose other outcomes weigh enough for a leaf of at most `limit`."""
    total = float(instance.p.sum())

    def removed(outcomes: ObjectCells) -> Floats:
        return np.asarray(total - np.bincount(outcomes.of, weights=instance.p), dtype=np.float64)

    return _removal(instance, light, removed, total - limit, allowance)


def _removal_of_value(instance: Instance, goal: Goal, rows: NDArray[np.intp], allowance: Allowance) -> Raised:
    """The least price of tests that lower F to the tolerance. F is supermodular, so a set of tests lowers it
    by no more than its tests do one by one.
    """
    counts = np.bincount(instance.labels, minlength=instance.n_classes).astype(np.float64)
    whole = float(values(goal, counts[None])[0])
    if whole == np.inf:  # a very high power of very many objects: F tells nothing in floats
        return iter(())

    def removed(outcomes: ObjectCells) -> Floats:
        return np.asarray(whole - outcomes.values([partial(values, goal)], allowance)[0])

    return _removal(instance, rows, removed, whole - largest_value(goal), allowance)


def _removal(
    instance: Instance,
    rows: NDArray[np.intp],
    removed: Callable[[ObjectCells], Floats],
    needed: float,
    allowance: Allowance,
) -> Raised:
    """By object: the least price of tests that remove what is needed, if each removes so much of its outcome
    there.
    """
    m = instance.codes.shape[1]
    prices = shared_prices(instance, np.ones(m))
    at_once = allowance.at_once(_BYTES * m, _NUMBERS // m)
    with allowance.holding(8 * m * len(rows) + _BYTES * m * min(at_once, len(rows)) + 64 * len(instance.p)):
        of_row = np.empty((len(rows), m))
        for t in range(m):
            allowance.look()
            distinct, code = np.unique(instance.codes[:, t], return_inverse=True)
            of_row[:, t] = removed(ObjectCells(instance, code, len(distinct)))[code[rows]]
        for first in range(0, len(rows), at_once):
            allowance.look()
            block = slice(first, first + at_once)
            much = np.full(len(of_row[block]), needed)
            yield block, cheapest_removal(of_row[block], prices, much)
