"""Sets of tests by rising price: an object pays at least the first whose outcomes make a leaf for it."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import PathState
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.leaves import heaviest_mixed_leaf, largest_value, values

_MOST_WORK = 1 << 24  # sets times objects
_MOST_SETS = 1 << 13
_SPARSE = 16  # so many numbers for an object: sorting is faster than a table


def cheapest_leaves(instance: Instance, goal: Goal) -> tuple[Floats, NDArray[np.bool_]]:
    """By object: the least price of a set of tests whose outcomes leave it in a set that may be a leaf, and
    whether it is exact. Where it is not, no set below this price does, and more expensive ones were not
    looked at.
    """
    n = len(instance.p)
    price_so_far = 0.0
    least = np.zeros(n)
    found = np.zeros(n, dtype=np.bool_)
    sets = min(_MOST_SETS, max(1, _MOST_WORK // n))
    for looked_at, (price, cell) in enumerate(_rising_prices(instance)):
        price_so_far = price
        if looked_at == sets:
            break
        new = ~found & _may_be_leaf(instance, goal, cell)[cell]
        least[new] = price
        found |= new
        if np.all(found):
            break
    least[~found] = price_so_far
    return least, found


def _rising_prices(instance: Instance) -> Iterator[tuple[float, NDArray[np.intp]]]:
    """Every set of tests by rising price: its price, and by object the cell that its outcomes put it in.

    A set is made from the one without its last test, which costs no more. Free tests are in all sets.
    """
    varies = np.any(instance.codes != instance.codes[:1], axis=0)
    free = varies & (instance.alone == 0)
    tests = np.flatnonzero(varies & ~free)
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in instance.codes.T], axis=1)
    arity = codes.max(axis=0, initial=0) + 1
    start = np.zeros(len(codes), dtype=np.intp)
    for t in np.flatnonzero(free):
        start = _divided(start, codes[:, t], int(arity[t]))
    # Of the sets with one test more than a set only the cheapest waits, and after it the next: few of very
    # many tests' sets are ever looked at.
    waiting: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    cells: dict[tuple[int, ...], NDArray[np.int32]] = {}
    larger: dict[tuple[int, ...], Iterator[tuple[float, int]]] = {}
    while waiting:
        price, chosen = heapq.heappop(waiting)
        if chosen:
            t = tests[chosen[-1]]
            cell = _divided(cells[chosen[:-1]], codes[:, t], int(arity[t]))
        else:
            cell = start
        cells[chosen] = cell.astype(np.int32)
        yield price, cell
        larger[chosen] = _one_more(instance, tests, price, chosen)
        for smaller in (chosen, chosen[:-1]) if chosen else (chosen,):
            following = next(larger[smaller], None)
            if following is not None:
                heapq.heappush(waiting, (following[0], (*smaller, following[1])))


def _one_more(
    instance: Instance, tests: NDArray[np.intp], price: float, chosen: tuple[int, ...]
) -> Iterator[tuple[float, int]]:
    """The prices of the sets with one later test more, by rising price, and that test's place in `tests`."""
    first = chosen[-1] + 1 if chosen else 0
    path = PathState()
    for place in chosen:
        path = instance.prices.visit(path, int(tests[place]))
    added = instance.prices.marginals(path)[tests[first:]]
    order = np.argsort(added, kind="stable").astype(np.int32)
    for i in order:
        yield price + float(added[i]), first + int(i)


def _divided(cell: NDArray[np.signedinteger], code: NDArray[np.intp], arity: int) -> NDArray[np.intp]:
    """The cells, numbered from 0, after one more test."""
    both = cell.astype(np.intp) * arity + code
    if both.max() > _SPARSE * len(both):
        return np.asarray(np.unique(both, return_inverse=True)[1])
    seen = np.zeros(int(both.max()) + 1, dtype=np.bool_)
    seen[both] = True
    return np.asarray((np.cumsum(seen) - 1)[both])


def _may_be_leaf(instance: Instance, goal: Goal, cell: NDArray[np.intp]) -> NDArray[np.bool_]:
    """By cell: may it be a leaf?"""
    k = instance.n_classes
    counts = np.bincount(cell * k + instance.labels, minlength=k * (int(cell.max()) + 1)).reshape(-1, k)
    if goal.trees == "tolerance":
        return np.asarray(values(goal, counts.astype(np.float64)) <= largest_value(goal))
    pure = np.count_nonzero(counts, axis=1) == 1
    return np.asarray(pure | (np.bincount(cell, weights=instance.p) <= heaviest_mixed_leaf(goal)))
