"""Limits, interrupts, progress and threads: what a search promises while it runs."""

from __future__ import annotations

import os
import signal
import threading
import time
from random import Random
from typing import Any

import numpy as np
import pytest
from oracles.exhaustive_trees import ExhaustiveTrees
from search_problems import check_tree, random_tree_problem, search
from thoroughness import tries

from thriftree import _core


def hard_table(n_rows: int = 4000, n_tests: int = 60) -> dict[str, Any]:
    """Noise: nothing can be pruned."""
    rng = np.random.default_rng(1)
    return {
        "tests": rng.integers(0, 2, (n_tests, n_rows)).astype(np.uint8),
        "features": np.arange(n_tests, dtype=np.int32),
        "labels": rng.integers(0, 2, n_rows).astype(np.int32),
        "n_classes": 2,
    }


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_time_limit_ends_a_search_with_its_best_tree(n_threads: int) -> None:
    limits = _core.Limits(time_limit_s=0.3)
    found = _core.search_tree(**hard_table(), max_depth=6, limits=limits, n_threads=n_threads)
    assert found.status == "time_limit"
    assert found.leaves > 8
    assert 0 <= found.lower_bound < found.objective
    bounds = [moment[2] for moment in found.history]
    objectives = [moment[1] for moment in found.history]
    assert bounds == sorted(bounds)
    assert objectives == sorted(objectives, reverse=True)


def test_no_time_at_all_gives_a_leaf() -> None:
    found = _core.search_tree(**hard_table(), max_depth=6, limits=_core.Limits(time_limit_s=0.0))
    assert (found.status, found.leaves) == ("time_limit", 1)


def test_memory_is_booked_before_it_is_taken() -> None:
    table = hard_table(n_rows=600, n_tests=20)
    expected = _core.search_tree(**table, max_depth=4)
    # Room for the rows and hardly any cache: the same tree.
    tight = _core.search_tree(**table, max_depth=4, limits=_core.Limits(memory_limit_mb=1.0))
    assert (tight.status, tight.test.tolist()) == ("optimal", expected.test.tolist())
    assert tight.statistics["cache_bytes"] < 2**20
    # Room for the rows, not for nodes: a leaf, and no proof.
    small = _core.search_tree(**table, max_depth=4, limits=_core.Limits(memory_limit_mb=0.1))
    assert (small.status, small.leaves) == ("memory_limit", 1)
    assert small.lower_bound < small.objective
    with pytest.raises(MemoryError, match="memory_limit_mb"):
        _core.search_tree(**table, limits=_core.Limits(memory_limit_mb=0.001))


def test_the_cache_keeps_to_its_cap() -> None:
    table = hard_table(n_rows=300, n_tests=14)
    expected = _core.search_tree(**table, max_depth=5)
    for cache_mb in (0.0, 0.03, 0.1):
        found = _core.search_tree(**table, max_depth=5, cache_mb=cache_mb)
        assert found.test.tolist() == expected.test.tolist()
        assert found.statistics["cache_bytes"] <= max(cache_mb * 2**20, 64 * 4 * 32)
        assert found.statistics["cache_evictions"] > 0


@pytest.mark.parametrize("keep", [False, True])
def test_ctrl_c_ends_a_search(keep: bool) -> None:
    limits = _core.Limits(keep_interrupted=keep)
    began: list[float] = []

    def interrupt() -> None:
        time.sleep(0.3)
        began.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    if keep:
        found = _core.search_tree(**hard_table(), max_depth=7, limits=limits)
        assert found.status == "interrupted"
        assert found.leaves > 8
    else:
        with pytest.raises(KeyboardInterrupt):
            _core.search_tree(**hard_table(), max_depth=7, limits=limits)
    thread.join()
    assert began, "the search was not over before it was interrupted"


def test_progress_is_told_on_the_calling_thread_while_others_run() -> None:
    told: list[tuple[float, float, float]] = []
    callers = set()
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    def progress(seconds: float, incumbent: float, lower_bound: float) -> None:
        callers.add(threading.get_ident())
        told.append((seconds, incumbent, lower_bound))

    other = threading.Thread(target=tick)
    other.start()
    limits = _core.Limits(time_limit_s=1.0)
    found = _core.search_tree(**hard_table(), max_depth=6, limits=limits, progress=progress, n_threads=2)
    done.set()
    other.join()
    assert ticks > 5, "the interpreter's lock was held"
    assert callers == {threading.get_ident()}
    assert 1 <= len(told) <= 12
    assert all(bound <= value for _, value, bound in told)
    assert told[-1][1] >= found.objective


