"""Objects in cells (outcomes of tests, leaves), and what their classes are there, some cells at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.instance import Floats, Goal, Instance, Ints
from thriftree.search.leaves import heaviest_mixed_leaf, largest_loss, largest_value, values

SetFunction: TypeAlias = Callable[[Floats], Any]  # of the objects per class, counts[sets, classes]

_NUMBERS = 1 << 17  # of a table, cell by class
_SETS = 1 << 14  # of them that an F is given at once: it may take a time for every pair of classes
_BYTES = 64  # for each of them at most, in the arrays that are alive at a time
_ROW_BYTES = 48  # for each row of a block


@dataclass(frozen=True, eq=False)
class CellBlock:
    """Some cells, one after the other."""

    cells: slice
    rows: Any  # an index: those that are in the cells, in their order
    cell: Ints  # by row of these, counted from the first of the cells

    def table(self, column: Ints, n_columns: int, weight: Floats | None = None) -> Floats:
        """By cell and column: how many rows there are, or what they weigh."""
        n = self.cells.stop - self.cells.start
        sums = np.bincount(self.cell * n_columns + column, weights=weight, minlength=n * n_columns)
        return sums.reshape(n, n_columns).astype(np.float64)


def cell_blocks(cell: Ints, n_cells: int, n_columns: int, allowance: Allowance) -> Iterator[CellBlock]:
    """All rows, by their cells: so many cells at a time that a table of so many columns is small."""
    at_once = allowance.at_once(_BYTES * n_columns, _NUMBERS // n_columns)
    with allowance.holding(_BYTES * n_columns * min(at_once, n_cells) + _ROW_BYTES * len(cell)):
        allowance.look()
        if n_cells <= at_once:
            yield CellBlock(slice(0, n_cells), slice(None), cell)
            return
        order = np.argsort(cell, kind="stable")
        in_order = cell[order]
        for first in range(0, n_cells, at_once):
            allowance.look()
            end = min(n_cells, first + at_once)
            begin, stop = np.searchsorted(in_order, [first, end])
            yield CellBlock(slice(first, end), order[begin:stop], in_order[begin:stop] - first)


@dataclass(frozen=True, eq=False)
class ObjectCells:
    """Objects in cells, of which each has at least one."""

    instance: Instance
    of: Ints  # by object; or object x test, if every test has cells of its own
    n: int

    def values(self, functions: Sequence[SetFunction], allowance: Allowance) -> Floats:
        """By function and cell: F of the objects of each class.

        Where many cells hold a single object, F of such a cell is looked at once a class.
        """
        k = self.instance.n_classes
        cell, label = self.of.ravel(), self._by_row(self.instance.labels)
        if self.n <= k or self.n * k <= _NUMBERS:
            return _values(cell, self.n, label, k, functions, allowance)
        single = np.bincount(cell, minlength=self.n) == 1
        alone, number = single[cell], np.cumsum(~single) - 1
        found = np.empty((len(functions), self.n))
        if alone.any():
            of_class = _values(np.arange(k), k, np.arange(k), k, functions, allowance)
            found[:, cell[alone]] = of_class[:, label[alone]]
        rest = number[cell[~alone]]
        found[:, ~single] = _values(rest, self.n - int(single.sum()), label[~alone], k, functions, allowance)
        return found

    def may_be_leaves(self, goal: Goal, allowance: Allowance) -> NDArray[np.bool_]:
        """By cell: whether its objects may share a leaf of the goal's trees.

        "error" lets every leaf alone lose what all leaves may lose together.
        """
        if goal.trees == "tolerance":
            return np.asarray(self.values([partial(values, goal)], allowance)[0] <= largest_value(goal))
        cell, label = self.of.ravel(), self._by_row(self.instance.labels)
        if goal.trees == "error":
            return np.asarray(self._losses(cell, label, allowance) <= largest_loss(goal))
        some = np.empty(self.n, dtype=label.dtype)
        some[cell] = label
        pure = np.bincount(cell, weights=label != some[cell], minlength=self.n) == 0
        if goal.trees == "pure":
            return np.asarray(pure)
        p = np.bincount(cell, weights=self._by_row(self.instance.p), minlength=self.n)
        return np.asarray(pure | (p <= heaviest_mixed_leaf(goal)))

    def _losses(self, cell: Ints, label: Ints, allowance: Allowance) -> Floats:
        """By cell: what is lost if all its objects are predicted as the class that would lose most."""
        k = self.instance.n_classes
        loss = self._by_row(self.instance.loss)
        lost = np.empty(self.n)
        for block in cell_blocks(cell, self.n, k, allowance):
            by_class = block.table(label[block.rows], k, loss[block.rows])
            lost[block.cells] = by_class.sum(axis=1) - by_class.max(axis=1)
        return lost

    def _by_row(self, of_object: NDArray[Any]) -> NDArray[Any]:
        return of_object if self.of.ndim == 1 else np.repeat(of_object, self.of.shape[1])


def _values(
    cell: Ints, n_cells: int, label: Ints, k: int, functions: Sequence[SetFunction], allowance: Allowance
) -> Floats:
    found = np.empty((len(functions), n_cells))
    for block in cell_blocks(cell, n_cells, k, allowance):
        counts = block.table(label[block.rows], k)
        some = max(1, _SETS // k)
        for first in range(0, len(counts), some):
            cells = slice(block.cells.start + first, min(block.cells.stop, block.cells.start + first + some))
            for number, function in enumerate(functions):
                allowance.look()
                found[number, cells] = function(counts[first : first + some])
    return found
