"""Kraft's inequality with prices: a tree that tells much must ask enough.

A path that tests the features A tells at most bits(A) = Σ log2(codes of f) and costs at least g(bits), g the
fractional knapsack of prices against bits: convex, increasing, g(0) = 0. Answer every test uniformly at
random: a leaf is reached with probability at least 2^-bits, so Σ 2^-bits over leaves is at most 1, and by
Gibbs' inequality Σ p(x) bits(x) >= Σ p(x) log2(p(S) / p(leaf of x)). With p(leaf of x) <= m(x) this is at
least B = Σ p(x) log2(p(S) / m(x)), and by Jensen's inequality the expected cost is at least p(S) g(B / p(S)).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thriftree.search.dual_ascent import Bools, hardest_partners, small_codes
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import cheapest_removal, most_value, shared_prices
from thriftree.search.leaves import company, heaviest_mixed_leaf, largest_loss

_BLOCKERS = 16  # objects of other classes that are looked at, by object
_MOST_WORK = 8 << 30  # pairs times blockers times tests
_BLOCK = 1 << 20  # numbers in a block's table


def kraft_bound(instance: Instance, goal: Goal) -> float:
    """A lower bound on the expected cost of every tree of the goal's class."""
    total = float(instance.p.sum())
    if total <= 0 or len(instance.p) < 2:
        return 0.0
    bits = _bits_without_wrong(instance, goal) if goal.trees == "error" else _bits(instance, goal)
    return total * price_of_bits(instance, bits / total)


def price_of_bits(instance: Instance, bits: float) -> float:
    """g: the least price of a path that tells so much."""
    arity = np.array([len(np.unique(column)) for column in instance.codes.T])
    tells = np.log2(arity.astype(np.float64))
    prices = shared_prices(instance, tells)
    return float(cheapest_removal(tells[None], prices, np.array([bits]))[0])


def _bits(instance: Instance, goal: Goal) -> float:
    """B, with m(x) the most that can share a leaf with x."""
    total = float(instance.p.sum())
    heaviest = np.maximum(heaviest_mixed_leaf(goal), _heaviest_kept_apart(instance, goal))
    return float(instance.p @ np.log2(np.maximum(total / heaviest, 1.0)))


def _bits_without_wrong(instance: Instance, goal: Goal) -> float:
    """B of the objects that are predicted as their label says, whichever the others W are.

    The right ones make pure leaves, so a leaf weighs at most what its class does, of at least p(S) - p(W).
    """
    of_class = np.bincount(instance.labels, weights=instance.p)[instance.labels]
    limit = np.array([largest_loss(goal)])
    wrong = float(most_value(instance.p[None], instance.loss[None], limit)[0])
    tells = np.log2(np.maximum((float(instance.p.sum()) - wrong) / of_class, 1.0)) * instance.p
    return float(tells.sum() - most_value(tells[None], instance.loss[None], limit)[0])


def _heaviest_kept_apart(instance: Instance, goal: Goal) -> Floats:
    """By object: the weight that a leaf with it has at most if it is pure, or within the tolerance."""
    beside = company(instance, goal)
    if np.all((beside == 0) | np.isinf(beside)):
        return _mass_that_can_share(instance)
    k = instance.n_classes
    heaviest = np.bincount(instance.labels, weights=instance.p, minlength=k)
    for j in range(k):
        falling = np.concatenate([[0.0], np.cumsum(-np.sort(-instance.p[instance.labels == j]))])
        others = np.arange(k) != j
        heaviest[others] += falling[np.minimum(beside[others, j], len(falling) - 1).astype(np.intp)]
    return np.asarray(heaviest[instance.labels])


def _mass_that_can_share(instance: Instance) -> Floats:
    """By object x: the weight of the objects y of its class that can be in a pure leaf with it.

    A leaf with x and y holds every object that agrees with x wherever y does: if one of another class does,
    they cannot. Only some of the other classes' objects are looked at: the rest can only lower the weight.
    """
    n, m = instance.codes.shape
    most = int(min(_BLOCKERS, _MOST_WORK // (n * n * m)))
    if most == 0:
        return np.asarray(np.bincount(instance.labels, weights=instance.p)[instance.labels])

    def other_class(objects: NDArray[np.intp]) -> Bools:
        return np.asarray(instance.labels[objects][:, None] != instance.labels)

    same_prices = replace(instance, own=np.ones(m), group=np.full(m, -1), setup=np.zeros(0))
    blockers = hardest_partners(same_prices, np.arange(n), other_class, most)
    codes = small_codes(instance.codes)
    shared = np.empty(n)
    for label in np.unique(instance.labels):
        members = np.flatnonzero(instance.labels == label)
        block = max(1, _BLOCK // (len(members) * max(m, blockers.index.shape[1])))
        for start in range(0, len(members), block):
            x = members[start : start + block]
            agree = (codes[x][:, None] == codes[members]).astype(np.float32)
            # The tests on which y is with x and the blocker is not; einsum, because many small products keep
            # the threads of a matrix library waiting for each other.
            separates = blockers.separates[:, :, x].transpose(2, 0, 1).astype(np.float32, order="C")
            clashes = np.einsum("bkt,byt->bky", separates, agree)
            blocked = np.any((clashes == 0) & blockers.present[x][:, :, None], axis=1)
            shared[x] = (~blocked) @ instance.p[members]
    return shared
