"""What scores that are not impurities cost on exact columns: against our CART, per node grown.

Trees differ in size and in how even they are, so the time of a tree is divided by its nodes. What is checked
first: with λ = inf, whose sums are those of all scores, the tree is CART's. Printed beside: of all rows times
columns, the share that was opened to find the exact thresholds.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.clock import cpu_time
from benchmarks.data import floats
from benchmarks.measurement import Lines, Measurement, RatioTarget
from benchmarks.scored_trees import check_same_tests, microseconds_a_node
from thriftree import _core

TITLE = "scores per node grown, exact thresholds, {rows:,} × 15 floats, 3 classes, one thread"
ROWS = 50_000
COLUMNS = 15
SCORES: dict[str, tuple[dict[str, object], float]] = {
    "enhanced, λ = 1": ({"score": "enhanced"}, 1.3),
    "enhanced, CART's nodes": ({"score": "enhanced", "trade_off": 1e9}, 2.0),
    "impure pairs": ({"score": "impure_pairs"}, 1.5),
    "balance": ({"score": "balance"}, 1.5),
    "worst case, pairs": ({"score": "worst_case", "set_function": _core.Pairs()}, 2.5),
}


def run(rows: int) -> Lines:
    for weighted in (False, True):
        data = floats(rows, COLUMNS, 3, weighted=weighted)
        table = _core.encode_matrix(data.X.astype(np.float64), n_threads=1)
        target = _core.Target.classes(data.y.astype(np.int32), 3, data.sample_weight)

        opened: dict[str, str] = {}

        def grow(
            name: str,
            table: _core.Table = table,
            target: _core.Target = target,
            opened: dict[str, str] = opened,
            **parameters: object,
        ) -> _core.Tree:
            options = _core.GrowOptions(candidates=[1] * COLUMNS, min_leaf_rows=5, n_threads=1, **parameters)
            grown = _core.grow(table, target, options)
            opened[name] = (
                f"{100 * grown.pairs_opened / grown.pairs_seen:.2f} %" if grown.pairs_seen else "ranked"
            )
            return grown.tree

        cart = cpu_time(lambda grow=grow: grow("gini"))
        check_same_tests(grow("λ = inf", score="enhanced", trade_off=math.inf, objects=True), cart.result)
        theirs = microseconds_a_node(cart)
        for impurity in ("entropy", "misclassification", "gain_ratio"):
            grow(impurity, criterion=impurity)
        for name, (parameters, at_most) in SCORES.items():
            scored = cpu_time(
                lambda name=name, parameters=parameters, grow=grow: grow(name, objects=True, **parameters)
            )
            ours = microseconds_a_node(scored)
            yield Measurement(
                f"{name}, weights" if weighted else name,
                "our CART",
                ours,
                theirs,
                "µs",
                ratio=ours / theirs,
                target=None if weighted else RatioTarget(at_most, "at_most"),
            )
        shares = "; ".join(f"{name} {share}" for name, share in opened.items())
        yield Measurement("pairs opened, weights" if weighted else "pairs opened", "", remark=shares)
