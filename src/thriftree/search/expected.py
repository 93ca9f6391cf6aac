"""Lower bounds on the expected cost of every tree of a class."""

from __future__ import annotations

import time

import numpy as np

from thriftree.search.blocks import BLOCK_SIZE, block_optima, close_blocks
from thriftree.search.costliest_pair import pair_prices
from thriftree.search.covering import covering_bounds
from thriftree.search.expected_error import blocks_with_errors, covering_with_errors
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.kraft import kraft_bound


def pair_bound(instance: Instance, goal: Goal) -> float:
    """Σ p(x) · the most expensive separation from another object that x certainly pays. 0 for "error"."""
    return float(instance.p @ pair_prices(instance, goal))


def certificate_bound(instance: Instance, goal: Goal) -> float:
    """Σ p(x) · what x pays at least. 0 for "error"."""
    return float(instance.p @ covering_bounds(instance, goal))


def expected_bounds(instance: Instance, goal: Goal, deadline: float) -> dict[str, float]:
    """Every bound by its name. After the deadline, a time of time.monotonic, no further bound is begun, and
    those that improve with time end with what they have.
    """
    if len(instance.p) < 2:
        return {"certificate": 0.0}
    bounds: dict[str, float] = {}
    if goal.trees == "error":
        bounds["certificate"] = covering_with_errors(instance, goal, deadline)
    else:
        pair = pair_prices(instance, goal)
        least = np.maximum(covering_bounds(instance, goal), pair)
        bounds["pair"] = float(instance.p @ pair)
        bounds["certificate"] = float(instance.p @ least)
    if time.monotonic() < deadline:
        bounds["kraft"] = kraft_bound(instance, goal)
    if time.monotonic() < deadline:
        bounds["blocks"] = (
            blocks_with_errors(instance, goal, deadline)
            if goal.trees == "error"
            else blocks_bound(instance, goal, least, deadline)
        )
    return bounds


def blocks_bound(
    instance: Instance, goal: Goal, least: Floats, deadline: float, size: int = BLOCK_SIZE
) -> float:
    """Exact optima of disjoint blocks of at most `size` objects; where a block's objects pay more by `least`,
    what each object pays at least, that. Blocks after the deadline count with `least`. Not for "error".
    """
    blocks = close_blocks(instance, size)
    pays = ((instance.p * least)[blocks.members] * blocks.present).sum(axis=1)
    done = 0
    for optima in block_optima(instance, goal, blocks):
        part = slice(done, done + len(optima))
        pays[part] = np.maximum(pays[part], optima)
        done += len(optima)
        if time.monotonic() >= deadline:
            break
    return float(pays.sum())
