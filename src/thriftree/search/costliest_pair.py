"""The pair bound: two objects that cannot share a leaf both pay for a test that separates them."""

from __future__ import annotations

import numpy as np

from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.leaves import company, heaviest_mixed_leaf


def pair_prices(instance: Instance, goal: Goal) -> Floats:
    """By object: the largest price, over others that cannot share its leaf, of the cheapest test that
    separates the two; 0 without such others.

    Two objects of different classes cannot share a leaf if leaves are pure, if they weigh more than θ
    together, or if F of the two alone exceeds the tolerance. A single test is paid with its group's set-up.

    All pairs, without looking at pairs: the cheapest separating test costs at least c if and only if the two
    agree on all cheaper tests.
    """
    n = len(instance.p)
    highest = np.zeros(n)
    if goal.trees == "error":
        return highest
    apart = company(instance, goal) == 0
    limit = heaviest_mixed_leaf(goal)
    k = instance.n_classes
    price = instance.alone
    cell = np.zeros(n, dtype=np.intp)
    for t in np.argsort(price, kind="stable"):
        heaviest = np.full((int(cell.max()) + 1, k), -np.inf)  # by cell of the cheaper tests, and class
        np.maximum.at(heaviest, (cell, instance.labels), instance.p)
        partner = np.max(heaviest[cell], axis=1, initial=-np.inf, where=apart[instance.labels])
        must = instance.p + partner > limit
        highest[must] = price[t]
        if not np.any(must):
            break
        _, cell = np.unique(np.stack([cell, instance.codes[:, t]]), axis=1, return_inverse=True)
        cell = cell.ravel()
    return highest
