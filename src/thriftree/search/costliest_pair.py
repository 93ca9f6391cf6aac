"""The pair bound: two objects that cannot share a leaf both pay for a test that separates them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.cells import cell_blocks
from thriftree.search.cheapest_sets import divided
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.leaves import company, company_bytes, heaviest_mixed_leaf

_NUMBERS = 1 << 17  # object x class, at once
_BYTES = 24  # for each of them at most, in the arrays that are alive at a time


def pair_prices(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[Floats]:
    """By object: the largest price, over others that cannot share its leaf, of the cheapest test that
    separates the two; 0 without such others. The same array again and again, raised price by price.

    Two objects of different classes cannot share a leaf if leaves are pure, if they weigh more than θ
    together, or if F of the two alone exceeds the tolerance. A single test is paid with its group's set-up.

    All pairs, without looking at pairs: the cheapest separating test costs at least c if and only if the two
    agree on all cheaper tests.
    """
    highest = np.zeros(len(instance.p))
    if goal.trees == "error":
        return
    with allowance.holding(company_bytes(instance)):
        apart = company(instance, goal, allowance) == 0
        yield from _raised(instance, goal, apart, highest, allowance)


def _raised(
    instance: Instance, goal: Goal, apart: NDArray[np.bool_], highest: Floats, allowance: Allowance
) -> Iterator[Floats]:
    """`apart`: by class and class, whether an object of one cannot share a leaf with one of the other."""
    limit = heaviest_mixed_leaf(goal)
    price = instance.alone
    cell = np.zeros(len(highest), dtype=np.intp)
    for t in np.argsort(price, kind="stable"):
        must = instance.p + _heaviest_partner(instance, apart, cell, allowance) > limit
        highest[must] = price[t]
        yield highest
        if not np.any(must):
            break
        cell = divided(cell, instance.codes[:, t])


def _heaviest_partner(
    instance: Instance, apart: NDArray[np.bool_], cell: NDArray[np.intp], allowance: Allowance
) -> Floats:
    """By object: the largest weight of an object in its cell that cannot share its leaf; -inf without."""
    k = instance.n_classes
    partner = np.empty(len(cell))
    at_once = allowance.at_once(_BYTES * k, _NUMBERS // k)
    with allowance.holding(_BYTES * k * min(at_once, len(cell))):
        for block in cell_blocks(cell, int(cell.max()) + 1, k, allowance):
            rows = np.arange(len(cell))[block.rows]
            heaviest = np.full((block.cells.stop - block.cells.start, k), -np.inf)
            np.maximum.at(heaviest, (block.cell, instance.labels[rows]), instance.p[rows])
            for first in range(0, len(rows), at_once):
                allowance.look()
                part = slice(first, first + at_once)
                may = apart[instance.labels[rows[part]]]
                partner[rows[part]] = np.max(heaviest[block.cell[part]], axis=1, initial=-np.inf, where=may)
    return partner
