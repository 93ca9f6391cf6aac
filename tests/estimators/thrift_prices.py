"""Random prices of the columns of a random table, with every rule switched on or off."""

from __future__ import annotations

import numpy as np

from thriftree.costs import Group, Steps, TestCosts


def random_costs(rng: np.random.Generator, table) -> TestCosts:
    """Prices by position: plain, by steps for numbers, by category for names."""
    n = table.X.shape[1]
    prices = {}
    for column in range(n):
        kind = rng.integers(3)
        if kind == 0 and column in table.categorical:
            present = np.unique(table.X[:, column][~np.isnan(table.X[:, column])])
            prices[column] = {float(value): float(rng.integers(0, 9)) for value in present} or 1.0
        elif kind == 0:
            prices[column] = Steps((0.0,), (float(rng.integers(0, 9)), float(rng.integers(0, 9))))
        else:
            prices[column] = float(rng.integers(0, 9))
    members = rng.permutation(n)[: rng.integers(0, n + 1)].tolist()
    return TestCosts(
        prices,
        groups={"draw": Group(float(rng.integers(0, 6)), tuple(members))} if members else {},
        pay=str(rng.choice(["once", "each"])),
        known=np.flatnonzero(rng.random(n) < 0.2).tolist(),
        delayed=np.flatnonzero(rng.random(n) < 0.4).tolist(),
        delayed_scope=str(rng.choice(["delayed", "all"])),
    )
