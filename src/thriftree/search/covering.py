"""What each object pays at least in any tree of a class: the price of a leaf that it may be in."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from thriftree.search.cheapest_sets import cheapest_leaves
from thriftree.search.dual_ascent import (
    Bools,
    Eligible,
    Partners,
    hardest_partners,
    reordered,
    spread,
)
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import cheapest_removal, most_value, shared_prices
from thriftree.search.leaves import company, heaviest_mixed_leaf, largest_value, values
from thriftree.search.price_steps import next_price, price_step

_PASSES = 5  # over the partners, each in a new order
_ROUNDS = 3  # of a dual solution that is spread over many partners
_MOST_CELLS = 8_000_000  # partners x tests x objects; of wide tables fewer partners are looked at
_LEAST_PARTNERS = 4


def covering_bounds(instance: Instance, goal: Goal, *, max_partners: int = 64) -> Floats:
    """By object: a lower bound on its price in every tree of the goal's class.

    Exact where one of the cheapest sets of tests makes a leaf for the object; else at least a covering LP
    against up to `max_partners` other objects, bounded by dual ascent. For "error" 0: any one object may be
    among the wrong ones.
    """
    n = len(instance.p)
    if goal.trees == "error" or n < 2:
        return np.zeros(n)
    least, exact = cheapest_leaves(instance, goal)
    rest = np.flatnonzero(~exact)
    if len(rest):
        least[rest] = partner_bounds(instance, goal, rest, max_partners, least[rest])
    return least


def partner_bounds(
    instance: Instance, goal: Goal, rows: NDArray[np.intp], max_partners: int, known: Floats
) -> Floats:
    """By object of `rows`: the bound by its partners and by what its tests must remove; at least `known`."""
    affordable = _MOST_CELLS // max(1, len(rows) * instance.codes.shape[1])
    max_partners = min(max_partners, max(_LEAST_PARTNERS, affordable))
    least = _kept_apart(instance, goal, rows, max_partners)
    if goal.trees == "tolerance":
        least = np.maximum(least, _removal_of_value(instance, goal)[rows])
    limit = heaviest_mixed_leaf(goal)
    light = np.flatnonzero((instance.p[rows] <= limit) & (least > known))
    if len(light):
        least[light] = np.minimum(least[light], _in_light_leaf(instance, rows[light], limit, max_partners))
    return np.maximum(known, next_price(least, price_step(instance)))


def _kept_apart(instance: Instance, goal: Goal, rows: NDArray[np.intp], max_partners: int) -> Floats:
    """By object: its price if its leaf is pure, or holds no more objects of other classes than F allows."""
    beside = company(instance, goal)
    many = np.bincount(instance.labels, minlength=instance.n_classes)
    counts = np.isfinite(beside) & (beside < many)

    def eligible(objects: NDArray[np.intp]) -> Bools:
        return np.asarray(counts[instance.labels[objects]][:, instance.labels])

    if not np.any(counts):
        return np.zeros(len(rows))
    partners = hardest_partners(instance, rows, eligible, max_partners)
    best = np.zeros(len(rows))
    allowed = beside[instance.labels[rows]]
    for u in chain(reordered(partners, instance, _PASSES), [spread(partners, instance, _ROUNDS)]):
        best = np.maximum(best, _without_largest(u, instance.labels[partners.index], allowed))
    must = partners.present & (np.take_along_axis(allowed, instance.labels[partners.index], axis=1) == 0)
    return np.maximum(best, _costliest_partner(instance, partners, must))


def _without_largest(u: Floats, label: NDArray[np.int64], allowed: Floats) -> Floats:
    """By object: Σ u without, for every class, the largest u of as many partners as may share its leaf."""
    total = np.zeros(len(u))
    for k in range(allowed.shape[1]):
        of_class = -np.sort(-np.where(label == k, u, 0.0), axis=1)
        total += np.where(np.arange(u.shape[1]) >= allowed[:, k, None], of_class, 0.0).sum(axis=1)
    return total


def _costliest_partner(instance: Instance, partners: Partners, must: Bools) -> Floats:
    """By object: the largest price of the cheapest single test that separates it from a partner it must be
    separated from; a group's set-up in full.
    """
    best = np.zeros(len(must))
    for k in range(must.shape[1]):
        cheapest = np.where(partners.separates[k], instance.alone[:, None], np.inf).min(axis=0)
        best = np.maximum(best, np.where(must[:, k], cheapest, 0.0))
    return best


def _in_light_leaf(instance: Instance, light: NDArray[np.intp], limit: float, max_partners: int) -> Floats:
    """By light object: its price if its leaf weighs at most `limit`.

    Such a leaf holds no object that is too heavy beside it, of whatever class, and at most limit - p(x) of
    the others: of Σ u over partners y those may be missing that fit into a knapsack of this size.
    """
    p = instance.p
    room = limit - p[light]

    def anyone(objects: NDArray[np.intp]) -> Bools:
        return np.asarray(objects[:, None] != np.arange(len(p)))

    def too_heavy(objects: NDArray[np.intp]) -> Bools:
        return anyone(objects) & (p[objects][:, None] + p[None, :] > limit)

    best = _removal_of_mass(instance, light, limit)
    chosen: list[Eligible] = [anyone, too_heavy]
    for eligible in chosen:
        partners = hardest_partners(instance, light, eligible, max_partners)
        size = p[partners.index]
        for u in chain(reordered(partners, instance, 1), [spread(partners, instance, _ROUNDS)]):
            best = np.maximum(best, u.sum(axis=1) - most_value(u, size, room))
        must = partners.present & (size > room[:, None])
        best = np.maximum(best, _costliest_partner(instance, partners, must))
    return best


def _removal_of_mass(instance: Instance, light: NDArray[np.intp], limit: float) -> Floats:
    """The least price of tests whose other outcomes weigh enough for a leaf of at most `limit`."""
    total = float(instance.p.sum())
    n, m = instance.codes.shape
    removed = np.empty((n, m))
    for t in range(m):
        _, code = np.unique(instance.codes[:, t], return_inverse=True)
        removed[:, t] = total - np.bincount(code, weights=instance.p)[code]
    prices = shared_prices(instance, np.ones(m))
    return cheapest_removal(removed[light], prices, np.full(len(light), total - limit))


def _removal_of_value(instance: Instance, goal: Goal) -> Floats:
    """The least price of tests that lower F to the tolerance. F is supermodular, so a set of tests lowers it
    by no more than its tests do one by one.
    """
    n, m = instance.codes.shape
    k = instance.n_classes
    removed = np.empty((n, m))
    whole = float(values(goal, np.bincount(instance.labels, minlength=k).astype(np.float64)[None])[0])
    if whole == np.inf:  # a very high power of very many objects: F tells nothing in floats
        return np.zeros(n)
    for t in range(m):
        _, code = np.unique(instance.codes[:, t], return_inverse=True)
        counts = np.bincount(code * k + instance.labels, minlength=k * (int(code.max()) + 1))
        removed[:, t] = whole - values(goal, counts.reshape(-1, k).astype(np.float64))[code]
    prices = shared_prices(instance, np.ones(m))
    return cheapest_removal(removed, prices, np.full(n, whole - largest_value(goal)))
