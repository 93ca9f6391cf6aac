"""Rows in several partitions, each counted by itself, give the same tree as rows in one place."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from partitioned_store import PartitionedStore, counted_in_parts, counted_rows
from seam_tables import random_fit

from thriftree import _core


def grown_in_parts(fit, n_parts, preferred_batch_rows=np.inf, **parameters):
    """The tree, and the store that counted for it."""
    options = _core.GrowOptions(**{"candidates": fit.candidates, **parameters})
    store = PartitionedStore(fit.table, fit.target, options, n_parts, preferred_batch_rows)
    rows = counted_rows(store)
    return _core.grow_elsewhere(store, rows.columns, rows.target, rows.rows, options).tree, store


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_the_tree_of_two_partitions_is_the_tree_of_one_and_that_of_the_native_store(
    seed, weighted, criterion
):
    fit = random_fit(seed, n=120, weighted=weighted)
    native = fit.tree(criterion=criterion)
    assert native.n_leaves > 10
    for n_parts in (1, 2, 7):
        assert grown_in_parts(fit, n_parts, criterion=criterion)[0] == native


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_that_the_native_store_keeps_sorted_give_the_same_tree(weighted):
    fit = random_fit(1, n=700, n_values=2000, weighted=weighted)
    assert not fit.table.column(0).narrow
    assert grown_in_parts(fit, 2, min_leaf_rows=5)[0] == fit.tree(min_leaf_rows=5)


@pytest.mark.parametrize("kind", [_core.ONE_VS_REST, _core.MULTIWAY])
def test_other_kinds_of_test_divide_the_partitions_alike(kind):
    fit = random_fit(7)
    fit.candidates = [kind] * 4
    assert grown_in_parts(fit, 2)[0] == fit.tree()


@pytest.mark.parametrize("preferred_batch_rows", [1, 50, np.inf])
@pytest.mark.parametrize("max_leaves", [-1, 7])
def test_the_tree_is_the_same_whatever_makes_a_batch(preferred_batch_rows, max_leaves):
    fit = random_fit(8)
    assert grown_in_parts(fit, 2, preferred_batch_rows, max_leaves=max_leaves)[0] == fit.tree(
        max_leaves=max_leaves
    )


def test_a_level_is_counted_at_once_and_divided_at_once():
    fit = random_fit(9, n=2000, n_values=40)
    tree, store = grown_in_parts(fit, 3)
    depth = int(tree.depths.max())
    assert tree == fit.tree()
    assert len(store.divides) == depth
    assert len(store.counts) <= depth + 1
    split = tree.depths[tree.column >= 0]
    assert [len(nodes) for nodes in store.divides] == np.bincount(split).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_64_leaves_best_first_are_counted_in_hardly_more_passes_than_the_tree_is_deep(seed):
    fit = random_fit(seed, n=4000, n_values=60)
    tree, store = grown_in_parts(fit, 2, max_leaves=64)
    assert tree.n_leaves == 64
    assert tree == fit.tree(max_leaves=64)
    depth = int(tree.depths.max())
    assert len(store.counts) <= depth + 2
    assert len(store.divides) <= depth + 2


def test_a_batch_crosses_once_whatever_the_number_of_threads():
    fit = random_fit(3, n=500)
    trees = [grown_in_parts(fit, 2, n_threads=n)[0] for n in (1, 4)]
    assert trees[0] == trees[1] == fit.tree()


def test_no_row_is_needed_where_the_tree_is_grown():
    """Code books and the target's header are made from plain numbers, as another process would get them."""
    fit = random_fit(4)
    options = _core.GrowOptions(candidates=fit.candidates)
    store = PartitionedStore(fit.table, fit.target, options, 2)
    columns = [
        _core.Column(c.kind, c.n_codes, c.has_missing, c.values.tolist(), c.edges.tolist())
        for c in store.columns
    ]
    header = _core.TargetHeader()
    header.n_rows = header.total = fit.table.n_rows
    header.n_classes = 3
    tree = _core.grow_elsewhere(store, columns, header, None, options).tree
    assert tree == fit.tree()


def test_a_grower_looks_at_a_split_without_moving_rows():
    fit = random_fit(5)

    class Peeking:
        def select(self, growth):
            if len(growth) > 1:
                assert [growth[c].rows for c in growth[0].children] == self.rows.tolist()
                np.testing.assert_array_equal([growth[c].sums for c in growth[0].children], self.sums)
                return []
            self.rows, self.weight, self.sums = growth.peek(0)
            with pytest.raises(ValueError, match="not open"):
                growth.peek(99)
            return [0]

    native = fit.tree(grower=Peeking())
    assert native.n_leaves == 2
    assert grown_in_parts(fit, 2, grower=Peeking())[0] == native


def test_stores_are_swapped_only_inside_the_context():
    from thriftree import CARTClassifier

    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) // 10
    with counted_in_parts(2) as stores:
        inside = CARTClassifier().fit(X, y).tree_
    assert len(stores) == 1
    assert CARTClassifier().fit(X, y).tree_.to_dict() == inside.to_dict()
    assert len(stores) == 1


def header(n_classes: int, priors: list[float]) -> _core.TargetHeader:
    made = _core.TargetHeader()
    made.n_rows, made.n_classes, made.priors = 3, n_classes, priors
    return made


@pytest.mark.parametrize(
    ("counted", "rows", "said"),
    [
        (header(2, []), header(3, [1.0, 1.0, 1.0]), "must have the same classes"),
        (header(2, [1.0]), None, "priors must have a factor for every class"),
    ],
    ids=["other classes", "too few priors"],
)
def test_targets_that_do_not_fit_each_other_are_refused(counted, rows, said):
    columns = list(_core.encode_matrix(np.array([[0.0], [1.0], [1.0]])).book)
    store = SimpleNamespace(preferred_batch_rows=np.inf)
    with pytest.raises(ValueError, match=said):
        _core.grow_elsewhere(store, columns, counted, rows, _core.GrowOptions(candidates=[1]))
