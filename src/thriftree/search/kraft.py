"""Kraft's inequality with prices: a tree that tells much must ask enough.

A path that tests the features A tells at most bits(A) = Σ log2(codes of f) and costs at least g(bits), g the
fractional knapsack of prices against bits: convex, increasing, g(0) = 0. Answer every test uniformly at
random: a leaf is reached with probability at least 2^-bits, so Σ 2^-bits over leaves is at most 1, and by
Gibbs' inequality Σ p(x) bits(x) >= Σ p(x) log2(p(S) / p(leaf of x)). With p(leaf of x) <= m(x) this is at
least B = Σ p(x) log2(p(S) / m(x)), and by Jensen's inequality the expected cost is at least p(S) g(B / p(S)).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.dual_ascent import Bools, Partners
from thriftree.search.hardest_partners import HardestPartners
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import cheapest_removal, most_value, shared_prices
from thriftree.search.leaves import company, company_bytes, heaviest_mixed_leaf, largest_loss

_BLOCKERS = 16  # objects of other classes that are looked at, by object
_MOST_WORK = 8 << 30  # pairs times blockers times tests
_BLOCK = 1 << 20  # numbers in a block's table
_BYTES = 12  # for each of them at most, in the arrays that are alive at a time


def kraft_bound(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """A lower bound on the expected cost of every tree of the goal's class."""
    total = float(instance.p.sum())
    if total <= 0 or len(instance.p) < 2:
        return
    tells = bits_of_tests(instance, allowance)
    if goal.trees == "error":
        yield total * price_of_bits(instance, tells, _bits_without_wrong(instance, goal) / total)
        return
    best = 0.0
    with allowance.holding(company_bytes(instance)):
        for kept_apart in _heaviest_kept_apart(instance, goal, allowance):
            bits = _bits(instance, np.maximum(heaviest_mixed_leaf(goal), kept_apart))
            best = max(best, total * price_of_bits(instance, tells, bits / total))
            yield best


def bits_of_tests(instance: Instance, allowance: Allowance) -> Floats:
    """By test: what it tells at most."""
    arity = np.ones(instance.codes.shape[1])
    for t in range(len(arity)):
        allowance.look()
        arity[t] = len(np.unique(instance.codes[:, t]))
    return np.asarray(np.log2(arity))


def price_of_bits(instance: Instance, tells: Floats, bits: float) -> float:
    """g: the least price of a path that tells so much."""
    prices = shared_prices(instance, tells)
    return float(cheapest_removal(tells[None], prices, np.array([bits]))[0])


def _bits(instance: Instance, heaviest: Floats) -> float:
    """B, with m(x) the most that can share a leaf with x."""
    total = float(instance.p.sum())
    return float((instance.p * np.log2(np.maximum(total / heaviest, 1.0))).sum())


def _bits_without_wrong(instance: Instance, goal: Goal) -> float:
    """B of the objects that are predicted as their label says, whichever the others W are.

    The right ones make pure leaves, so a leaf weighs at most what its class does, of at least p(S) - p(W).
    """
    of_class = np.bincount(instance.labels, weights=instance.p)[instance.labels]
    limit = np.array([largest_loss(goal)])
    wrong = float(most_value(instance.p[None], instance.loss[None], limit)[0])
    tells = np.log2(np.maximum((float(instance.p.sum()) - wrong) / of_class, 1.0)) * instance.p
    return float(tells.sum() - most_value(tells[None], instance.loss[None], limit)[0])


def _heaviest_kept_apart(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[Floats]:
    """By object: the weight that a leaf with it has at most if it is pure, or within the tolerance."""
    beside = company(instance, goal, allowance)
    if np.all((beside == 0) | np.isinf(beside)):
        yield from _mass_that_can_share(instance, allowance)
        return
    k = instance.n_classes
    heaviest = np.bincount(instance.labels, weights=instance.p, minlength=k)
    for j in range(k):
        allowance.look()
        falling = np.concatenate([[0.0], np.cumsum(-np.sort(-instance.p[instance.labels == j]))])
        others = np.arange(k) != j
        heaviest[others] += falling[np.minimum(beside[others, j], len(falling) - 1).astype(np.intp)]
    yield np.asarray(heaviest[instance.labels])


def _mass_that_can_share(instance: Instance, allowance: Allowance) -> Iterator[Floats]:
    """By object x: the weight of the objects y of its class that can be in a pure leaf with it, at most. The
    same array again and again, lowered.

    A leaf with x and y holds every object that agrees with x wherever y does: if one of another class does,
    they cannot. Only some of the other classes' objects are looked at: the rest can only lower the weight.
    """
    shared = np.asarray(np.bincount(instance.labels, weights=instance.p)[instance.labels], dtype=np.float64)
    yield shared
    n, m = instance.codes.shape
    most = int(min(_BLOCKERS, _MOST_WORK // (n * n * m)))
    if most == 0:
        return

    def other_class(objects: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        return np.asarray(instance.labels[objects][:, None] != instance.labels[others])

    same_prices = replace(instance, own=np.ones(m), group=np.full(m, -1), setup=np.zeros(0))
    hardest = HardestPartners(same_prices, n, other_class, most, allowance)
    for label in np.unique(instance.labels):
        members = np.flatnonzero(instance.labels == label)
        for block, blockers in hardest.blocks(members):
            for some, weight in _unblocked(instance, members, block, blockers, allowance):
                shared[members[some]] = weight
                yield shared


def _unblocked(
    instance: Instance, members: NDArray[np.intp], block: slice, blockers: Partners, allowance: Allowance
) -> Iterator[tuple[slice, Floats]]:
    """Some of a block of members, and by object the weight of those that no blocker keeps out of its leaf."""
    codes, p = instance.codes, instance.p[members]
    numbers = len(members) * max(instance.codes.shape[1], blockers.index.shape[1])
    at_once = allowance.at_once(_BYTES * numbers, _BLOCK // numbers)
    size = block.stop - block.start
    with allowance.holding(_BYTES * numbers * min(at_once, size)):
        for first in range(0, size, at_once):
            allowance.look()
            part = slice(first, min(size, first + at_once))
            some = slice(block.start + part.start, block.start + part.stop)
            agree = (codes[members[some]][:, None] == codes[members]).astype(np.float32)
            # The tests on which y is with x and the blocker is not; einsum, because many small products keep
            # the threads of a matrix library waiting for each other.
            separates = blockers.separates[:, :, part].transpose(2, 0, 1).astype(np.float32, order="C")
            clashes = np.einsum("bkt,byt->bky", separates, agree)
            blocked = np.any((clashes == 0) & blockers.present[part][:, :, None], axis=1)
            yield some, np.where(blocked, 0.0, p).sum(axis=1)
