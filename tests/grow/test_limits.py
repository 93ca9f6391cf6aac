"""Threads, limits, interrupts and bad calls."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from grow_problems import random_problem

from thriftree import _core


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "squared_error"])
@pytest.mark.parametrize("n_values", [5, 200, 4000])
def test_the_number_of_threads_changes_no_bit_of_the_tree(criterion, n_values):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, criterion, "threshold", n=3000, n_values=n_values, n_columns=4)
        problem.weight = [None, rng.random(3000) + 1e-3, rng.integers(1, 9, 3000).astype(float)][seed]
        for parameters in ({}, {"max_leaves": 40}):
            one = problem.grow(n_threads=1, **parameters)
            assert one.n_leaves > 30
            assert problem.grow(n_threads=2, **parameters) == one
            assert problem.grow(n_threads=4, **parameters) == one


def test_threads_that_share_one_large_node_add_the_same_sums():
    """So many rows that a single node is counted in parts."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20, (150_000, 3)).astype(np.float32)
    target = _core.Target.classes((rng.random(150_000) < x[:, 0] / 25).astype(np.int32), 2)
    table = _core.encode_matrix(x)
    trees = [
        _core.grow(table, target, _core.GrowOptions(candidates=[1] * 3, max_depth=4, n_threads=n)).tree
        for n in (1, 2, 4)
    ]
    assert trees[0] == trees[1] == trees[2]
    assert trees[0].n_leaves == 16


def large(n=30_000, n_columns=6):
    rng = np.random.default_rng(0)
    table = _core.encode_matrix(rng.normal(size=(n, n_columns)))
    return table, _core.Target.classes(rng.integers(0, 2, n).astype(np.int32), 2)


@pytest.mark.parametrize("parameters", [{}, {"max_leaves": 10**6}])
def test_a_time_limit_gives_the_tree_so_far_and_says_so(parameters):
    table, target = large()
    options = _core.GrowOptions(candidates=[1] * 6, time_limit_s=0.02, **parameters)
    grown = _core.grow(table, target, options)
    assert grown.stopped_by == "time_limit"
    assert grown.tree.rows[grown.tree.column < 0].sum() == table.n_rows


def test_a_fit_that_ends_by_itself_was_stopped_by_nothing():
    table, target = large(500)
    assert (
        _core.grow(table, target, _core.GrowOptions(candidates=[1] * 6, time_limit_s=60)).stopped_by is None
    )


def test_a_time_limit_of_nothing_is_one_leaf():
    table, target = large(500)
    grown = _core.grow(table, target, _core.GrowOptions(candidates=[1] * 6, time_limit_s=0))
    assert grown.tree.n_nodes == 1
    assert grown.stopped_by == "time_limit"


def test_a_memory_limit_is_an_error_with_the_need_and_the_remedy():
    table, target = large(100_000)
    with pytest.raises(
        MemoryError, match=r"needs \d+ MB in all, but memory_limit_mb allows 1 MB: .*max_bins"
    ):
        _core.grow(table, target, _core.GrowOptions(candidates=[1] * 6, memory_limit_mb=1))
    assert (
        _core.grow(table, target, _core.GrowOptions(candidates=[1] * 6, memory_limit_mb=500)).tree.n_leaves
        > 1
    )


def test_the_nodes_of_a_tree_count_in_the_memory_limit():
    rng = np.random.default_rng(1)
    table = _core.encode_matrix(rng.integers(0, 200, (20_000, 3)).astype(np.float32))
    target = _core.Target.classes(rng.integers(0, 2, 20_000).astype(np.int32), 2)

    def grown(megabytes=None):
        return _core.grow(table, target, _core.GrowOptions(candidates=[1] * 3, memory_limit_mb=megabytes))

    whole, cut = grown(), grown(4)
    assert whole.stopped_by is None
    assert cut.stopped_by == "memory_limit"
    assert 100 < cut.tree.n_nodes < 4 * 2**20 / 900 < whole.tree.n_nodes
    assert cut.tree.rows[cut.tree.column < 0].sum() == 20_000
    assert grown(100).tree == whole.tree


