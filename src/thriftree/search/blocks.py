"""The exact optimum on small blocks of objects, many blocks at once.

A tree restricted to a block is a tree of the block, with the same θ and F, so its objects pay at least the
block's optimum: over disjoint blocks these add up. Trees that may be wrong share one allowance ε; for every
λ >= 0 the cost is at least (cost + λ loss) - λ ε, and cost + λ loss adds up over blocks again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.dual_ascent import Bools
from thriftree.search.hardest_partners import HardestPartners
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.knapsack import shared_prices
from thriftree.search.leaves import heaviest_mixed_leaf, largest_value, values

BLOCK_SIZE = 8
_NEIGHBOURS = 16  # of other classes, by object: candidates for its block
_AT_A_TIME = 256  # blocks; fewer of many tests or classes:
_CODES = 1 << 14  # block x place x test
_COUNTS = 1 << 18  # block x subset x class
_BYTES = 32  # for each of either at most, in the arrays that are alive at a time
_OBJECT_BYTES = 600  # for each object while its neighbours are looked for
_MOST_GROUPS = 3  # whose set-up is followed exactly; that of others is shared out among their tests


@dataclass(frozen=True, eq=False)
class Blocks:
    """Disjoint sets of objects. A short block repeats its first object, not `present`."""

    members: NDArray[np.intp]  # block x place
    present: Bools  # block x place

    @property
    def size(self) -> int:
        """Places of a block."""
        return int(self.members.shape[1])

    def subsets(self) -> Floats:
        """By set of places (bit i: place i) and place: is it in?"""
        return ((np.arange(1 << self.size)[:, None] >> np.arange(self.size)) & 1).astype(np.float64)


def close_blocks(instance: Instance, allowance: Allowance, size: int = BLOCK_SIZE) -> Blocks:
    """All objects in blocks of at most `size`, with objects of other classes that are hard to tell apart."""
    n = len(instance.p)

    def other_class(objects: NDArray[np.intp], others: NDArray[np.intp]) -> Bools:
        return np.asarray(instance.labels[objects][:, None] != instance.labels[others])

    with allowance.holding(_OBJECT_BYTES * n):
        near: list[NDArray[np.intp]] = []
        hardest = HardestPartners(instance, n, other_class, _NEIGHBOURS, allowance)
        for _, partners in hardest.blocks(np.arange(n)):
            near += [index[present] for index, present in zip(partners.index, partners.present, strict=True)]
        free = np.ones(n, dtype=np.bool_)
        size = min(size, n)
        chosen = []
        for x in np.argsort(-instance.p, kind="stable").tolist():
            allowance.look()
            if free[x]:
                chosen.append(_grown(x, near, free, size))
        return _packed(chosen, size)


def _grown(x: int, near: list[NDArray[np.intp]], free: Bools, size: int) -> list[int]:
    """A block from x, whose objects in turn each bring their nearest free neighbour. Takes them.

    Neighbours are of other classes, so taking turns mixes the classes: a block of x and its own neighbours
    would only have to tell x from the rest.
    """
    block = [x]
    free[x] = False
    turns = deque(block)
    while turns and len(block) < size:
        y = turns.popleft()
        candidates = near[y][free[near[y]]]
        if len(candidates):
            z = int(candidates[0])
            free[z] = False
            block.append(z)
            turns.extend([y, z])
    return block


def _packed(chosen: list[list[int]], size: int) -> Blocks:
    """Blocks of these sets; short sets share a block."""
    packed: list[list[int]] = []
    for block in sorted(chosen, key=len, reverse=True):
        if packed and len(packed[-1]) + len(block) <= size:
            packed[-1].extend(block)
        else:
            packed.append(list(block))
    members = np.array([block + block[:1] * (size - len(block)) for block in packed], dtype=np.intp)
    sizes = np.array([len(block) for block in packed])
    return Blocks(members, np.arange(size) < sizes[:, None])


def block_optima(
    instance: Instance, goal: Goal, blocks: Blocks, allowance: Allowance, price_of_loss: float = 0.0
) -> Iterator[Floats]:
    """The optimum of each block, some blocks at a time, in their order: of the expected cost, for "error" of
    the cost + price_of_loss · loss.
    """
    tests, size = instance.codes.shape[1], blocks.size
    bytes_each = _BYTES * ((size * size * tests) + (instance.n_classes + (1 << _MOST_GROUPS)) * (1 << size))
    most = min(_AT_A_TIME, _CODES // (size * tests), _COUNTS // (instance.n_classes << size))
    at_once = allowance.at_once(bytes_each, most)
    with allowance.holding(bytes_each * min(at_once, len(blocks.members))):
        for start in range(0, len(blocks.members), at_once):
            allowance.look()
            some = slice(start, start + at_once)
            part = Blocks(blocks.members[some], blocks.present[some])
            yield _optima(instance, part, _leaf_costs(instance, goal, part, price_of_loss), allowance)


def _leaf_costs(instance: Instance, goal: Goal, blocks: Blocks, price_of_loss: float) -> Floats:
    """By block and subset: what it costs as a leaf; infinite if it may not be one."""
    labels = instance.labels[blocks.members]
    of_class = (labels[:, :, None] == np.arange(instance.n_classes)) & blocks.present[:, :, None]
    subsets = blocks.subsets()
    if goal.trees == "error":
        by_class = _sums(subsets, of_class * instance.loss[blocks.members][:, :, None])
        return np.asarray(price_of_loss * (by_class.sum(axis=2) - by_class.max(axis=2)))
    counts = _sums(subsets, of_class.astype(np.float64))
    if goal.trees == "tolerance":
        value = values(goal, counts.reshape(-1, instance.n_classes)).reshape(counts.shape[:2])
        may = value <= largest_value(goal)
    else:
        weight = _weights(instance, blocks)
        may = (np.count_nonzero(counts, axis=2) <= 1) | (weight <= heaviest_mixed_leaf(goal))
    return np.where(may | (counts.sum(axis=2) <= 1), 0.0, np.inf)


def _weights(instance: Instance, blocks: Blocks) -> Floats:
    """By block and subset: its weight."""
    weight = instance.p[blocks.members] * blocks.present
    return _sums(blocks.subsets(), weight[:, :, None])[:, :, 0]


def _sums(subsets: Floats, of_place: Floats) -> Floats:
    """By block, subset and column, the sum over its places. Products of a matrix library would be worked out
    on other threads.
    """
    return np.asarray(np.einsum("sp,bpk->bsk", subsets, of_place))


def _optima(instance: Instance, blocks: Blocks, leaf: Floats, allowance: Allowance) -> Floats:
    """By block: the least cost, by dynamic programming over opened groups and subsets of its objects."""
    own, group, setup = _followed_groups(instance)
    codes = instance.codes[blocks.members]
    bits = 1 << np.arange(blocks.size)
    # By block, place and test: the set of places that agree with it there.
    alike = ((codes[:, :, None] == codes[:, None]) * bits[:, None]).sum(axis=2)
    weight = _weights(instance, blocks)
    opens = np.where(group >= 0, 1 << np.maximum(group, 0), 0)
    n_states, n_subsets = 1 << len(setup), 1 << blocks.size
    best = np.zeros((len(leaf), n_states, n_subsets))
    start = np.arange(len(leaf))[:, None, None] * n_states * n_subsets
    for subset in range(1, n_subsets):
        allowance.look()
        places = np.flatnonzero(subset & bits)
        parts = alike[:, places] & subset
        splits = parts[:, 0] != subset
        # A part counts at its first place; elsewhere stands the empty set, which costs nothing.
        parts[(parts & -parts) != bits[places][:, None]] = 0
        for opened in range(n_states):
            setup_due = np.where(opens & ~opened, np.append(setup, 0.0)[group], 0.0)
            below = best.take(start + (opened | opens) * n_subsets + parts).sum(axis=1)
            cost = np.where(splits, weight[:, subset, None] * (own + setup_due) + below, np.inf)
            best[:, opened, subset] = np.minimum(leaf[:, subset], cost.min(axis=1))
    return best[:, 0, -1]


def _followed_groups(instance: Instance) -> tuple[Floats, NDArray[np.int64], Floats]:
    """own, group and setup with the most expensive groups only; set-ups of the others are in the own
    prices.
    """
    order = np.argsort(-instance.setup, kind="stable")
    followed = np.array(
        [g for g in order if np.count_nonzero(instance.group == g) > 1][:_MOST_GROUPS], dtype=np.intp
    )
    own = shared_prices(instance, np.ones(len(instance.own)))
    group = np.full(len(own), -1, dtype=np.int64)
    for new, g in enumerate(followed):
        members = instance.group == g
        own[members], group[members] = instance.own[members], new
    return own, group, instance.setup[followed]
