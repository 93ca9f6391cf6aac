"""Algorithm 1 of paper 002 as it is printed, slowly: nothing is remembered from one step to the next.

Every step searches the best split of every candidate anew, predicts every row by walking the tree, writes the
text of the tree from its root, and compresses both. No code is shared with the estimator, nor with the core.
A table is a float64 matrix with NaN for missing values; the numbers of a category column are its codes.
"""

from __future__ import annotations

import bz2
import lzma
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

ALL_SUBSETS_UP_TO = 8
MARGIN = 1e-12  # a split is better if its gain is more than this share larger
NO_GAIN = 1e-12  # bits, times rows: a gain below this is rounding


@dataclass(frozen=True)
class Table:
    """What is learnt from."""

    X: Floats
    y: NDArray[Any]  # class numbers
    n_classes: int
    categorical: tuple[int, ...] = ()


@dataclass(frozen=True)
class Split:
    """A test with two branches: a threshold, or the set of codes that go left."""

    column: int
    gain: float
    missing_left: bool
    threshold: float | None = None
    codes: tuple[int, ...] = ()

    def goes_left(self, values: Floats) -> NDArray[np.bool_]:
        """Which of these values of the column take the first branch."""
        left = np.isin(values, self.codes) if self.threshold is None else values <= self.threshold
        return np.where(np.isnan(values), self.missing_left, left).astype(np.bool_)

    def text(self, has_missing: bool) -> str:
        """The condition of the first branch."""
        name, nan = f"X{self.column + 1}", has_missing and self.missing_left
        if self.threshold is None:
            return f"{name} in {{{', '.join([str(code) for code in self.codes] + ['nan'] * nan)}}}"
        return f"not {name} > {self.threshold:.3f}" if nan else f"{name} <= {self.threshold:.3f}"


@dataclass(eq=False)
class TreeNode:
    """The paper's TreeNode."""

    rows: Rows
    label: int
    split: Split | None = None
    left: TreeNode | None = None
    right: TreeNode | None = None


@dataclass(frozen=True)
class Coding:
    """How a tree's cost is measured."""

    compressor: str = "bz2"
    combine: str = "harmonic"
    short_models: str = "reject"


@dataclass(frozen=True)
class LearntPlainly:
    """The tree, its text, and (cost, inaccuracy, surfeit, nodes) of every tree on the way."""

    root: TreeNode
    text: str
    history: list[tuple[float, float, float, int]]


def build_tree(table: Table, coding: Coding) -> LearntPlainly:
    """Algorithm 1, line by line. Candidates are tried in the order in which they became leaves."""
    root = _node(table, np.arange(len(table.y)))
    best_cost = cost_of(table, root, coding)
    history = [(*best_cost, 1)]
    candidates = [root]
    while candidates:
        best = None
        for leaf in list(candidates):
            split = best_split(table, leaf.rows)
            if split is None:
                candidates.remove(leaf)
                continue
            goes_left = split.goes_left(table.X[leaf.rows, split.column])
            left, right = _node(table, leaf.rows[goes_left]), _node(table, leaf.rows[~goes_left])
            leaf.split, leaf.left, leaf.right = split, left, right
            cost = cost_of(table, root, coding)
            leaf.split = leaf.left = leaf.right = None
            if cost[0] < best_cost[0]:
                best_cost = cost
                best = leaf, split, left, right
        if best is None:
            break
        leaf, split, left, right = best
        leaf.split, leaf.left, leaf.right = split, left, right
        candidates.remove(leaf)
        candidates += [left, right]
        history.append((*best_cost, n_nodes(root)))
    return LearntPlainly(root, text_of(table, root), history)


def cost_of(table: Table, root: TreeNode, coding: Coding) -> tuple[float, float, float]:
    """(cost, inaccuracy, surfeit) of a tree, from its definition."""
    predicted = np.array([predict(root, row) for row in table.X])
    errors = [row for row, right in zip(table.X, predicted == table.y, strict=True) if not right]
    text = text_of(table, root).encode()
    inaccuracy = _length(_bytes(errors), coding) / _length(_bytes(list(table.X)), coding)
    surfeit = 1 - _length(text, coding) / len(text)
    if coding.short_models == "clip" and surfeit < inaccuracy:
        surfeit = inaccuracy
    if coding.short_models == "reject" and surfeit < inaccuracy:
        surfeit = 1.0
    return _combined(inaccuracy, surfeit, coding.combine), inaccuracy, surfeit


def predict(root: TreeNode, row: Floats) -> int:
    """The class of the leaf that a row reaches."""
    node = root
    while node.split is not None:
        child = node.left if node.split.goes_left(row[[node.split.column]])[0] else node.right
        assert child is not None
        node = child
    return node.label


def text_of(table: Table, root: TreeNode) -> str:
    """The template of section IV."""
    used = sorted({node.split.column for node in _nodes(root) if node.split is not None})
    return "def tree{" + ", ".join(f"X{j + 1}" for j in used) + "}:\n" + _body(table, root, "    ")


def n_nodes(root: TreeNode) -> int:
    """Tests and leaves."""
    return sum(1 for _ in _nodes(root))


def best_split(table: Table, rows: Rows) -> Split | None:
    """The split of least weighted entropy; None at a pure node, and where no column varies."""
    y = table.y[rows]
    if (y == y[0]).all():
        return None
    best: Split | None = None
    for column in range(table.X.shape[1]):
        found = _best_of_column(table, rows, column)
        if found is not None and (best is None or _better(found.gain, best.gain)):
            best = found
    return best


