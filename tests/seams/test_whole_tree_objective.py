"""A grower that weighs the whole tree: it splits where error + 0.01 · leaves falls most, until it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from seam_tables import children, missing_code, random_fit, test_of

PER_LEAF = 0.01


class WholeTreeGrower:
    """Keeps the rows of every node, so that it can look at the tree as if an open leaf were split."""

    def __init__(self, fit):
        self.fit = fit
        self.rows = {0: np.arange(len(fit.labels))}
        self.objectives = []  # of the whole tree, before each split and at the end

    def error(self, rows):
        by_class = np.bincount(self.fit.labels[rows], weights=self.fit.weight[rows])
        return (by_class.sum() - by_class.max()) / self.fit.weight.sum()

    def parts(self, growth, node):
        partition = growth[node].choice.partition
        codes = self.fit.table.codes(partition.column)[self.rows[node]]
        branch = partition.branches(codes, missing_code(self.fit.table, partition.column))
        return [self.rows[node][branch == v] for v in range(partition.n_branches)]

    def change(self, growth, node):
        parts = self.parts(growth, node)
        return sum(map(self.error, parts)) - self.error(self.rows[node]) + PER_LEAF * (len(parts) - 1)

    def select(self, growth):
        leaves = [i for i in range(len(growth)) if not growth[i].children]
        self.objectives.append(sum(self.error(self.rows[i]) for i in leaves) + PER_LEAF * len(leaves))
        changes = {i: self.change(growth, i) for i in leaves if growth[i].is_open}
        best = min(changes, key=changes.get, default=None)
        if best is None or changes[best] >= -1e-12:
            return []
        for v, rows in enumerate(self.parts(growth, best)):
            self.rows[len(growth) + v] = rows
        return [best]


def greedy_on_the_full_tree(fit, full):
    """The same greed, on the finished tree that the plain loop grows. Returns the tests kept."""
    error = (full.value.sum(axis=1) - full.value.max(axis=1)) / fit.weight.sum()
    frontier, kept = [0], []
    while True:
        change = {
            i: error[children(full, i)].sum() - error[i] + PER_LEAF * (len(children(full, i)) - 1)
            for i in frontier
            if children(full, i)
        }
        best = min(change, key=change.get, default=None)
        if best is None or change[best] >= -1e-12:
            return kept
        kept.append(test_of(full, best))
        frontier = [i for i in frontier if i != best] + children(full, best)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_whole_tree_objective_plugs_in_and_stops_where_no_split_lowers_it(seed, weighted):
    fit = random_fit(seed, n=150, weighted=weighted)
    grower = WholeTreeGrower(fit)
    tree = fit.tree(grower=grower)
    full = fit.tree()
    wanted = greedy_on_the_full_tree(fit, full)
    tests = [test_of(tree, i) for i in range(tree.n_nodes) if tree.column[i] >= 0]
    assert sorted(tests) == sorted(wanted)
    assert 1 < tree.n_leaves < full.n_leaves
    assert np.all(np.diff(grower.objectives) < 0)
    leaves = tree.column < 0
    errors = (tree.value.sum(axis=1) - tree.value.max(axis=1))[leaves].sum() / fit.weight.sum()
    assert grower.objectives[-1] == pytest.approx(errors + PER_LEAF * leaves.sum())
