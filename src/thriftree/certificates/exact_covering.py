"""The least price of a leaf for each object, exactly, when the tests are few: over all sets of tests."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.certificates.instance import Floats, Goal, Instance
from thriftree.certificates.leaves import ROUNDING, heaviest_mixed_leaf, largest_value, values

Bools: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]

_MOST_WORK = 3 << 27  # objects x sets of tests x tables x tests
_BLOCK = 1 << 20  # numbers in a block's table


def few_enough(instance: Instance, goal: Goal) -> bool:
    """Are all sets of tests quickly looked at?"""
    m = int(np.count_nonzero(_varies(instance)))
    return m <= 16 and (len(instance.p) << m) * max(m, 1) * _n_tables(instance, goal) <= _MOST_WORK


def exact_covering(instance: Instance, goal: Goal) -> Floats:
    """By object: the least price of a set of tests whose outcomes leave it in a set that may be a leaf."""
    usable = np.flatnonzero(_varies(instance))
    codes = instance.codes[:, usable]
    n, m = codes.shape
    price = _prices_of_sets(instance, usable)
    cheapest = np.argsort(price, kind="stable")
    bound = np.zeros(n)
    block = max(1, _BLOCK // max(n, (1 << m) * _n_tables(instance, goal)))
    for start in range(0, n, block):
        rows = np.arange(start, min(n, start + block))
        agree = np.zeros((len(rows), n), dtype=np.intp)
        for t in range(m):
            agree |= (codes[rows, t, None] == codes[None, :, t]).astype(np.intp) << t
        may = _may_be_leaf(instance, goal, rows, agree, m)
        bound[rows] = price[cheapest[np.argmax(may[:, cheapest], axis=1)]]
    return bound


def _varies(instance: Instance) -> Bools:
    return np.asarray(np.any(instance.codes != instance.codes[:1], axis=0))


def _n_tables(instance: Instance, goal: Goal) -> int:
    return instance.n_classes if goal.trees == "tolerance" else 2


def _prices_of_sets(instance: Instance, usable: Indices) -> Floats:
    """By set of the usable tests (bit t: the t-th): its price, each group's set-up once."""
    m = len(usable)
    members = (np.arange(1 << m)[:, None] >> np.arange(m)) & 1 > 0
    price = members @ instance.own[usable]
    for g, setup in enumerate(instance.setup):
        price = price + setup * np.any(members[:, instance.group[usable] == g], axis=1)
    return np.asarray(price, dtype=np.float64)


def _may_be_leaf(
    instance: Instance,
    goal: Goal,
    rows: Indices,
    agree: Indices,
    m: int,
) -> Bools:
    """By object of `rows` and set of tests: may the objects that agree with it on the set be a leaf?"""
    differs = instance.labels[rows, None] != instance.labels[None, :]
    if goal.trees == "tolerance":
        counts = np.stack(
            [
                _sums_by_set(agree, np.broadcast_to(instance.labels == k, agree.shape), m)
                for k in range(instance.n_classes)
            ],
            axis=2,
        )
        value = values(goal, counts.reshape(-1, instance.n_classes)).reshape(counts.shape[:2])
        return np.asarray(value <= largest_value(goal))
    may = _sums_by_set(agree, differs, m) < 0.5
    if heaviest_mixed_leaf(goal) > 0:
        mass = _sums_by_set(agree, np.broadcast_to(instance.p, agree.shape), m)
        may |= mass <= heaviest_mixed_leaf(goal) + ROUNDING
    return may


def _sums_by_set(
    agree: Indices,
    weight: NDArray[Any],
    m: int,
) -> Floats:
    """By row and set A: the weight of the columns whose set of agreement holds A."""
    size = 1 << m
    cell = agree + size * np.arange(len(agree))[:, None]
    sums = np.bincount(cell.ravel(), weights=weight.ravel(), minlength=size * len(agree)).astype(np.float64)
    for t in range(m):
        halves = sums.reshape(-1, 2, 1 << t)
        halves[:, 0] += halves[:, 1]
    return sums.reshape(len(agree), size)
