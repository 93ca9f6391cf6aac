"""Lower bounds on the expected cost of every tree of a class."""

from __future__ import annotations

import time

import numpy as np

from thriftree.certificates.blocks import block_optima, close_blocks
from thriftree.certificates.covering import covering_bounds
from thriftree.certificates.dearest_pair import pair_prices
from thriftree.certificates.expected_error import blocks_with_errors, covering_with_errors
from thriftree.certificates.instance import Floats, Goal, Instance
from thriftree.certificates.kraft import kraft_bound


def pair_bound(instance: Instance, goal: Goal) -> float:
    """Σ p(x) · the dearest separation from another object that x certainly pays."""
    return float(instance.p @ pair_prices(instance, goal))


def certificate_bound(instance: Instance, goal: Goal) -> float:
    """Σ p(x) · what x pays at least."""
    return float(instance.p @ covering_bounds(instance, goal))


def blocks_bound(instance: Instance, goal: Goal, deadline: float) -> float:
    """Exact optima of disjoint blocks of objects; where a block's objects pay more by the certificate bound,
    that. Blocks after the deadline (of time.monotonic) count with the certificate bound.
    """
    if goal.trees == "error":
        return blocks_with_errors(instance, goal, deadline)
    least = np.maximum(covering_bounds(instance, goal), pair_prices(instance, goal))
    return _blocks_bound(instance, goal, least, deadline)


def expected_bounds(instance: Instance, goal: Goal, deadline: float) -> dict[str, float]:
    """Every bound by its name, those first that are quick. All but the first stop at the deadline, a time of
    time.monotonic: blocks with what they have, others by being left out.
    """
    if goal.trees == "error":
        bounds = {"certificate": covering_with_errors(instance, goal, deadline)}
        if time.monotonic() < deadline:
            bounds["kraft"] = kraft_bound(instance, goal)
        if time.monotonic() < deadline:
            bounds["blocks"] = blocks_with_errors(instance, goal, deadline)
        return bounds
    pair = pair_prices(instance, goal)
    bounds = {"pair": float(instance.p @ pair)}
    if time.monotonic() < deadline:
        bounds["kraft"] = kraft_bound(instance, goal)
    if time.monotonic() < deadline:
        least = np.maximum(pair, covering_bounds(instance, goal))
        bounds["certificate"] = float(instance.p @ least)
        bounds["blocks"] = _blocks_bound(instance, goal, least, deadline)
    return bounds


def _blocks_bound(instance: Instance, goal: Goal, least: Floats, deadline: float) -> float:
    blocks = close_blocks(instance)
    pays = ((instance.p * least)[blocks.members] * blocks.present).sum(axis=1)
    done = 0
    for optima in block_optima(instance, goal, blocks):
        part = slice(done, done + len(optima))
        pays[part] = np.maximum(pays[part], optima)
        done += len(optima)
        if time.monotonic() >= deadline:
            break
    return float(pays.sum())
