"""Lower bounds never exceed what they bound: the cheapest of all trees, found by trying all."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import plain_mdl
from public_tables import noisy_table, tiny_table
from thoroughness import tries

from thriftree import CARTClassifier
from thriftree.learning.row_groups import RowGroups
from thriftree.methods.public.bounds import bound_by_splits, bound_of_one
from thriftree.methods.public.mdl import TestBits, leaf_bits
from thriftree.table.coding import encode


def bounds(table, members):
    """(1, S, V) of a node of these rows."""
    bits = TestBits(encode(table.X, categorical_features=list(table.categorical)))
    weight = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
    members = np.array(members)
    counts = np.bincount(table.y[members], weights=weight[members], minlength=table.n_classes)[None]
    first = bits.of_cheapest_values(RowGroups.of_sizes(members, np.array([len(members)])))
    by_values = bound_by_splits(counts, bits.column_bits, first, bits.of_simplest_value)
    return bound_of_one(counts)[0], bound_by_splits(counts, bits.column_bits)[0], by_values[0]


@pytest.mark.parametrize("part", range(tries(4, 1)))
def test_no_bound_exceeds_the_cheapest_of_all_trees(part):
    n_tight = n_trees = 0
    for seed in range(100 * part, 100 * (part + 1)):
        table = tiny_table(seed)
        plain = plain_mdl.PlainTable.of(table)
        if plain.n_varying == 0:
            continue
        cheapest = plain_mdl.cheapest_tree_bits(plain)
        members = tuple(range(table.n_rows))
        one, splits, values = bounds(table, members)
        assert one <= splits <= values <= cheapest(members) * (1 + 1e-12)
        n_trees += cheapest(members) < plain_mdl.leaf_bits(plain, members) * (1 - 1e-9)
        n_tight += values > 0.99 * cheapest(members)
    assert n_trees > 10  # in some a tree is cheaper than a leaf, and some bounds are reached:
    assert n_tight > 10


def test_at_every_node_of_a_full_tree_the_bounds_are_below_its_cheapest_pruning():
    n_nodes = n_raised = 0
    n_tables = tries(60, 25)
    for seed in range(n_tables):
        table = noisy_table(seed, n_rows=60)
        words = {"categorical_features": list(table.categorical)}
        model = CARTClassifier(impurity="entropy", **words).fit(table.X, table.y, table.sample_weight)
        plain = plain_mdl.PlainTable.of(table)
        nodes = [plain_mdl.grown_nodes(model.tree_.core, model.apply(table.X).tolist())]
        while nodes:
            node = nodes.pop()
            nodes += node.children
            one, splits, values = bounds(table, node.members)
            best = plain_mdl.bits(plain, plain_mdl.pruned(plain, node))
            assert one <= splits <= values <= best * (1 + 1e-9)
            n_nodes += 1
            n_raised += one < splits < values
    assert n_nodes > 1000 / 60 * n_tables
    assert n_raised > 50 / 60 * n_tables


def test_the_bound_by_splits_worked_by_hand():
    """Classes of 20, 10, 6 and 1 rows, four columns: 2 bits a column. One test leaves 7 rows without a leaf,
    two leave one, three none: 5 + 7, 9 + 1 and 13 bits. A leaf takes more than any of these.
    """
    counts = np.array([[6.0, 20.0, 1.0, 10.0]])
    assert leaf_bits(counts)[0] > 13
    assert bound_by_splits(counts, 2.0)[0] == 10
    assert bound_by_splits(counts, 2.0, first_value_bits=3.0)[0] == 13
    assert bound_by_splits(counts, 2.0, first_value_bits=3.0, next_value_bits=1.5)[0] == 14.5
    assert bound_by_splits(counts, 2.0, first_value_bits=3.0, next_value_bits=5.0)[0] == 15
    assert bound_of_one(counts)[0] == 1


def test_where_nothing_can_be_split_the_bound_is_the_leaf():
    for counts in ([[0.0, 8.0]], [[9.0]]):
        assert bound_by_splits(np.array(counts), 2.0)[0] == leaf_bits(np.array(counts))[0] == 1
    mixed = np.array([[3.0, 40.0, 30.0]])
    assert bound_by_splits(mixed, 2.0, first_value_bits=np.inf)[0] == leaf_bits(mixed)[0]
