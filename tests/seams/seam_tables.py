"""Small encoded tables for the toys, and how a fit with one of them is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thriftree import _core


@dataclass
class Fit:
    """An encoded table and its target; numbers offer thresholds and categories subsets."""

    table: _core.Table
    target: _core.Target
    labels: Any
    weight: Any
    candidates: list[int]

    def tree(self, **parameters: Any) -> _core.Tree:
        options = _core.GrowOptions(**{"candidates": self.candidates, **parameters})
        return _core.grow(self.table, self.target, options).tree


def encode(columns: list[Any], labels: Any, n_classes: int, weight: Any = None) -> Fit:
    """Integer columns are categories (negative: missing), float columns numbers (NaN: missing)."""
    n_categories = [None if c.dtype.kind == "f" else int(c.max()) + 1 for c in columns]
    table = _core.encode_columns(columns, n_categories)
    target = _core.Target.classes(labels, n_classes, sample_weight=weight)
    kinds = [_core.THRESHOLD if n is None else _core.SUBSET for n in n_categories]
    return Fit(table, target, labels, np.ones(len(labels)) if weight is None else weight, kinds)


def random_fit(seed: int, n: int = 80, n_values: int = 6, n_classes: int = 3, weighted: bool = False) -> Fit:
    """Two numbers and two categories, with missing values; labels follow the first of each, with noise."""
    rng = np.random.default_rng(seed)
    numbers = [rng.integers(0, n_values, n) / 2 for _ in range(2)]
    categories = [rng.integers(0, 5, n).astype(np.int32) for _ in range(2)]
    labels = (numbers[0] > n_values / 4).astype(np.int32) + (categories[0] > 2)
    noisy = rng.random(n) < 0.2
    labels[noisy] = rng.integers(0, n_classes, noisy.sum())
    for column in numbers:
        column[rng.random(n) < 0.1] = np.nan
    for column in categories:
        column[rng.random(n) < 0.1] = -1
    weight = rng.integers(1, 5, n).astype(float) if weighted else None
    return encode([*numbers, *categories], labels.astype(np.int32), n_classes, weight)


def missing_code(table: _core.Table, column: int) -> int | None:
    description = table.column(column)
    return description.n_codes - 1 if description.has_missing else None


def children(tree: _core.Tree, node: int) -> list[int]:
    return tree.children[tree.child_begin[node] : tree.child_begin[node + 1]].tolist()


def test_of(tree: _core.Tree, node: int) -> tuple[Any, ...]:
    """What a node asks, for comparing nodes of different trees."""
    keys = tree.keys[tree.key_begin[node] : tree.key_begin[node + 1]]
    to = tree.to[tree.to_begin[node] : tree.to_begin[node + 1]]
    return (int(tree.column[node]), *keys.tolist(), *to.tolist(), int(tree.missing[node]))


test_of.__test__ = False  # a question of a tree, not of pytest
