"""What every price is a multiple of, so that a lower bound on a price can be raised to the next multiple."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from thriftree.search.instance import Floats, Instance

_WHOLE = 1e-6  # steps above a whole number of them that may be rounding errors
_MOST_STEPS = 1e9

Bound = TypeVar("Bound", float, Floats)


def price_step(instance: Instance) -> float:
    """A number of which every price of a path is a multiple; 0 if prices have no such thousandths."""
    prices = np.concatenate([instance.own, instance.setup])
    for parts in (1, 10, 100, 1000):
        whole = np.rint(prices * parts)
        exact = (np.abs(whole - prices * parts) <= 1e-12 * prices * parts).all()
        if exact and 0 < whole.max(initial=0.0) <= _MOST_STEPS:
            return float(np.gcd.reduce(whole.astype(np.int64))) / parts
    return 0.0


def next_price(bound: Bound, step: float) -> Bound:
    """The least multiple of `step` that is not below a lower bound on the price of a path."""
    if step == 0:
        return bound
    raised = np.maximum(bound, np.ceil(np.asarray(bound) / step - _WHOLE) * step)
    return raised if isinstance(bound, np.ndarray) else float(raised)
