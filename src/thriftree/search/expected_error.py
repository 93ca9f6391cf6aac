"""Lower bounds on the expected cost of trees that may be wrong on objects that lose at most ε in all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.blocks import BLOCK_SIZE, block_optima, close_blocks
from thriftree.search.dual_ascent import Bools, Partners, PriceRoom, ascend, row_blocks, spread
from thriftree.search.hardest_partners import HardestPartners
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import best_shares
from thriftree.search.leaves import largest_loss

_PARTNERS = 32
_ROUNDS = 3
_REPLIES = 8
_SECTIONS = 14
_BYTES = 64  # for each object and partner, in the arrays that are alive at a time
_GOLDEN = (math.sqrt(5) - 1) / 2


def covering_with_errors(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """Σ p(x) Σ u_xy less the most that objects of loss ε can take from it.

    u_xy >= 0 are dual variables of the covering LPs of all objects x against objects y of other classes.
    Let W be the objects that a tree gets wrong. Two right objects of different classes are in different
    leaves, so a right x pays at least Σ u_xy over right y, and the cost is at least
    Σ_{x not in W} p_x Σ_{y not in W} u_xy >= Σ_x p_x Σ_y u_xy - Σ_{w in W} r_w
    with r_w = p_w Σ_y u_wy + Σ_x p_x u_xw. W loses at most ε: the last sum is at most that of a fractional
    knapsack. Any u will do, and so will an average of several: after the first, of which some may be 0 yet,
    come replies to the W that the knapsack chose against their average, while there is time.
    """
    n = len(instance.p)
    rows = np.arange(n)

    def other_class(objects: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        return np.asarray(instance.labels[objects][:, None] != instance.labels[others])

    limit = largest_loss(goal)
    best = 0.0
    places = _PARTNERS - _PARTNERS // 2
    places = min(places, n) + min(_PARTNERS // 2, n)
    with allowance.holding(_BYTES * n * places):
        index = np.zeros((n, places), dtype=np.intp)
        present = np.zeros((n, places), dtype=np.bool_)
        mean = np.zeros((n, places))
        hardest = HardestPartners(instance, n, other_class, _PARTNERS, allowance)
        for block, partners in hardest.blocks(rows):
            index[block], present[block] = partners.index, partners.present
            mean[block] = spread(partners, instance, _ROUNDS, allowance)
            best = max(best, _less_the_wrong(instance, index, mean, limit)[0])
            yield best
        for reply in range(_REPLIES):
            bound, share = _less_the_wrong(instance, index, mean, limit)
            best = max(best, bound)
            yield best
            if reply == _REPLIES - 1 or not allowance.has_time():
                return
            replied = np.empty_like(mean)
            with row_blocks(n, instance.codes.shape[1], places, allowance) as blocks:
                for block in blocks:
                    chosen = hardest.between(rows[block], index[block], present[block])
                    replied[block] = _reply(instance, chosen, share, share[block], allowance)
            mean += (replied - mean) / (reply + 2)


def _less_the_wrong(
    instance: Instance, index: NDArray[np.intp], u: Floats, limit: float
) -> tuple[float, Floats]:
    """The bound with these u for the partners `index`, and by object the share of it in the knapsack."""
    n = len(instance.p)
    pays = instance.p[:, None] * u
    removes = pays.sum(axis=1) + np.bincount(index.ravel(), weights=pays.ravel(), minlength=n)
    share = best_shares(removes[None], instance.loss[None], np.array([limit]))[0]
    return float(pays.sum() - (share * removes).sum()), share


def _reply(
    instance: Instance, partners: Partners, share: Floats, own_share: Floats, allowance: Allowance
) -> Floats:
    """u that spares the objects in the knapsack: first the partners of which the least is in it."""
    taken: Floats = np.where(partners.present, share[partners.index], 2.0)
    order = np.argsort(taken, axis=1, kind="stable")
    counts = np.take_along_axis(taken, order, axis=1) + own_share[:, None] < 1
    in_order = replace(partners.in_order(order), present=counts)
    raised = ascend(in_order, PriceRoom(instance, len(order)), allowance)
    u = np.empty_like(raised)
    np.put_along_axis(u, order, raised, axis=1)
    return u


def blocks_with_errors(
    instance: Instance, goal: Goal, allowance: Allowance, size: int = BLOCK_SIZE
) -> Iterator[float]:
    """The largest Σ over blocks of min(cost + λ loss) - λ ε that a search over λ finds: concave in λ, so by
    golden sections of log λ, while there is time.
    """
    limit = largest_loss(goal)
    losses = instance.loss[instance.loss > 0]
    paid = float(instance.own.sum() + instance.setup.sum())
    if len(losses) == 0 or paid <= 0:
        yield 0.0
        return
    blocks = close_blocks(instance, allowance, size)
    most = math.log(2 * paid * float(instance.p.sum()) / float(losses.min()))
    least = math.log(1e-3 * paid)

    def at(log_price: float) -> Iterator[float]:
        price = math.exp(log_price)
        total = 0.0  # blocks that are left out cost nothing: the sum is a bound
        for optima in block_optima(instance, goal, blocks, allowance, price):
            total += float(optima.sum())
            yield total - price * limit
            if not allowance.has_time():
                return

    best = 0.0
    left, right = most - _GOLDEN * (most - least), least + _GOLDEN * (most - least)
    at_left = at_right = -math.inf
    for at_left in at(left):
        best = max(best, at_left)
        yield best
    for at_right in at(right):
        best = max(best, at_right)
        yield best
    for _ in range(_SECTIONS):
        if not allowance.has_time():
            break
        if at_left >= at_right:
            most, right, at_right = right, left, at_left
            left = most - _GOLDEN * (most - least)
            for at_left in at(left):
                best = max(best, at_left)
                yield best
        else:
            least, left, at_left = left, right, at_right
            right = least + _GOLDEN * (most - least)
            for at_right in at(right):
                best = max(best, at_right)
                yield best
