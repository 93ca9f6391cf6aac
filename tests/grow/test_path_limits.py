"""Limits, interrupts and bad calls where trees of objects are grown, one or a path of them."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from thriftree import _core

TRADE_OFFS = [0.0, 1.0, 5.0, math.inf]


def problem(n: int = 20_000, n_columns: int = 6) -> tuple[_core.Table, _core.Target]:
    """Columns of many codes and of few, so that rows are kept in every way there is."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, n_columns))
    x[:, ::2] = rng.integers(0, 2, (n, (n_columns + 1) // 2))
    return _core.encode_matrix(x), _core.Target.classes(rng.integers(0, 2, n).astype(np.int32), 2)


def options(n_columns: int = 6, **parameters: object) -> _core.GrowOptions:
    return _core.GrowOptions(
        **{"candidates": [1] * n_columns, "score": "enhanced", "objects": True, **parameters}
    )


@pytest.mark.parametrize("time_limit_s", [0.02, 0.1])
@pytest.mark.parametrize("parameters", [{}, {"max_leaves": 10**6}, {"n_threads": 2}])
def test_a_path_that_runs_out_of_time_has_a_tree_for_every_trade_off(time_limit_s, parameters):
    table, target = problem()
    path = _core.grow_path(table, target, options(time_limit_s=time_limit_s, **parameters), TRADE_OFFS * 5)
    assert len(path.grown) == 20
    for grown in path.grown:
        assert grown.tree.rows[grown.tree.column < 0].sum() == table.n_rows
    stopped = [grown.stopped_by for grown in path.grown]
    first = stopped.index("time_limit")
    assert stopped == [None] * first + ["time_limit"] * (20 - first)
    assert all(grown.tree.n_nodes == 1 for grown in path.grown[first + 1 :])


def test_a_path_without_time_is_one_leaf_for_every_trade_off():
    table, target = problem(500)
    path = _core.grow_path(table, target, options(time_limit_s=0), TRADE_OFFS)
    assert [(grown.stopped_by, grown.tree.n_nodes) for grown in path.grown] == [("time_limit", 1)] * 4


def test_a_path_that_ends_by_itself_was_stopped_by_nothing():
    table, target = problem(500)
    path = _core.grow_path(table, target, options(time_limit_s=60), TRADE_OFFS)
    assert [grown.stopped_by for grown in path.grown] == [None] * 4
    assert path.grown[0].tree.n_leaves > 1


def test_a_memory_limit_counts_the_objects():
    rng = np.random.default_rng(1)
    table = _core.encode_matrix(rng.integers(0, 3, (100_000, 4)).astype(np.float32))
    target = _core.Target.classes(rng.integers(0, 2, 100_000).astype(np.int32), 2)
    with pytest.raises(MemoryError, match="finding equal rows needs"):
        _core.grow(table, target, options(4, memory_limit_mb=1))
    assert _core.grow(table, target, options(4, memory_limit_mb=500)).tree.objects[0] == 81


INTERRUPTED = """
import sys
import numpy as np
from thriftree import _core
where, rng = sys.argv[1], np.random.default_rng(0)
parameters = {"score": "enhanced", "objects": True}
if where == "finding objects":
    x = rng.integers(0, 3, (1_500_000, 12))
elif where == "combining a group":
    x = rng.integers(0, 30, (200_000, 12))
    prices = {"own": [1.0] * 12, "group": [0] * 12, "setup": [3.0], "known": [False] * 12}
    parameters["price_model"] = _core.PriceRules(**prices, pay_once=True, asking=0.01, read=True)
    parameters["cost_benefit"] = True
else:
    x = rng.normal(size=(200_000, 12))
table = _core.encode_matrix(x.astype("f4"))
target = _core.Target.classes(rng.integers(0, 2, len(x)).astype("i4"), 2)
options = _core.GrowOptions(candidates=[1] * 12, **parameters)
print("ready", flush=True)
try:
    _core.grow_path(table, target, options, [0.0, 1.0, 5.0, float("inf")])
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("where", ["finding objects", "combining a group", "growing"])
def test_ctrl_c_ends_a_path_long_before_its_end(where, record_property):
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, where], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        record_property("seconds_to_stop", round(time.monotonic() - sent, 3))
    assert answer == "interrupted\n"


@pytest.mark.parametrize(
    ("parameters", "trade_offs", "message"),
    [
        ({}, [], "name at least one"),
        ({}, [1.0, -1.0], "trade_off must be a number of at least 0"),
        ({}, [math.nan], "trade_off must be a number of at least 0"),
        ({"score": "impurity"}, [1.0], "needs score 'enhanced'"),
        ({"min_mass": -0.1}, [1.0], "min_mass must be a share"),
        ({"min_mass": math.nan}, [1.0], "min_mass must be a share"),
        ({"criterion": lambda *_: 0.0}, [1.0], "an impurity by name"),
        ({"grower": object()}, [1.0], "built-in chooser and grower"),
    ],
)
def test_parameters_that_do_not_fit_a_path_are_refused_with_a_reason(parameters, trade_offs, message):
    table, target = problem(50)
    given = options(**parameters)
    with pytest.raises(ValueError, match=message):
        _core.grow_path(table, target, given, trade_offs)


@pytest.mark.parametrize(
    ("bins", "n_bins", "message"),
    [
        ([0, 1], 2, "one entry per row"),
        ([0, 1, 2], 2, "outside 0 .. n_bins - 1"),
        ([0, 1, -1], 2, "outside 0 .. n_bins - 1"),
        ([0, 0, 0], 0, "between 1 and 65536"),
        ([0, 1, 1], 2**31 - 1, "between 1 and 65536"),
    ],
)
def test_bins_that_do_not_fit_are_refused_with_a_reason(bins, n_bins, message):
    with pytest.raises(ValueError, match=message):
        _core.Target.numbers(np.arange(3.0), bins=np.array(bins, np.int32), n_bins=n_bins)


def test_numbers_without_bins_are_no_objects():
    table, _ = problem(50)
    target = _core.Target.numbers(np.arange(50.0))
    with pytest.raises(ValueError, match="bins"):
        _core.grow(table, target, options(criterion="squared_error"))


def test_outcomes_may_be_any_numbers():
    labels, weights = np.array([0, 1, 1], np.int32), np.array([1.0, 2.0, 3.0])
    near, far = np.array([0, 1, 2], np.int32), np.array([5, 2**20, 2**31 - 1], np.int32)
    assert _core.enhanced_terms(labels, 2, weights, far, 0.0, "gini") == _core.enhanced_terms(
        labels, 2, weights, near, 0.0, "gini"
    )