def test_an_error_of_the_progress_function_reaches_the_caller() -> None:
    def progress(*_: float) -> None:
        raise RuntimeError("from progress")

    with pytest.raises(RuntimeError, match="from progress"):
        _core.search_tree(**hard_table(), max_depth=7, progress=progress, n_threads=2)


def test_bounds_hold_wherever_a_search_is_stopped() -> None:
    rng = Random(31)
    stopped = 0
    for _ in range(tries(2000, 60)):
        problem = random_tree_problem(rng)
        best, _, _ = ExhaustiveTrees(problem).best()
        limits = _core.Limits(time_limit_s=rng.choice([0.0, 1e-5, 3e-5, 1e-4, 1e-3]))
        found = search(problem, limits=limits, n_threads=rng.choice([1, 2]))
        check_tree(problem, found)
        assert found.lower_bound <= float(best) * (1 + 1e-12) <= found.objective * (1 + 1e-9)
        assert all(bound <= float(best) * (1 + 1e-12) for _, _, bound in found.history)
        stopped += found.status == "time_limit"
    assert stopped > 0


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_bound_rises_before_the_end(n_threads: int) -> None:
    """Tests that differ in a few rows bound each other: what one root came to says much of others."""
    rng = np.random.default_rng(7)
    base = rng.integers(0, 2, (3, 300))
    tests = np.array([base[i % 3] ^ (rng.random(300) < 0.02) for i in range(18)]).astype(np.uint8)
    labels = rng.integers(0, 2, 300).astype(np.int32)
    features = np.arange(18, dtype=np.int32)
    found = _core.search_tree(tests, features, labels, 2, max_depth=5, n_threads=n_threads)
    bounds = [bound for _, _, bound in found.history]
    assert bounds == sorted(bounds)
    assert bounds[-1] == found.objective
    if n_threads == 1:  # else the order in which roots end decides
        assert any(bounds[0] + 1 < bound < found.objective - 1 for bound in bounds)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("leaf_penalty", [0.0, 1.0])
def test_the_bound_of_unlike_tests_rises_in_steps(n_threads: int, leaf_penalty: float) -> None:
    """Without passes whose targets rise, nothing is known of the roots that were not begun."""
    table = hard_table(n_rows=300, n_tests=12)
    options: dict[str, Any] = {"max_depth": 5, "leaf_penalty": leaf_penalty, "n_threads": n_threads}
    found = _core.search_tree(**table, **options, switches={"patience": False})
    plain = _core.search_tree(**table, **options, switches={"rising": False})
    assert found.test.tolist() == plain.test.tolist()
    bounds = [bound / found.objective for _, _, bound in found.history]
    assert bounds == sorted(bounds)
    assert any(0.25 <= bound < 0.5 for bound in bounds)
    assert any(0.75 <= bound < 0.95 for bound in bounds)
    if n_threads == 1:
        assert not any(0.25 <= bound / plain.objective < 0.95 for _, _, bound in plain.history)


@pytest.mark.parametrize("part", range(2))
def test_threads_caches_and_looking_ahead_change_no_tree(part: int) -> None:
    rng = Random(50 + part)
    for _ in range(tries(500, 30)):
        problem = random_tree_problem(rng)
        expected = search(problem)
        for options in ({"n_threads": 4}, {"cache_mb": 0.0}, {"n_threads": 2, "cache_mb": 0.0, "beam": 3}):
            found = search(problem, **options)
            assert found.test.tolist() == expected.test.tolist()
            assert found.label.tolist() == expected.label.tolist()


