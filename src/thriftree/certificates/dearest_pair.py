"""The pair bound: two objects that cannot share a leaf both pay for a test that separates them."""

from __future__ import annotations

import numpy as np

from thriftree.certificates.instance import Floats, Goal, Instance
from thriftree.certificates.leaves import company, heaviest_mixed_leaf

_BLOCK = 1 << 18  # pairs at a time
_MOST_WORK = 4 << 30  # pairs times tests


def pair_prices(instance: Instance, goal: Goal) -> Floats:
    """By object: the largest price, over others that cannot share its leaf, of the cheapest test that
    separates the two; 0 without such others.

    Two objects of different classes cannot share a leaf if leaves are pure, if they weigh more than θ
    together, or if F of the two alone exceeds the tolerance. A single test is paid with its group's set-up.
    """
    n, m = instance.codes.shape
    dearest = np.zeros(n)
    if goal.trees == "error":
        return dearest
    apart = company(instance, goal if goal.trees == "tolerance" else Goal("pure")) == 0
    limit = heaviest_mixed_leaf(goal)
    others = np.unique(np.linspace(0, n - 1, min(n, max(1, _MOST_WORK // (n * m)))).astype(np.intp))
    price = instance.alone
    falling = np.argsort(-price, kind="stable")
    for start in range(0, n, max(1, _BLOCK // len(others))):
        x = np.arange(start, min(n, start + max(1, _BLOCK // len(others))))
        cheapest = np.zeros((len(x), len(others)))
        for t in falling:
            differ = instance.codes[x, t, None] != instance.codes[others, t]
            np.copyto(cheapest, price[t], where=differ)
        must = apart[instance.labels[x]][:, instance.labels[others]]
        must &= instance.p[x, None] + instance.p[others] > limit
        dearest[x] = np.max(cheapest, axis=1, initial=0.0, where=must)
    return dearest
