"""The best tree over all thresholds, against every tree there is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.all_threshold_trees import Best, RankedTable, best_tree
from oracles.random_ranks import random_table
from thoroughness import tries

from thriftree import _core


def swept(table: RankedTable, **parameters: Any) -> _core.SweepResult:
    plain_costs = all(
        cost == (p != y) for y, row in enumerate(table.error_costs) for p, cost in enumerate(row)
    )
    return _core.sweep_tree(
        np.array(table.ranks, np.int32),
        np.array(table.labels, np.int32),
        table.n_classes,
        weights=None if set(table.weights) == {1} else np.array(table.weights, np.int64),
        error_costs=None if plain_costs else np.array(table.error_costs, np.int64),
        leaf_penalty=table.leaf_penalty,
        max_depth=table.max_depth,
        max_leaves=table.max_leaves,
        min_leaf=table.min_leaf,
        min_leaf_weight=table.min_leaf_weight,
        **parameters,
    )


def nodes_of(result: _core.SweepResult) -> tuple[tuple[int, ...], ...]:
    nodes = zip(result.column.tolist(), result.cut.tolist(), result.label.tolist(), strict=True)
    return tuple((-1, label) if column < 0 else (column, cut) for column, cut, label in nodes)


def check(result: _core.SweepResult, best: Best) -> None:
    assert result.status == "optimal"
    assert (result.cost, result.leaves) == (best.cost, best.leaves)
    assert nodes_of(result) == best.nodes
    assert result.objective == pytest.approx(float(best.objective), rel=1e-14)
    assert result.lower_bound == result.objective


@pytest.mark.parametrize(("depth", "most_rows", "seed"), [(1, 25, 0), (2, 40, 1), (3, 16, 2)])
def test_the_first_of_the_best_trees_is_found(depth: int, most_rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(tries(6000, 250)):
        table = random_table(rng, depth, most_rows)
        best = best_tree(table)
        bound = float(best.objective)
        for upper_bound in (None, bound, 1.2 * bound + 1, 0.9 * bound - 1):
            # Few lanes leave intervals between thresholds, as tables of many rows do.
            lanes, n_threads = int(rng.choice([1, 2, 3, 32])), int(rng.integers(1, 4))
            check(swept(table, upper_bound=upper_bound, lanes=lanes, n_threads=n_threads), best)


EDGES = {
    "one row": ([[0]], [0], 2),
    "one class": ([[0, 1, 2]], [1, 1, 1], 2),
    "one class of one": ([[0, 1, 2]], [0, 0, 0], 1),
    "all rows equal": ([[0, 0, 0], [0, 0, 0]], [0, 1, 1], 2),
    "no column that varies": ([[0, 0]], [0, 1], 2),
    "equal columns": ([[0, 1, 2, 3]] * 3, [0, 1, 0, 1], 2),
    "reversed columns": ([[0, 1, 2, 3], [3, 2, 1, 0]], [0, 1, 1, 0], 2),
    "one row per class": ([list(range(6)), [0, 1] * 3], list(range(6)), 6),
    "exclusive or": ([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0], 2),
}


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("name", EDGES)
def test_edge_cases(name: str, depth: int) -> None:
    ranks, labels, n_classes = EDGES[name]
    costs = tuple(tuple(int(p != y) for p in range(n_classes)) for y in range(n_classes))
    table = RankedTable(
        tuple(map(tuple, ranks)), tuple(labels), n_classes, (1,) * len(labels), costs, max_depth=depth
    )
    check(swept(table), best_tree(table))
    zero = replace(table, weights=(0,) * len(labels))
    check(swept(zero), best_tree(zero))


def test_ranks_need_not_be_dense() -> None:
    ranks = np.array([[5, 2_000_000_000, 40, 5], [7, 0, 7, 0]], np.int32)
    result = _core.sweep_tree(ranks, np.array([0, 1, 1, 0], np.int32), 2)
    assert (result.cost, result.column.tolist(), result.cut.tolist()[0]) == (0, [0, -1, -1], 5)


def least_errors(codes: np.ndarray, labels: np.ndarray, n_values: int) -> int:
    """Errors of the best tree of depth 2 over two columns, from counts per cell."""
    counts = np.zeros((2, n_values, n_values), int)
    np.add.at(counts, (labels, codes[0], codes[1]), 1)

    def stump(cells: np.ndarray) -> int:
        best = int(cells.sum(axis=(1, 2)).min())
        for axis in (1, 2):
            below = np.cumsum(cells.sum(axis=3 - axis), axis=1)
            above = below[:, -1:] - below
            best = min(best, int((below.min(axis=0) + above.min(axis=0)).min()))
        return best

    halves = [(counts[:, : t + 1], counts[:, t + 1 :]) for t in range(n_values - 1)]
    halves += [(counts[:, :, : t + 1], counts[:, :, t + 1 :]) for t in range(n_values - 1)]
    return min(stump(a) + stump(b) for a, b in halves)


@pytest.mark.parametrize("n_rows", [32_766, 32_768, 65_537, 140_000])
def test_sums_beyond_16_bits_are_right(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    codes = np.sort(rng.integers(0, 40, (2, n_rows)), axis=1).astype(np.int32)
    codes[1] = rng.permutation(codes[1])
    labels = ((codes[0] < 20) ^ ((codes[1] < 3) & (codes[0] > 30)) ^ (rng.random(n_rows) < 0.02)).astype(
        np.int32
    )
    result = _core.sweep_tree(codes, labels, 2)
    assert result.cost == least_errors(codes, labels, 40)
    doubled = _core.sweep_tree(codes, labels, 2, weights=np.full(n_rows, 2**33), n_threads=2)
    assert (doubled.cost, nodes_of(doubled)) == (result.cost * 2**33, nodes_of(result))


def test_weights_stand_for_repeated_rows() -> None:
    rng = np.random.default_rng(3)
    for _ in range(tries(200, 20)):
        n = int(rng.integers(20, 200))
        ranks = rng.integers(0, 30, (3, n)).astype(np.int32)
        labels = rng.integers(0, 3, n).astype(np.int32)
        weights = rng.integers(0, 4, n)
        depth = int(rng.integers(1, 4))
        rows = np.repeat(np.arange(n), weights)
        if len(rows) == 0:
            continue
        weighted = _core.sweep_tree(ranks, labels, 3, weights=weights, max_depth=depth)
        repeated = _core.sweep_tree(np.ascontiguousarray(ranks[:, rows]), labels[rows], 3, max_depth=depth)
        assert (weighted.cost, weighted.leaves) == (repeated.cost, repeated.leaves)


REFUSED = {
    "max_depth": ({"max_depth": 4}, "max_depth must be 1, 2 or 3"),
    "max_leaves": ({"max_leaves": 0}, "max_leaves"),
    "min_leaf": ({"min_leaf": 0}, "min_leaf"),
    "min_leaf_weight": ({"min_leaf_weight": -1}, "min_leaf_weight"),
    "leaf_penalty": ({"leaf_penalty": float("nan")}, "leaf_penalty"),
    "weights": ({"weights": np.array([1, -1, 1])}, "weights must be 0 or more"),
    "too heavy": ({"weights": np.full(3, 2**58)}, "coarser units"),
    "number of weights": ({"weights": np.array([1, 1])}, "one entry per row"),
    "error_costs": ({"error_costs": np.array([[0, 1, 1], [1, 0, 1]])}, "a row and a column per class"),
    "negative costs": ({"error_costs": np.array([[0, 1], [-1, 0]])}, "error_costs must be whole numbers"),
    "n_classes": ({"n_classes": 1}, "not below n_classes"),
    "lanes": ({"lanes": 33}, "lanes"),
    "n_threads": ({"n_threads": 0}, "n_threads"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    parameters, message = REFUSED[name]
    given = {
        "ranks": np.array([[0, 1, 2]], np.int32),
        "labels": np.array([0, 1, 0], np.int32),
        "n_classes": 2,
    }
    with pytest.raises(ValueError, match=message):
        _core.sweep_tree(**(given | parameters))