def _best_of_column(table: Table, rows: Rows, column: int) -> Split | None:
    values, y = table.X[rows, column], table.y[rows]
    known = np.unique(values[~np.isnan(values)])
    counts = np.array([np.bincount(y[values == value], minlength=table.n_classes) for value in known])
    counts = counts.reshape(len(known), table.n_classes)
    lost = np.bincount(y[np.isnan(values)], minlength=table.n_classes)
    if len(known) + bool(lost.any()) < 2:
        return None
    ordered = column not in table.categorical
    best: tuple[float, NDArray[np.bool_], bool] | None = None
    for left, missing_left in _candidates(counts, lost, ordered):
        first = counts[left].sum(axis=0) + (lost if missing_left else 0)
        gain = _gain(first, counts.sum(axis=0) + lost - first)
        if best is None or _better(gain, best[0]):
            best = gain, left, missing_left
    assert best is not None
    gain, left, missing_left = best
    if not lost.any():  # a value that the node has not seen follows the heavier branch
        missing_left = bool(counts[left].sum() >= counts[~left].sum())
    if not ordered:
        codes = tuple(int(code) for code in known[left])
        return Split(column, gain, missing_left, codes=codes)
    last = int(left.sum()) - 1
    if last == len(known) - 1:
        return Split(column, gain, missing_left, threshold=math.inf)
    return Split(column, gain, missing_left, threshold=_midpoint(float(known[last]), float(known[last + 1])))


def _candidates(
    counts: NDArray[Any], lost: NDArray[Any], ordered: bool
) -> Iterator[tuple[NDArray[np.bool_], bool]]:
    """(which known values go left, whether missing ones do), in the order in which ties are decided."""
    n_known, missing = len(counts), bool(lost.any())
    if not ordered and n_known + missing <= ALL_SUBSETS_UP_TO:
        for bits in product((False, True), repeat=n_known - 1 + missing):
            right = np.array([False, *reversed(bits)])
            if right.any():
                yield ~right[:n_known], missing and not bool(right[-1])
        return
    place = np.arange(n_known) if ordered else np.argsort(_order_of_categories(counts, lost), kind="stable")
    for length in range(1, n_known):
        left = place < length
        if missing:
            yield left, True
        yield left, False
    if missing:
        yield np.ones(n_known, dtype=np.bool_), False


def _order_of_categories(counts: NDArray[Any], lost: NDArray[Any]) -> NDArray[np.intp]:
    """By the share of one class: the second of two, else the heaviest at the node."""
    wanted = 1 if counts.shape[1] == 2 else int((counts.sum(axis=0) + lost).argmax())
    return np.argsort(counts[:, wanted] / counts.sum(axis=1), kind="stable")


def _gain(left: NDArray[Any], right: NDArray[Any]) -> float:
    """What a split takes from the entropy, times the rows, in bits."""
    parts = [_n_log_n(left), _n_log_n(right), -_n_log_n(left + right)]
    sizes = [-_n_log_n(left.sum()), -_n_log_n(right.sum()), _n_log_n(left.sum() + right.sum())]
    gain = math.fsum(term for part in (*parts, *sizes) for term in np.atleast_1d(part).tolist())
    return gain if gain > NO_GAIN else 0.0


def _n_log_n(counts: Any) -> Floats:
    counts = np.asarray(counts, dtype=np.float64)
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1.0)), dtype=np.float64)


def _better(gain: float, incumbent: float) -> bool:
    return gain - incumbent > MARGIN * abs(incumbent)


def _midpoint(lower: float, upper: float) -> float:
    middle = lower + (upper - lower) / 2
    return lower if middle >= upper else middle


def _node(table: Table, rows: Rows) -> TreeNode:
    """A leaf; its class is the commonest, the first of equals."""
    return TreeNode(rows, int(np.bincount(table.y[rows], minlength=table.n_classes).argmax()))


def _nodes(node: TreeNode) -> Iterator[TreeNode]:
    yield node
    for child in (node.left, node.right):
        if child is not None:
            yield from _nodes(child)


def _body(table: Table, node: TreeNode, indent: str) -> str:
    if node.split is None:
        return f"{indent}return {node.label}\n"
    assert node.left is not None
    assert node.right is not None
    condition = node.split.text(bool(np.isnan(table.X[:, node.split.column]).any()))
    first, second = (_body(table, child, indent + "    ") for child in (node.left, node.right))
    return f"{indent}if {condition}:\n{first}{indent}else:\n{second}"


def _bytes(rows: Sequence[Floats]) -> bytes:
    return b"".join(row.astype("<f8").tobytes() for row in rows)


def _length(data: bytes, coding: Coding) -> int:
    if coding.compressor == "bz2":
        return len(bz2.compress(data, 9))
    if coding.compressor == "zlib":
        return len(zlib.compress(data, 9))
    return len(lzma.compress(data, preset=9))


def _combined(a: float, b: float, combine: str) -> float:
    """The formulas of section V; inf where there is no such mean."""
    if combine == "harmonic":
        if b == 0:
            return 0.0
        return 2 / (1 / a + 1 / b) if 1 / a + 1 / b != 0 else math.inf
    if combine == "geometric":
        return math.sqrt(a * b) if b >= 0 else math.inf
    if combine == "euclidean":
        return math.sqrt(a * a + b * b)
    return {"arithmetic": (a + b) / 2, "sum": a + b, "product": a * b}[combine]
