"""Trees to prune: random ones, those of scikit-learn, chains; and all prunings of a tree by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core

Floats = NDArray[np.float64]


def make_tree(
    children: list[list[int]],
    *,
    column: NDArray[Any] | None = None,
    keys: list[list[float]] | None = None,
    value: Floats | None = None,
    n_classes: int = 2,
    weight: Floats | None = None,
    rows: NDArray[Any] | None = None,
    label: NDArray[Any] | None = None,
    impurity: Floats | None = None,
) -> _core.Tree:
    """A tree of ordered tests in preorder. A node's weight is by default its number, to be known by later."""
    n = len(children)
    width = n_classes or 2
    parent = np.full(n, -1, np.int32)
    for node, below in enumerate(children):
        parent[below] = node
    inner = np.array([bool(below) for below in children])
    keys = keys if keys is not None else [[float(k) for k in range(len(below) - 1)] for below in children]
    begin = np.concatenate([[0], np.cumsum([len(below) for below in children])]).astype(np.int32)
    key_begin = np.concatenate([[0], np.cumsum([len(k) for k in keys])]).astype(np.int32)
    rows = np.arange(1, n + 1) if rows is None else rows
    return _core.Tree.from_arrays(
        n_columns=int(column.max()) + 1 if column is not None and n > 1 else 1,
        n_classes=n_classes,
        parent=parent,
        kind=inner.astype(np.uint8),
        column=np.where(inner, 0 if column is None else column, -1).astype(np.int32),
        missing=np.zeros(n, np.int32),
        other=np.zeros(n, np.int32),
        child_begin=begin,
        children=np.array([c for below in children for c in below], np.int32),
        key_begin=key_begin,
        keys=np.array([k for some in keys for k in some], np.float64),
        to_begin=begin,
        to=np.array([b for below in children for b in range(len(below))], np.int32),
        rows=rows.astype(np.int64),
        objects=rows.astype(np.int64),
        weight=np.arange(n, dtype=np.float64) if weight is None else weight,
        value=np.zeros((n, width)) if value is None else value,
        impurity=np.zeros(n) if impurity is None else impurity,
        score=np.where(inner, 1.0, np.nan),
        label=np.zeros(n, np.int32) if label is None else label.astype(np.int32),
    )


def random_children(rng: np.random.Generator, n_tests: int, max_branches: int = 3) -> list[list[int]]:
    """The shape of a random tree with n_tests tests of 2 to max_branches branches, in preorder."""
    shape: list[list[int]] = [[]]
    leaves = [0]
    for _ in range(n_tests):
        node = leaves.pop(int(rng.integers(len(leaves))))
        new = list(range(len(shape), len(shape) + int(rng.integers(2, max_branches + 1))))
        shape[node] = new
        shape += [[] for _ in new]
        leaves += new
    order: list[int] = []
    open_nodes = [0]
    while open_nodes:
        node = open_nodes.pop()
        order.append(node)
        open_nodes += reversed(shape[node])
    number = {old: new for new, old in enumerate(order)}
    return [[number[c] for c in shape[old]] for old in order]


def children_of(tree: _core.Tree) -> list[list[int]]:
    begin, flat = np.asarray(tree.child_begin), np.asarray(tree.children)
    return [flat[a:b].tolist() for a, b in pairwise(begin)]


def prunings(children: list[list[int]], node: int = 0) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """Every pruning of the subtree under a node, as (leaves, tests)."""
    yield frozenset([node]), frozenset()
    if children[node]:
        for parts in product(*(list(prunings(children, c)) for c in children[node])):
            leaves = frozenset().union(*(p[0] for p in parts))
            yield leaves, frozenset([node]).union(*(p[1] for p in parts))


def leaves_by_number(tree: _core.Tree) -> frozenset[int]:
    """The leaves of a pruned tree, by their numbers before pruning (see make_tree's weight)."""
    return frozenset(int(w) for w, below in zip(tree.weight, children_of(tree), strict=True) if not below)


def from_sklearn(model: Any) -> tuple[_core.Tree, Floats]:
    """The tree of a fitted scikit-learn tree, and its node costs: share of the weight times impurity."""
    t = model.tree_
    pairs = zip(t.children_left, t.children_right, strict=True)
    children = [[] if left < 0 else [int(left), int(right)] for left, right in pairs]
    classes = hasattr(model, "classes_")
    weight = t.weighted_n_node_samples
    value = t.value[:, 0, :] * weight[:, None] if classes else np.c_[t.value[:, 0, 0], t.impurity.clip(0)]
    tree = make_tree(
        children,
        column=t.feature,
        keys=[[float(x)] if below else [] for x, below in zip(t.threshold, children, strict=True)],
        value=np.ascontiguousarray(value),
        n_classes=value.shape[1] if classes else 0,
        weight=weight,
        rows=t.n_node_samples,
        label=value.argmax(axis=1) if classes else None,
        impurity=t.impurity,
    )
    return tree, weight * t.impurity / weight[0]


def checked(tree: _core.Tree) -> _core.Tree:
    """The same tree, after the constructor's checks of every rule a tree must keep."""
    sizes = {"n_columns": tree.n_columns, "n_classes": tree.n_classes}
    arrays = (
        "parent kind column missing other child_begin children key_begin keys to_begin to "
        "rows objects weight value impurity score label"
    )
    return _core.Tree.from_arrays(**sizes, **{name: getattr(tree, name) for name in arrays.split()})


def chain(n_tests: int) -> list[list[int]]:
    """Every test has a leaf as its first branch and the next test as its second."""
    return [[] if i % 2 or i == 2 * n_tests else [i + 1, i + 2] for i in range(2 * n_tests + 1)]


def apply(tree: _core.Tree, X: Floats) -> NDArray[np.int32]:
    """The leaf of each row, test by test: tests of one cut only, nothing missing."""
    node = np.zeros(len(X), np.int32)
    child_begin, children = np.asarray(tree.child_begin), np.asarray(tree.children)
    column, cut = np.asarray(tree.column), np.asarray(tree.keys)
    key_begin = np.asarray(tree.key_begin)
    for _ in range(len(column)):
        moving = np.flatnonzero(column[node] >= 0)
        if not len(moving):
            break
        at = node[moving]
        right = X[moving, column[at]] > cut[key_begin[at]]
        node[moving] = children[child_begin[at] + right]
    return node
