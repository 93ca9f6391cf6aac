"""A search that is cut off, watched or interrupted: its bounds hold, and its tree answers."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
from oracles.all_threshold_trees import best_tree
from oracles.random_ranks import random_table
from thoroughness import tries

from thriftree import _core


def hard_table(seed: int, n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels that are mostly chance: no bound says much."""
    rng = np.random.default_rng(seed)
    ranks = np.stack([rng.permutation(n_rows) for _ in range(n_columns)]).astype(np.int32)
    labels = ((ranks[0] * 3 // n_rows + ranks[1] * 2 // n_rows + (rng.random(n_rows) < 0.45)) % 2).astype(
        np.int32
    )
    return ranks, labels


def errors(result: _core.SweepResult, ranks: np.ndarray, labels: np.ndarray) -> int:
    """Row by row through the arrays."""
    node = np.zeros(len(labels), int)
    for _ in range(4):
        test = result.column[node]
        goes_left = ranks[np.maximum(test, 0), np.arange(len(labels))] <= result.cut[node]
        below = np.where(goes_left, result.left[node], result.right[node])
        node = np.where(test < 0, node, below)
    return int((result.label[node] != labels).sum())


@pytest.mark.parametrize("limits", [{"min_leaf": 151}, {"min_leaf_weight": 151}])
@pytest.mark.parametrize("upper_bound", [None, 1.0, 1e9])
def test_where_no_split_is_admitted_nothing_is_searched(
    limits: dict[str, int], upper_bound: float | None
) -> None:
    ranks, labels = hard_table(1, 300, 4)
    no_room = _core.Limits(memory_limit_mb=0)
    found = _core.sweep_tree(ranks, labels, 2, max_depth=3, upper_bound=upper_bound, limits=no_room, **limits)
    assert (found.status, found.column.tolist()) == ("optimal", [-1])
    assert found.lower_bound == found.objective == min(labels.sum(), 300 - labels.sum())


@pytest.mark.parametrize("depth", [2, 3])
def test_bounds_hold_whenever_a_search_is_cut_off(depth: int) -> None:
    rng = np.random.default_rng(depth)
    for seed in range(tries(60, 4)):
        ranks, labels = hard_table(seed, 300 if depth == 3 else 3000, 4)
        optimum = _core.sweep_tree(ranks, labels, 2, max_depth=depth)
        seconds = optimum.history[-1][0]
        for share in (0.0, *rng.random(4)):
            limits = _core.Limits(time_limit_s=float(share * seconds))
            cut = _core.sweep_tree(
                ranks, labels, 2, max_depth=depth, limits=limits, n_threads=int(rng.integers(1, 3))
            )
            assert cut.status in {"optimal", "time_limit"}
            assert cut.lower_bound <= optimum.objective <= cut.objective == cut.cost
            assert errors(cut, ranks, labels) == cut.cost
            if share == 0:
                assert (cut.status, cut.leaves) == ("time_limit", 1)


def test_the_history_closes_in_on_the_optimum() -> None:
    rng = np.random.default_rng(11)
    for _ in range(tries(2000, 100)):
        table = random_table(rng, int(rng.integers(2, 4)), 14)
        best = float(best_tree(table).objective)
        result = _core.sweep_tree(
            np.array(table.ranks, np.int32),
            np.array(table.labels, np.int32),
            table.n_classes,
            weights=np.array(table.weights, np.int64),
            error_costs=np.array(table.error_costs, np.int64),
            leaf_penalty=table.leaf_penalty,
            max_depth=table.max_depth,
            max_leaves=table.max_leaves,
            min_leaf=table.min_leaf,
            min_leaf_weight=table.min_leaf_weight,
            upper_bound=best * float(rng.choice([0.5, 1, 2])),
            lanes=int(rng.choice([1, 4, 32])),
        )
        moments = np.array(result.history)
        room = 1e-9 * (abs(best) + 1)
        assert (np.diff(moments[:, 0]) >= 0).all()
        assert (np.diff(moments[:, 2]) >= 0).all()
        assert (moments[:, 2] <= best + room).all()
        assert (moments[:, 1] >= best - room).all()
        assert moments[-1, 1] == moments[-1, 2] == result.objective


def test_too_little_memory_gives_a_leaf_and_says_so() -> None:
    ranks, labels = hard_table(0, 2000, 5)
    result = _core.sweep_tree(ranks, labels, 2, limits=_core.Limits(memory_limit_mb=0.01))
    assert (result.status, result.leaves) == ("memory_limit", 1)
    assert result.lower_bound <= _core.sweep_tree(ranks, labels, 2).objective


def test_progress_hears_of_falling_objectives_and_rising_bounds() -> None:
    ranks, labels = hard_table(1, 1500, 8)
    told: list[tuple[float, float, float]] = []
    limits = _core.Limits(time_limit_s=0.6)
    _core.sweep_tree(
        ranks, labels, 2, max_depth=3, limits=limits, progress=lambda *moment: told.append(moment)
    )
    assert told
    moments = np.array(told)
    assert (moments[:, 2] <= moments[:, 1]).all()
    assert (np.diff(moments[:, 1]) <= 0).all()
    assert (np.diff(moments[:, 2]) >= 0).all()


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_of_progress_reaches_the_caller(n_threads: int) -> None:
    def progress(*moment: Any) -> None:
        raise RuntimeError("enough")

    ranks, labels = hard_table(2, 1500, 8)
    with pytest.raises(RuntimeError, match="enough"):
        _core.sweep_tree(ranks, labels, 2, max_depth=3, progress=progress, n_threads=n_threads)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_ctrl_c_is_raised_or_gives_the_best_tree_so_far(n_threads: int) -> None:
    def interrupt(*moment: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    ranks, labels = hard_table(3, 1500, 8)
    with pytest.raises(KeyboardInterrupt):
        _core.sweep_tree(ranks, labels, 2, max_depth=3, progress=interrupt, n_threads=n_threads)
    kept = _core.sweep_tree(
        ranks,
        labels,
        2,
        max_depth=3,
        progress=interrupt,
        n_threads=n_threads,
        limits=_core.Limits(keep_interrupted=True),
    )
    assert kept.status == "interrupted"
    assert kept.leaves > 4
    assert kept.lower_bound < kept.objective == errors(kept, ranks, labels)
