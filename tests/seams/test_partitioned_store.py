"""Rows in several partitions, each counted by itself, give the same tree as rows in one place."""

from __future__ import annotations

import pytest
from partitioned_store import PartitionedStore
from seam_tables import random_fit

from thriftree import _core


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
