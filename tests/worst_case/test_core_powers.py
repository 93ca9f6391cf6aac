"""Powers of many objects to a high power: no overflow, and the same best test as in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from thriftree import _core

N_ROWS = 100_000


@cache
def problem(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct objects of three ordered columns; classes follow the columns, with noise."""
    random = np.random.default_rng(n_classes)
    number = random.permutation(N_ROWS)
    noise = random.normal(scale=0.2, size=N_ROWS)
    codes = np.column_stack([number // 500, number % 500, random.integers(0, 40, N_ROWS)])
    signal = codes[:, 0] / 200 + (codes[:, 1] / 500) ** 2 + noise
    cuts = np.quantile(signal, np.linspace(0.3, 0.9, n_classes - 1))
    return codes, np.searchsorted(cuts, signal).astype(np.int32)


def grow(kind: int, n_classes: int, power: int) -> _core.Tree:
    codes, labels = problem(n_classes)
    if kind == _core.THRESHOLD:
        table = _core.encode_matrix(codes.astype(float))
    else:
        columns = [np.ascontiguousarray(column, dtype=np.int32) for column in codes.T]
        table = _core.encode_columns(columns, [int(column.max()) + 1 for column in columns])
    options = _core.GrowOptions(
        score="worst_case", set_function=_core.Powers(power), objects=True, candidates=[kind] * 3, max_depth=2
    )
    return _core.grow(table, _core.Target.classes(labels, n_classes), options).tree


def by_code(column: np.ndarray, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """[code, class]: objects; codes that do not occur are left out."""
    counts = np.zeros((int(column.max()) + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (column, labels), 1)
    return counts[counts.sum(axis=1) > 0]


def candidates_of(kind: int, column: np.ndarray, labels: np.ndarray, n_classes: int) -> Iterator[np.ndarray]:
    """[branch, class] of every candidate."""
    counts = by_code(column, labels, n_classes)
    if kind == _core.MULTIWAY:
        yield counts
        return
    whole, left = counts.sum(axis=0), np.zeros(n_classes, dtype=np.int64)
    for run in counts[:-1]:
        left = left + run
        yield np.stack([left, whole - left])


def largest(branches: np.ndarray, power: int) -> int:
    """The largest F of a branch, as a whole number."""
    return max(sum(row) ** power - sum(n**power for n in row) for row in branches.tolist())


def rows_below(tree: _core.Tree, node: int, codes: np.ndarray) -> np.ndarray:
    """The rows that reach each child, as positions of children."""
    keys = tree.keys[tree.key_begin[node] : tree.key_begin[node + 1]]
    to = tree.to[tree.to_begin[node] : tree.to_begin[node + 1]]
    column = codes[:, tree.column[node]]
    if tree.kind[node] == 1:
        return np.asarray(to[np.searchsorted(keys, column, side="left")])
    return np.asarray(to[np.searchsorted(keys, column)])


@pytest.mark.parametrize("power", [2, 3, 8, 50, 200, 1000])
@pytest.mark.parametrize(
    ("kind", "n_classes"), [(_core.THRESHOLD, 2), (_core.THRESHOLD, 4), (_core.MULTIWAY, 3)]
)
def test_the_best_test_is_the_one_of_whole_numbers(kind: int, n_classes: int, power: int) -> None:
    codes, labels = problem(n_classes)
    tree = grow(kind, n_classes, power)
    assert tree.depths.max() == 2
    rows: dict[int, Any] = {0: np.arange(N_ROWS)}
    checked = 0
    for node in range(tree.n_nodes):
        if tree.column[node] < 0 or checked == 3:  # the root and two nodes below
            continue
        here = rows[node]
        branch = rows_below(tree, node, codes[here])
        children = tree.children[tree.child_begin[node] : tree.child_begin[node + 1]]
        rows |= {child: here[branch == v] for v, child in enumerate(children.tolist())}
        found = largest(by_code(branch, labels[here], n_classes), power)
        best = min(
            largest(test, power)
            for column in codes[here].T
            for test in candidates_of(kind, column, labels[here], n_classes)
            if len(test) > 1
        )
        assert found * 10**8 <= best * (10**8 + 1)  # scores are told apart by 12 digits of a logarithm
        checked += 1
    assert checked == 3
    scores = tree.score[tree.column >= 0]
    assert np.isfinite(scores).all()
    assert (scores > 0).all()


def test_f_too_large_for_a_float_is_infinite_and_still_compared() -> None:
    assert _core.set_values(_core.Powers(1000), np.array([[1e5, 1e5], [5.0, 0.0], [0.0, 0.0]])).tolist() == [
        np.inf,
        0,
        0,
    ]