def test_looking_ahead_gives_a_valid_tree_that_more_beam_does_not_spoil() -> None:
    rng = Random(61)
    for _ in range(tries(500, 40)):
        problem = random_tree_problem(rng)
        best, _, _ = ExhaustiveTrees(problem).best()
        for lookahead in (0, 1, 2, 3):
            found = search(problem, lookahead=lookahead)
            check_tree(problem, found)
            assert found.status == "heuristic"
            assert found.objective >= float(best) * (1 - 1e-12)
            wider = search(problem, lookahead=lookahead, beam=100)
            by_work = search(problem, lookahead=lookahead, beam=None)
            check_tree(problem, wider)
            check_tree(problem, by_work)
            assert by_work.objective >= float(best) * (1 - 1e-12)
            assert by_work.test.tolist() == search(problem, lookahead=lookahead, beam=None).test.tolist()
            assert by_work.objective <= found.objective
            if problem.max_leaves is None:
                assert wider.objective <= found.objective
        if problem.max_depth is not None and problem.max_depth <= 3:
            assert search(problem, lookahead=3).objective == pytest.approx(float(best), rel=1e-12)


@pytest.mark.parametrize("max_depth", [4, 5, 6])
def test_looking_ahead_by_work_tries_every_root_of_a_small_table(max_depth: int) -> None:
    """One level above the kernel's trees all roots are tried, so nothing better is left; deeper the tree is
    no worse than that of a plain look-ahead, and better in some tables.
    """
    better = 0
    for seed in range(tries(60, 12)):
        rng = np.random.default_rng(seed)
        table = {
            "tests": rng.integers(0, 2, (9, 150)).astype(np.uint8),
            "features": np.arange(9, dtype=np.int32),
            "labels": rng.integers(0, 2 + seed % 2, 150).astype(np.int32),
            "n_classes": 2 + seed % 2,
            "max_depth": max_depth,
            "leaf_penalty": float(seed % 3),
        }
        plain, by_work = (_core.search_tree(**table, lookahead=3, beam=beam) for beam in (1, None))
        best = _core.search_tree(**table)
        assert best.objective <= by_work.objective <= plain.objective
        if max_depth == 4:
            assert by_work.objective == best.objective
        better += by_work.objective < plain.objective
    assert better > 0


def test_a_warm_start_is_taken_within_the_limits() -> None:
    rng = Random(71)
    for _ in range(tries(500, 40)):
        problem = random_tree_problem(rng)
        best = search(problem)
        tree = (best.test, best.left, best.right, best.label)
        # Nothing better can be found, and without time nothing worse is kept.
        cut = search(problem, warm_start=tree, limits=_core.Limits(time_limit_s=0.0))
        assert cut.objective == best.objective
        assert search(problem, warm_start=tree).test.tolist() == best.test.tolist()
        problem.max_depth = 1
        check_tree(problem, search(problem, warm_start=tree))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (([9, -1, -1], [1, -1, -1], [2, -1, -1], [0, 0, 0]), "no test 9"),
        (([0, -1, -1], [0, -1, -1], [2, -1, -1], [0, 0, 0]), "after their parent"),
        (([0, -1, -1], [1, -1], [2, -1, -1], [0, 0, 0]), "one length"),
    ],
)
def test_a_warm_start_that_is_no_tree_is_refused(tree: Any, message: str) -> None:
    arrays = tuple(np.array(column, dtype=np.int32) for column in tree)
    with pytest.raises(ValueError, match=message):
        _core.search_tree(**hard_table(20, 3), warm_start=arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tests": np.full((60, 4000), 2, dtype=np.uint8)}, "0 or 1"),
        ({"labels": np.full(4000, 2, dtype=np.int32)}, "below n_classes"),
        ({"labels": np.zeros(7, dtype=np.int32)}, "one entry per row"),
        ({"weights": np.full(4000, -1)}, "not be negative"),
        ({"weights": np.ones(3, dtype=np.int64)}, "one entry per row"),
        ({"error_costs": np.zeros((3, 3), dtype=np.int64)}, "row and a column per class"),
        ({"error_costs": np.full((2, 2), -1)}, "not be negative"),
        ({"leaf_penalty": -1.0}, "leaf_penalty"),
        ({"leaf_penalty": float("nan")}, "leaf_penalty"),
        ({"max_depth": -1}, "max_depth"),
        ({"max_leaves": 0}, "max_leaves"),
        ({"min_leaf": 0}, "min_leaf"),
        ({"min_leaf_weight": -1}, "min_leaf_weight"),
        ({"lookahead": -1}, "lookahead"),
        ({"beam": 0}, "beam"),
        ({"switches": {"magic": True}}, "no technique 'magic'"),
    ],
)
def test_what_breaks_a_rule_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.search_tree(**{**hard_table(), **change})
