"""Nine trees, one for each λ from 0 to ∞, against one tree: nodes that they share are counted once."""

from __future__ import annotations

import math

import numpy as np

from benchmarks import public_data
from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.data import Data
from benchmarks.measurement import Lines, Measurement, RatioTarget, as_much
from thriftree import _core

TITLE = "nine λ from 0 to ∞, coding included, coalesced yes-or-no tables, one thread"
ROWS = 200_000  # more than any of the tables has
TRADE_OFFS = (math.inf, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.0)
THETA = 0.005  # as in paper 000


def run(rows: int) -> Lines:
    if public_data.folder() is None:
        yield Measurement("nine λ", "one fit", remark=public_data.NOT_THERE)
        return
    for name in public_data.NAMES:
        yield from _path_against_one(name, public_data.objects(name, rows))


def _path_against_one(name: str, data: Data) -> Lines:
    target = _core.Target.classes(data.y.astype(np.int32), data.n_classes, data.sample_weight)

    def options(trade_off: float) -> _core.GrowOptions:
        return _core.GrowOptions(
            criterion="gini",
            score="enhanced",
            objects=True,
            trade_off=trade_off,
            candidates=[1] * data.X.shape[1],
            min_mass=THETA,
            n_threads=1,
        )

    def one(trade_off: float = 1.0) -> _core.Tree:
        return _core.grow(_core.encode_matrix(data.X, n_threads=1), target, options(trade_off)).tree

    def path() -> _core.GrownPath:
        table = _core.encode_matrix(data.X, n_threads=1)
        return _core.grow_path(table, target, options(1.0), TRADE_OFFS)

    single, several = cpu_time(one), cpu_time(path)
    for trade_off, grown in zip(TRADE_OFFS, several.result.grown, strict=True):
        if grown.tree != one(trade_off):
            raise AnswerDiffersError(f"{name}: the tree of λ = {trade_off} is not the one grown alone")
    yield as_much(f"{name}, nine λ", "one fit", several.seconds, single.seconds, 3)
    counted, distinct = several.result.rows_counted, several.result.rows_of_distinct_nodes
    yield Measurement(
        f"{name}, rows counted",
        "rows of distinct nodes",
        counted / 1e6,
        distinct / 1e6,
        "M",
        ratio=counted / distinct,
        target=RatioTarget(1.02, "at_most"),
    )
