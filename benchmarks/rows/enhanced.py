"""What balance and efficiency cost beside impurity: the enhanced score against our CART, per node grown."""

from __future__ import annotations

import math

import numpy as np

from benchmarks import public_data
from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import Timed, cpu_time
from benchmarks.data import Array
from benchmarks.measurement import Lines, Measurement, Target
from thriftree import _core

TITLE = "the enhanced score per node grown, coalesced yes-or-no tables, one thread"
ROWS = 200_000  # more than any of the tables has


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
        yield _per_node(f"{name}, all light", table, data.y, weight, weight.max() / weight.sum(), 1.2)
        yield _per_node(f"{name}, θ = 0", table, data.y, unequal, 0.0, 2.5)


def _per_node(
    work: str, table: _core.Table, y: Array, weight: Array, theta: float, at_most: float
) -> Measurement:
    target = _core.Target.classes(y.astype(np.int32), int(y.max()) + 1, weight)

    def grow(**words: object) -> _core.Tree:
        options = _core.GrowOptions(
            criterion="gini", candidates=[1] * table.n_columns, min_mass=theta, n_threads=1, **words
        )
        return _core.grow(table, target, options).tree

    cart = cpu_time(grow)
    _check_same_tests(grow(score="enhanced", trade_off=math.inf, objects=True), cart.result)
    enhanced = cpu_time(lambda: grow(score="enhanced", trade_off=1.0, objects=True))
    ours, theirs = _microseconds_a_node(enhanced), _microseconds_a_node(cart)
    return Measurement(
        work, "our CART", ours, theirs, "µs", ratio=ours / theirs, target=Target(at_most, "at_most")
    )


def _check_same_tests(ours: _core.Tree, theirs: _core.Tree) -> None:
    """With λ = inf the enhanced tree is CART's."""
    for name in ("column", "keys", "children", "label"):
        if not np.array_equal(getattr(ours, name), getattr(theirs, name)):
            raise AnswerDiffersError(
                f"λ = inf gives {ours.n_nodes} nodes and CART {theirs.n_nodes}: {name} differs"
            )


def _microseconds_a_node(grown: Timed[_core.Tree]) -> float:
    return 1e6 * grown.seconds / grown.result.n_nodes