INTERRUPTED = """
import sys, time
import numpy as np
from thriftree import _core
rng = np.random.default_rng(0)
n = 400_000
table = _core.encode_matrix(rng.normal(size=(n, 12)).astype("f4"))
target = _core.Target.classes(rng.integers(0, 2, n).astype("i4"), 2)
keep = sys.argv[2] == "keep"
options = _core.GrowOptions(candidates=[1] * 12, n_threads=int(sys.argv[1]), keep_interrupted=keep)
print("ready", flush=True)
try:
    grown = _core.grow(table, target, options)
    whole = grown.tree.rows[grown.tree.column < 0].sum() == n
    print(f"stopped by {grown.stopped_by}" if whole else "rows are lost", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(("keep", "answered"), [("drop", "interrupted"), ("keep", "stopped by interrupt")])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_ends_a_long_fit_long_before_its_end(n_threads, keep, answered, record_property):
    command = [sys.executable, "-c", INTERRUPTED, str(n_threads), keep]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        record_property("seconds_to_stop", round(time.monotonic() - sent, 3))
    assert answer == f"{answered}\n"


def test_ctrl_c_inside_a_part_written_in_python_is_the_callers_too():
    table, target = large(200)

    def interrupted(parent, branches, price):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.grow(table, target, _core.GrowOptions(candidates=[1] * 6, criterion=interrupted))


def test_ctrl_c_inside_a_part_written_in_python_leaves_the_tree_so_far_where_it_is_wanted():
    table, target = large(200)
    asked = []

    def scores(parent, branches, price, error=KeyboardInterrupt):
        asked.append(len(branches))
        if len(asked) == 20:
            raise error
        return ((branches.max(axis=2)).sum(axis=1) - parent.max()) / parent.sum()

    options = _core.GrowOptions(candidates=[1] * 6, criterion=scores, keep_interrupted=True)
    grown = _core.grow(table, target, options)
    assert grown.stopped_by == "interrupt"
    assert grown.tree.n_leaves > 1
    assert grown.tree.rows[grown.tree.column < 0].sum() == 200
    asked.clear()
    options.scoring.criterion = partial(scores, error=ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):  # any other error is the caller's
        _core.grow(table, target, options)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "ginny"}, "unknown impurity 'ginny'; choose one of: gini"),
        ({"criterion": "squared_error"}, "for numbers, but the target is classes"),
        ({"candidates": [1, 1]}, "one mask per column"),
        ({"candidates": [1] * 5 + [16]}, "between 0 and 15"),
        ({"prices": [1.0]}, "one entry per column"),
        ({"n_threads": 0}, "n_threads"),
        ({"error_costs": np.zeros((3, 3))}, "error_costs"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_with_a_reason(parameters, message):
    table, target = large(50)
    with pytest.raises(ValueError, match=message):
        _core.grow(table, target, _core.GrowOptions(**{"candidates": [1] * 6, **parameters}))


def test_a_target_of_another_length_is_refused():
    table, _ = large(50)
    target = _core.Target.classes(np.zeros(49, np.int32), 2)
    with pytest.raises(ValueError, match="one entry per row"):
        _core.grow(table, target, _core.GrowOptions(candidates=[1] * 6))


def test_categories_have_no_thresholds():
    table = _core.encode_columns([np.zeros(3, np.int32)], [1])
    target = _core.Target.classes(np.zeros(3, np.int32), 2)
    with pytest.raises(ValueError, match="no thresholds"):
        _core.grow(table, target, _core.GrowOptions(candidates=[1]))


def test_error_costs_choose_the_label_of_least_expected_cost():
    table = _core.encode_matrix(np.zeros((4, 1)))
    target = _core.Target.classes(np.array([0, 0, 0, 1], np.int32), 2)
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])  # [true, predicted]
    tree = _core.grow(table, target, _core.GrowOptions(candidates=[1], error_costs=costs)).tree
    assert tree.label[0] == 1


@pytest.mark.parametrize(
    "rules", [{"criterion": "misclassification"}, {"score": "enhanced", "objects": True}]
)
def test_a_table_that_is_not_ranked_in_time_gives_one_leaf(rules):
    """What looks at values one by one needs a code for each, which takes longer than to count ranges."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 3))
    table = _core.encode_matrix(x, spans=_core.SpanOptions(from_rows=0))
    target = _core.Target.classes((x[:, 0] > 0).astype(np.int32), 2)
    grown = _core.grow(table, target, _core.GrowOptions(candidates=[1] * 3, time_limit_s=0, **rules))
    assert grown.stopped_by == "time_limit"
    assert grown.tree.n_nodes == 1
    assert grown.tree.rows.tolist() == [20_000]
    assert _core.grow(table, target, _core.GrowOptions(candidates=[1] * 3, **rules)).tree.n_leaves > 1


def test_ranking_a_table_keeps_its_limits():
    table = _core.encode_matrix(
        np.random.default_rng(0).normal(size=(50_000, 4)), spans=_core.SpanOptions(from_rows=0)
    )
    with pytest.raises(TimeoutError):
        table.rank_values(time_limit_s=0)
    with pytest.raises(MemoryError, match="distinct values"):
        table.rank_values(memory_limit_mb=1)
    table.rank_values()
    assert len(table.column(0).values) == 50_000
