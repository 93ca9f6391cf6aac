"""Prices for the tables of people: every rule by which a path can pay."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree import TestCosts
from thriftree.costs import Group, Steps

_PLAIN: dict[str, Any] = {
    "age": 6.0,
    "income": 7.5,
    "region": 2.0,
    "town": 3.5,
    "size": 2.2,
    "member": 1.0,
    "visits": 1.6,
    "noise": 9.0,
}
_BY_OUTCOME = {
    **_PLAIN,
    "region": {"north": 1.0, "east": 5.0, "south": 2.5},
    "income": Steps(up_to=(40, 55), prices=(3, 6, 12)),
    "member": {True: 2.0, False: 0.25},
}
_GROUPS = {
    "office": Group(setup=6.0, members=("income", "visits", "noise")),
    "map": Group(setup=2.5, members=("region", "town")),
}

#: By name: prices of the columns of `tables.people`.
PRICES: dict[str, TestCosts] = {
    "plain": TestCosts(_PLAIN),
    "groups": TestCosts(_PLAIN, groups=_GROUPS),
    "delayed": TestCosts(_PLAIN, delayed=["town", "size"]),
    "delayed all": TestCosts(_PLAIN, delayed=["visits", "size"], delayed_scope="all"),
    "known": TestCosts(_PLAIN, known=["age", "visits"]),
    "by outcome": TestCosts(_BY_OUTCOME),
    "each": TestCosts(_PLAIN, pay="each"),
    "each, groups": TestCosts(_PLAIN, pay="each", groups=_GROUPS, known=["noise"]),
    "free first": TestCosts(_PLAIN, free_first=True, groups=_GROUPS),
    "no read": TestCosts(_PLAIN, read=False, asking=5.0),
    "zeros": TestCosts({**_PLAIN, "age": 0.0, "noise": 0.0}),
    "all rules": TestCosts(_BY_OUTCOME, groups=_GROUPS, delayed=["town", "size"], known=["age"], asking=2.0),
}


def array_prices(columns: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Prices by position: 1, 3.5, 6, 8.5, 1, ..."""
    return np.array([1 + 2.5 * (i % 4) for i in range(columns)])
