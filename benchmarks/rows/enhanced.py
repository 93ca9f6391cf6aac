"""What balance and efficiency cost beside impurity: the enhanced score against our CART, per node grown.

Once with λ = 1, whose trees are more even than CART's, so that their nodes have more rows; and once with a
λ so large that the impurity decides: then all three terms are computed at CART's own nodes.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks import public_data
from benchmarks.clock import cpu_time
from benchmarks.data import Array
from benchmarks.measurement import Lines, Measurement, RatioTarget
from benchmarks.scored_trees import check_same_tests, microseconds_a_node
from thriftree import _core

TITLE = "the enhanced score per node grown, coalesced yes-or-no tables, one thread"
ROWS = 200_000  # more than any of the tables has
IMPURITY_DECIDES = 1e9


def run(rows: int) -> Lines:
    if public_data.folder() is None:
        yield Measurement("enhanced score", "our CART", remark=public_data.NOT_THERE)
        return
    for name in public_data.NAMES:
        data = public_data.objects(name, rows)
        table = _core.encode_matrix(data.X, n_threads=1)
        weight = data.sample_weight
        unequal = weight * np.random.default_rng(0).uniform(0.5, 2.0, len(weight))
        # θ as heavy as the heaviest object: all are light. θ = 0: all are heavy, and have terms of their own.
        yield from _per_node(f"{name}, all light", table, data.y, weight, weight.max() / weight.sum(), 1.05)
        yield from _per_node(f"{name}, θ = 0", table, data.y, unequal, 0.0, 1.5)


def _per_node(work: str, table: _core.Table, y: Array, weight: Array, theta: float, at_most: float) -> Lines:
    target = _core.Target.classes(y.astype(np.int32), int(y.max()) + 1, weight)

    def grow(**parameters: object) -> _core.Tree:
        options = _core.GrowOptions(
            criterion="gini", candidates=[1] * table.n_columns, min_mass=theta, n_threads=1, **parameters
        )
        return _core.grow(table, target, options).tree

    cart = cpu_time(grow)
    check_same_tests(grow(score="enhanced", trade_off=math.inf, objects=True), cart.result)
    theirs = microseconds_a_node(cart)
    for name, trade_off in (("λ = 1", 1.0), ("CART's nodes", IMPURITY_DECIDES)):
        enhanced = cpu_time(lambda trade_off=trade_off: grow(score="enhanced", trade_off=trade_off))
        ours = microseconds_a_node(enhanced)
        yield Measurement(
            f"{work}, {name}",
            "our CART",
            ours,
            theirs,
            "µs",
            ratio=ours / theirs,
            target=RatioTarget(at_most, "at_most"),
        )
