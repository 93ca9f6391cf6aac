"""Lower bounds on the expected cost of trees that may be wrong on objects that lose at most ε in all."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thriftree.search.blocks import BLOCK_SIZE, Blocks, block_optima, close_blocks
from thriftree.search.dual_ascent import Bools, Partners, PriceRoom, ascend, hardest_partners, spread
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import best_shares
from thriftree.search.leaves import largest_loss

_PARTNERS = 32
_ROUNDS = 3
_REPLIES = 8
_SECTIONS = 14
_GOLDEN = (math.sqrt(5) - 1) / 2


def covering_with_errors(instance: Instance, goal: Goal, deadline: float) -> float:
    """Σ p(x) Σ u_xy less the most that objects of loss ε can take from it.

    u_xy >= 0 are dual variables of the covering LPs of all objects x against objects y of other classes.
    Let W be the objects that a tree gets wrong. Two right objects of different classes are in different
    leaves, so a right x pays at least Σ u_xy over right y, and the cost is at least
    Σ_{x not in W} p_x Σ_{y not in W} u_xy >= Σ_x p_x Σ_y u_xy - Σ_{w in W} r_w
    with r_w = p_w Σ_y u_wy + Σ_x p_x u_xw. W loses at most ε: the last sum is at most that of a fractional
    knapsack. Any u will do, and so will an average of several: after the first come replies to the W that
    the knapsack chose against their average (until the deadline, of time.monotonic).
    """
    n = len(instance.p)

    def other_class(objects: NDArray[np.intp]) -> Bools:
        return np.asarray(instance.labels[objects][:, None] != instance.labels)

    partners = hardest_partners(instance, np.arange(n), other_class, _PARTNERS)
    limit = largest_loss(goal)
    best = 0.0
    mean = spread(partners, instance, _ROUNDS)
    for reply in range(_REPLIES):
        bound, share = _less_the_wrong(instance, partners, mean, limit)
        best = max(best, bound)
        if time.monotonic() >= deadline:
            break
        mean += (_reply(instance, partners, share) - mean) / (reply + 2)
    return best


def _less_the_wrong(instance: Instance, partners: Partners, u: Floats, limit: float) -> tuple[float, Floats]:
    """The bound with these u, and by object the share of it in the knapsack."""
    n = len(instance.p)
    pays = instance.p[:, None] * u
    removes = pays.sum(axis=1) + np.bincount(partners.index.ravel(), weights=pays.ravel(), minlength=n)
    share = best_shares(removes[None], instance.loss[None], np.array([limit]))[0]
    return float(pays.sum() - share @ removes), share


def _reply(instance: Instance, partners: Partners, share: Floats) -> Floats:
    """u that spares the objects in the knapsack: first the partners of which the least is in it."""
    taken: Floats = np.where(partners.present, share[partners.index], 2.0)
    order = np.argsort(taken, axis=1, kind="stable")
    counts = np.take_along_axis(taken, order, axis=1) + share[:, None] < 1
    in_order = replace(partners.in_order(order), present=counts)
    raised = ascend(in_order, PriceRoom(instance, len(order)))
    u = np.empty_like(raised)
    np.put_along_axis(u, order, raised, axis=1)
    return u


def blocks_with_errors(instance: Instance, goal: Goal, deadline: float, size: int = BLOCK_SIZE) -> float:
    """The largest Σ over blocks of min(cost + λ loss) - λ ε that a search over λ finds: concave in λ, so by
    golden sections of log λ. Ends at the deadline, a time of time.monotonic.
    """
    limit = largest_loss(goal)
    losses = instance.loss[instance.loss > 0]
    paid = float(instance.own.sum() + instance.setup.sum())
    if len(losses) == 0 or paid <= 0:
        return 0.0
    blocks = close_blocks(instance, size)
    most = math.log(2 * paid * float(instance.p.sum()) / float(losses.min()))
    least = math.log(1e-3 * paid)

    def bound(log_price: float) -> float:
        price = math.exp(log_price)
        return _at_loss_price(instance, goal, blocks, price, deadline) - price * limit

    left, right = most - _GOLDEN * (most - least), least + _GOLDEN * (most - least)
    at_left, at_right = bound(left), bound(right)
    best = max(0.0, at_left, at_right)
    for _ in range(_SECTIONS):
        if time.monotonic() >= deadline:
            break
        if at_left >= at_right:
            most, right, at_right = right, left, at_left
            left = most - _GOLDEN * (most - least)
            at_left = bound(left)
        else:
            least, left, at_left = left, right, at_right
            right = least + _GOLDEN * (most - least)
            at_right = bound(right)
        best = max(best, at_left, at_right)
    return best


def _at_loss_price(instance: Instance, goal: Goal, blocks: Blocks, price: float, deadline: float) -> float:
    # Blocks that are left out cost nothing: the sum stays a bound.
    total = 0.0
    for optima in block_optima(instance, goal, blocks, price):
        total += float(optima.sum())
        if time.monotonic() >= deadline:
            break
    return total
