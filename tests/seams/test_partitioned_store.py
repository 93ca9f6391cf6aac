"""A row store in numpy whose rows lie in several partitions, each counted by itself: the tree is the same."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from seam_tables import missing_code, random_fit

from thriftree import _core


class PartitionedStore:
    """Sums are integers, so it does not matter where they are added."""

    def __init__(self, fit, n_classes, n_parts):
        self.table, self.n_classes = fit.table, n_classes
        columns = [fit.table.codes(j) for j in range(fit.table.n_columns)]
        self.parts = []  # a partition: its codes, labels and weights, and the rows of each node
        for rows in np.array_split(np.arange(fit.table.n_rows), n_parts):
            weight = fit.weight[rows].astype(np.int64)
            part = SimpleNamespace(codes=[c[rows] for c in columns], labels=fit.labels[rows], weight=weight)
            part.nodes = {0: np.arange(len(rows))}
            self.parts.append(part)

    def totals(self, node):
        sums = sum(self.class_sums(p, p.nodes[node]) for p in self.parts)
        return SimpleNamespace(rows=sum(len(p.nodes[node]) for p in self.parts), sums=sums)

    def class_sums(self, part, rows):
        sums = np.zeros(self.n_classes, np.int64)
        np.add.at(sums, part.labels[rows], part.weight[rows])
        return sums

    def open_root(self):
        return self.totals(0)

    def count(self, nodes):
        self.sums = {}  # one pass over each partition; the results are added
        for node in nodes:
            for j in range(self.table.n_columns):
                self.sums[node, j] = sum(self.count_part(p, p.nodes[node], j) for p in self.parts)

    def count_part(self, part, rows, column):
        sums = np.zeros((self.table.column(column).n_codes, 1 + self.n_classes), np.int64)
        codes = part.codes[column][rows]
        np.add.at(sums, (codes, 0), 1)
        np.add.at(sums, (codes, 1 + part.labels[rows]), part.weight[rows])
        return sums

    def runs(self, node, column):
        sums = self.sums[node, column]
        seen = np.flatnonzero(sums[:, 0])
        return seen, sums[seen, 0], sums[seen, 1:]

    def divide(self, node, partition, first_child):
        for part in self.parts:
            rows = part.nodes.pop(node)
            branch = partition.branches(
                part.codes[partition.column][rows], missing_code(self.table, partition.column)
            )
            for v in range(partition.n_branches):
                part.nodes[first_child + v] = rows[branch == v]
        return [self.totals(first_child + v) for v in range(partition.n_branches)]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_of_two_partitions_is_the_tree_of_one_and_that_of_the_native_store(
    seed, weighted, criterion
):
    fit = random_fit(seed, n=120, weighted=weighted)
    native = fit.tree(criterion=criterion)
    assert native.n_leaves > 10
    for n_parts in (1, 2, 5):
        assert fit.tree(criterion=criterion, row_store=PartitionedStore(fit, 3, n_parts)) == native


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_columns_that_the_native_store_keeps_sorted_give_the_same_tree(seed, weighted):
    fit = random_fit(seed, n=700, n_values=2000, weighted=weighted)
    assert not fit.table.column(0).narrow
    native = fit.tree(min_leaf_rows=5)
    assert fit.tree(min_leaf_rows=5, row_store=PartitionedStore(fit, 3, 2)) == native


@pytest.mark.parametrize("kind", [_core.ONE_VS_REST, _core.MULTIWAY])
def test_other_kinds_of_test_divide_the_partitions_alike(kind):
    fit = random_fit(7)
    fit.candidates = [kind] * 4
    assert fit.tree(row_store=PartitionedStore(fit, 3, 2)) == fit.tree()


def test_a_best_first_tree_is_the_same_too():
    fit = random_fit(8)
    assert fit.tree(max_leaves=7, row_store=PartitionedStore(fit, 3, 2)) == fit.tree(max_leaves=7)
