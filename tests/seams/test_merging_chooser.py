"""A chooser that merges alike categories and asks n-way questions, as CHAID does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2
from seam_tables import children, encode, missing_code, random_fit

from thriftree import _core

ALPHA = 0.05


def p_value(table):
    """Of Pearson's chi-squared test that the rows of a table of counts have one distribution."""
    table = table[:, table.sum(axis=0) > 0]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(chi2.sf(((table - expected) ** 2 / expected).sum(), freedom)) if freedom else 1.0


class MergingChooser:
    """The column whose merged groups differ most surely; none if no column's do."""

    def __init__(self, table):
        self.table = table

    def groups(self, sums):
        groups = [[i] for i in range(len(sums))]
        while len(groups) > 1:
            pairs = [(a, b) for b in range(len(groups)) for a in range(b)]
            alike = [
                p_value(np.array([sums[groups[a]].sum(axis=0), sums[groups[b]].sum(axis=0)]))
                for a, b in pairs
            ]
            if max(alike) <= ALPHA:
                break
            a, b = pairs[int(np.argmax(alike))]
            groups[a] += groups.pop(b)
        return groups

    def choose(self, node):
        best = None
        for column in node.columns:
            codes, _, sums = node.runs(column)
            groups = self.groups(sums)
            if len(groups) < 2:
                continue
            p = p_value(np.array([sums[g].sum(axis=0) for g in groups]))
            if p > ALPHA or (best and -p <= best.score):
                continue
            branch = np.empty(len(codes), int)
            for v, members in enumerate(groups):
                branch[members] = v
            known = codes != (-1 if (m := missing_code(self.table, column)) is None else m)
            missing = -1 if known.all() else int(branch[-1])
            partition = _core.Partition(column, codes[known].tolist(), branch[known].tolist(), missing)
            best = _core.Choice(partition, score=-p, decrease=1 - p)
        return best


def test_categories_that_are_alike_share_a_branch():
    rng = np.random.default_rng(0)
    category = rng.integers(0, 9, 3000).astype(np.int32)
    category[rng.random(3000) < 0.1] = -1
    kind = np.where(category < 0, 1, category % 3)  # three kinds of category; missing is of the second
    labels = (rng.random(3000) < np.array([0.1, 0.5, 0.9])[kind]).astype(np.int32)
    fit = encode([rng.integers(0, 4, 3000).astype(np.int32), category], labels, 2)
    tree = fit.tree(chooser=MergingChooser(fit.table), max_depth=1)
    assert tree.column[0] == 1
    assert len(children(tree, 0)) == 3
    to = tree.to[tree.to_begin[0] : tree.to_begin[1]]
    for a in range(9):
        for b in range(9):
            assert (to[a] == to[b]) == (a % 3 == b % 3)
    assert tree.missing[0] == to[1]
    for v, child in enumerate(children(tree, 0)):
        rows = kind == np.flatnonzero(to == v)[0] % 3
        np.testing.assert_array_equal(tree.value[child], np.bincount(labels[rows], minlength=2))


@pytest.mark.parametrize("seed", range(4))
def test_at_every_node_each_branch_differs_from_every_other(seed):
    fit = random_fit(seed, n=400)
    chooser = MergingChooser(fit.table)
    tree = fit.tree(chooser=chooser)
    assert tree.n_leaves > 2
    for node in range(tree.n_nodes):
        if not children(tree, node):
            continue
        branches = tree.value[children(tree, node)]
        for a in range(len(branches)):
            for b in range(a):
                assert p_value(branches[[a, b]]) <= ALPHA


def test_a_table_of_noise_gets_no_question_at_a_strict_level(monkeypatch):
    monkeypatch.setitem(globals(), "ALPHA", 1e-9)
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 4, 200).astype(np.int32) for _ in range(3)]
    fit = encode(columns, rng.integers(0, 2, 200).astype(np.int32), 2)
    assert fit.tree(chooser=MergingChooser(fit.table)).n_nodes == 1
