"""Bounds that improve with time, followed to their end without limits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from thriftree.certificates.objects import ObjectsOfRows, objects_of, rows_to_certify
from thriftree.certificates.proved import Proved
from thriftree.certificates.tightest import tightest
from thriftree.learning.limits import Limits
from thriftree.search.allowance import UNLIMITED, Allowance
from thriftree.search.covering import covering_bounds, partner_bounds
from thriftree.search.instance import Goal, Instance

NO_TIME = UNLIMITED.until(time.monotonic())  # for what is not needed


def highest(bounds: Iterator[float]) -> float:
    """The last of rising bounds, which but for rounding is the largest."""
    found = [0.0, *bounds]
    assert all(after >= before * (1 - 1e-9) for before, after in pairwise(found)), found
    return max(found)


def by_covering(instance: Instance, goal: Goal) -> np.ndarray:
    return [least.copy() for least in covering_bounds(instance, goal, UNLIMITED)][-1]


def by_partners(
    instance: Instance, goal: Goal, rows: np.ndarray, max_partners: int, allowance: Allowance = UNLIMITED
) -> np.ndarray:
    least = np.zeros(len(rows))
    for some, bound in partner_bounds(instance, goal, rows, max_partners, np.zeros(len(rows)), allowance):
        assert np.all(bound >= least[some])
        least[some] = bound
    return least


def proved(instance: Instance, goal: Goal, objective: Any, nodes: Any, reached: float) -> Proved:
    """All bounds, with half a minute to search."""
    limits = Limits.of(1, 30.0, None)
    found = Proved()
    allowance = Allowance(limits.look, is_limited=True)
    tightest(instance, goal, objective, nodes, reached, found, limits, allowance, 30.0)
    return found


def objects(X: Any, y: Any, classes: tuple[Any, ...], sample_weight: Any = None) -> ObjectsOfRows:
    rows = rows_to_certify(X, y, classes, sample_weight)
    return objects_of(rows, None, Limits.of(1, None, None), UNLIMITED)
