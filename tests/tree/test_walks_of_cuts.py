"""Trees of single cuts are walked in lanes for a fixed number of steps: each row reaches its own leaf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries

from thriftree import _core

SOME = settings(max_examples=tries(150, 30), deadline=None)
CUTS = np.array([-3.4e38, -1.5, -0.1, 0.0, 0.1, 1 / 3, 16777217.0, 3.4e38])
NEAR = np.concatenate([CUTS, np.nextafter(CUTS, np.inf), np.nextafter(CUTS, -np.inf), [0.7, 5.0]])


@dataclass(frozen=True)
class CutTree:
    """A random tree, grown at one end of it rather than evenly, the more so the more it leans."""

    parent: np.ndarray
    children: np.ndarray  # (n, 2); -1 at leaves
    column: np.ndarray
    cut: np.ndarray
    swapped: np.ndarray  # branch 1 is the low one
    missing: np.ndarray
    rows: np.ndarray

    @staticmethod
    def random(rng: np.random.Generator, n_leaves: int, n_columns: int, leaning: float) -> CutTree:
        """Leaves are split one after the other, then numbered in preorder."""
        kids: list[tuple[int, int] | None] = [None]
        leaves = [0]
        while len(leaves) < n_leaves:
            at = len(leaves) - 1 if rng.random() < leaning else int(rng.integers(len(leaves)))
            node = leaves.pop(at)
            kids[node] = (len(kids), len(kids) + 1)
            leaves += [len(kids), len(kids) + 1]
            kids += [None, None]
        number, stack, order = {}, [0], []
        while stack:
            node = stack.pop()
            number[node] = len(order)
            order.append(node)
            if kids[node] is not None:
                stack += reversed(kids[node])
        n = len(order)
        children = np.full((n, 2), -1, np.int32)
        parent = np.full(n, -1, np.int32)
        for node in order:
            if kids[node] is not None:
                children[number[node]] = [number[kid] for kid in kids[node]]
                parent[children[number[node]]] = number[node]
        tested = children[:, 0] >= 0
        return CutTree(
            parent,
            children,
            np.where(tested, rng.integers(0, n_columns, n), -1).astype(np.int32),
            np.where(tested, rng.choice(CUTS, n), np.nan),
            rng.random(n) < 0.3,
            np.where(tested, rng.integers(0, 2, n), 0).astype(np.int32),
            rng.integers(0, 1000, n).astype(np.int64) * int(rng.random() < 0.8),
        )

    def core(self, n_columns: int) -> _core.Tree:
        tested = self.children[:, 0] >= 0
        n, begin = len(tested), np.concatenate([[0], np.cumsum(tested)]).astype(np.int32)
        to = np.where(self.swapped[tested][:, None], [1, 0], [0, 1])
        return _core.Tree.from_arrays(
            n_columns=n_columns,
            n_classes=0,
            parent=self.parent,
            kind=tested.astype(np.uint8),
            column=self.column,
            missing=self.missing,
            other=np.where(tested, self.swapped, 0).astype(np.int32),
            child_begin=2 * begin,
            children=self.children[tested].ravel(),
            key_begin=begin,
            keys=self.cut[tested],
            to_begin=2 * begin,
            to=to.ravel().astype(np.int32),
            rows=self.rows,
            objects=self.rows,
            weight=self.rows.astype(float),
            value=np.column_stack([np.arange(n), np.zeros(n)]).astype(float),
            impurity=np.zeros(n),
            score=np.full(n, np.nan),
            label=np.zeros(n, np.int32),
        )

    def leaves(self, X: np.ndarray) -> list[int]:
        """Row by row, node by node."""
        found = []
        for row in X.astype(np.float64):
            node = 0
            while self.children[node, 0] >= 0:
                x = row[self.column[node]]
                high = int(x > self.cut[node])
                branch = self.missing[node] if np.isnan(x) else high ^ int(self.swapped[node])
                node = int(self.children[node, branch])
            found.append(node)
        return found


def rows_of(rng: np.random.Generator, n_rows: int, n_columns: int, dtype: type) -> np.ndarray:
    """Values at the cuts and beside them; a part of the rows has missing and infinite ones."""
    X = rng.choice(NEAR, (n_rows, n_columns))
    odd = rng.random((n_rows, n_columns)) < 0.1 * (np.arange(n_rows) // 40 % 2)[:, None]
    X[odd] = rng.choice([np.nan, np.inf, -np.inf], int(odd.sum()))
    with np.errstate(over="ignore"):
        return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@SOME
@given(
    seed=st.integers(0, 2**32),
    n_leaves=st.integers(2, 60),
    n_columns=st.sampled_from([1, 3, 20, 140]),
    leaning=st.sampled_from([0.0, 0.5, 0.97]),
)
def test_every_row_reaches_its_leaf(
    dtype: type, seed: int, n_leaves: int, n_columns: int, leaning: float
) -> None:
    rng = np.random.default_rng(seed)
    tree = CutTree.random(rng, n_leaves, n_columns, leaning)
    core = tree.core(n_columns)
    X = rows_of(rng, 200, n_columns, dtype)
    leaves = tree.leaves(X)
    for rows in (X, np.asfortranarray(X), X[::-1].copy()[::-1], np.hstack([X, X])[:, :n_columns]):
        assert core.apply(rows).tolist() == leaves
        assert core.predict(rows).tolist() == leaves  # a leaf's mean is its number
    at_node = rng.integers(-(2**62), 2**62, core.n_nodes)
    assert core.values_at_leaves(X, at_node).tolist() == at_node[leaves].tolist()
    assert core.values_at_leaves(X[:5], at_node).tolist() == at_node[leaves[:5]].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_more_nodes_than_16_bits_can_name(dtype: type) -> None:
    rng = np.random.default_rng(5)
    tree = CutTree.random(rng, 40_000, 6, 0.1)
    X = rows_of(rng, 11_000, 6, dtype)
    few = rng.integers(0, len(X), 300)
    assert tree.core(6).apply(X)[few].tolist() == tree.leaves(X[few])


def test_values_are_asked_for_every_node() -> None:
    core = CutTree.random(np.random.default_rng(0), 4, 2, 0.0).core(2)
    with pytest.raises(ValueError, match="at_node has 3 values, the tree 7 nodes"):
        core.values_at_leaves(np.zeros((5, 2)), np.zeros(3, np.int64))
