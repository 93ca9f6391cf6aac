"""Sets of tests by rising price: an object pays at least the first whose outcomes make a leaf for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import PathState
from thriftree.search.allowance import Allowance
from thriftree.search.cells import ObjectCells
from thriftree.search.instance import Codes, Floats, Goal, Instance

_MOST_WORK = 1 << 24  # sets times objects
_MOST_SETS = 1 << 13
_SET_BYTES = 1000  # of a set, beside its arrays
_SPARSE = 16  # so many numbers for an object: sorting is faster than a table


def cheapest_leaves(
    instance: Instance, goal: Goal, allowance: Allowance
) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
    """By object: the least price of a set of tests whose outcomes leave it in a set that may be a leaf, and
    whether it is exact. Where it is not, no set below this price does, and more expensive ones were not
    looked at. The same arrays again and again, raised price by price.
    """
    n = len(instance.p)
    least = np.zeros(n)
    found = np.zeros(n, dtype=np.bool_)
    most = min(_MOST_SETS, max(1, _MOST_WORK // n))
    sets = allowance.at_once(_bytes_of_set(instance), most)
    highest = -np.inf
    with allowance.growing() as book:
        for looked_at, (price, cell) in enumerate(_rising_prices(instance, allowance, book)):
            if price > highest:
                highest = price
                least[~found] = price
                yield least, found
            if looked_at == sets:
                if sets < most:
                    allowance.leave_out()
                break
            cells = ObjectCells(instance, cell, int(cell.max()) + 1)
            found |= cells.may_be_leaves(goal, allowance)[cell]
            if np.all(found):
                break
    yield least, found


def _rising_prices(
    instance: Instance, allowance: Allowance, book: Callable[[float], None]
) -> Iterator[tuple[float, NDArray[np.intp]]]:
    """Every set of tests by rising price: its price, and by object the cell that its outcomes put it in.

    A set is made from the one without its last test, which costs no more. Free tests are in all sets.
    """
    n = len(instance.codes)
    varies = np.any(instance.codes != instance.codes[:1], axis=0)
    free = varies & (instance.alone == 0)
    tests = np.flatnonzero(varies & ~free)
    ranks: dict[int, NDArray[np.int32]] = {}  # of the codes, where they were asked for

    def ranked(test: int) -> NDArray[np.int32]:
        if test not in ranks:
            book(4 * n)
            ranks[test] = np.unique(instance.codes[:, test], return_inverse=True)[1].astype(np.int32)
        return ranks[test]

    start = np.zeros(n, dtype=np.intp)
    for t in np.flatnonzero(free):
        allowance.look()
        start = divided(start, instance.codes[:, t])
    # Of the sets with one test more than a set only the cheapest waits, and after it the next: few of very
    # many tests' sets are ever looked at.
    waiting: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    cells: dict[tuple[int, ...], NDArray[np.int32]] = {}
    larger: dict[tuple[int, ...], Iterator[tuple[float, int]]] = {}
    while waiting:
        allowance.look()
        book(_bytes_of_set(instance))
        price, chosen = heapq.heappop(waiting)
        cell = divided(cells[chosen[:-1]], ranked(int(tests[chosen[-1]]))) if chosen else start
        cells[chosen] = cell.astype(np.int32)
        yield price, cell
        larger[chosen] = _one_more(instance, tests, price, chosen)
        for smaller in (chosen, chosen[:-1]) if chosen else (chosen,):
            following = next(larger[smaller], None)
            if following is not None:
                heapq.heappush(waiting, (following[0], (*smaller, following[1])))


def _bytes_of_set(instance: Instance) -> int:
    """What is kept of a set: the cells of all objects, and an order of the tests to add."""
    n, m = instance.codes.shape
    return int(4 * n + 16 * m + _SET_BYTES)


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


def divided(cell: NDArray[np.signedinteger], code: Codes) -> NDArray[np.intp]:
    """The cells, numbered from 0, after one more test."""
    both = cell.astype(np.intp) * (int(code.max()) + 1) + code
    if both.max() > _SPARSE * len(both):
        return np.asarray(np.unique(both, return_inverse=True)[1])
    seen = np.zeros(int(both.max()) + 1, dtype=np.bool_)
    seen[both] = True
    return np.asarray((np.cumsum(seen) - 1)[both])
