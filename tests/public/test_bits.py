"""Bits of leaves and tests, against their formulas and against counting."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import plain_mdl
from public_tables import noisy_table, noisy_tables
from thoroughness import tries

from thriftree import CARTClassifier
from thriftree.methods.public.mdl import TestBits, leaf_bits, shortest_pruning, value_bits
from thriftree.table.coding import encode

COUNTS = st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any)


@pytest.mark.parametrize(
    ("counts", "bits"),
    [
        ([10], 1.0),  # one class: only the kind of the node
        ([0, 10, 0], 1.0),
        ([1, 1], 1 + 2 + 0 + log2(np.pi)),  # Γ(1) = 1
        ([4, 4], 1 + 8 + 0.5 * 2 + log2(np.pi)),
        ([2, 2, 4], 1 + 4 + 4 + 4 + 2 + log2(2 * np.pi)),  # Γ(3/2) = √π / 2
    ],
)
def test_the_bits_of_a_leaf_worked_by_hand(counts, bits):
    assert leaf_bits(np.array([counts], dtype=float))[0] == pytest.approx(bits, rel=1e-14)


@given(COUNTS, st.sampled_from([0.01, 0.125, 1.0, 3.5]))
def test_the_bits_of_a_leaf_are_those_of_the_definition(counts, unit):
    labels = tuple(k for k, n in enumerate(counts) if n)
    weights = tuple(n * unit for n in counts if n)
    plain = plain_mdl.PlainTable(tuple((0.0,) for _ in labels), labels, weights, ())
    found = leaf_bits(np.array([counts], dtype=float) * unit)[0]
    assert found == pytest.approx(plain_mdl.leaf_bits(plain, range(len(labels))), rel=1e-10)


@given(COUNTS)
def test_with_whole_rows_the_terms_beside_the_entropy_are_not_negative(counts):
    """What the paper says of n >= k, and why lower bounds may leave these terms out."""
    seen = np.array([n for n in counts if n], dtype=float)
    n, k = seen.sum(), len(seen)
    entropy = (seen * np.log2(n / seen)).sum()
    parameters = leaf_bits(seen[None])[0] - 1 - entropy
    assert parameters >= -1e-9
    if k > 1:
        assert parameters > 0  # so nothing was cut off at 0


def n_divisions(values, is_category):
    """Ways to send each value left or right with both used, each division of a number counted once."""
    found = set()
    for sides in product([0, 1], repeat=len(values)):
        known = [s for v, s in zip(values, sides, strict=True) if v is not None]
        if len(set(sides)) == 2 and (is_category or known == sorted(known)):
            found.add(sides if is_category else min(sides, tuple(1 - s for s in sides)))
    return len(found)


@pytest.mark.parametrize(("n_values", "has_missing"), [(1, True), *product(range(2, 7), [False, True])])
@pytest.mark.parametrize("is_category", [False, True])
def test_the_bits_of_a_value_are_the_logarithm_of_the_number_of_tests(n_values, has_missing, is_category):
    values = [*range(n_values), *([None] if has_missing else [])]
    bits = float(value_bits(np.array(n_values), np.array(has_missing), is_category))
    assert 2**bits == pytest.approx(n_divisions(values, is_category))


def test_a_set_of_very_many_categories_takes_a_bit_each():
    assert value_bits(np.array(5000), np.array(False), True) == 5000


def test_pruning_leaves_the_cheapest_of_all_prunings():
    n_prunings = n_kept = 0
    n_tables = tries(60, 25)
    for seed in range(n_tables):
        table = noisy_table(seed, n_rows=28)
        coding = {"categorical_features": list(table.categorical)}
        model = CARTClassifier(impurity="entropy", **coding).fit(table.X, table.y, table.sample_weight)
        leaf = model.apply(table.X)
        plain = plain_mdl.PlainTable.of(table)
        costs = [plain_mdl.bits(plain, some) for some in plain_mdl.prunings(as_grown(model, leaf))]
        weight = np.array(plain.weights)
        bits = TestBits(encode(table.X, sample_weight=table.sample_weight, **coding))
        found = shortest_pruning(model.tree_.core, leaf, table.y.astype(np.int32), weight, bits)
        assert found.bits == pytest.approx(min(costs), rel=1e-9)
        n_prunings += len(costs)
        n_kept += found.tree.n_leaves > 2
    assert n_prunings > 2000 / 60 * n_tables
    assert n_kept > n_tables / 6


def as_grown(model, leaf):
    return plain_mdl.grown_nodes(model.tree_.core, leaf.tolist())


def test_a_column_of_one_value_is_no_alternative():
    for table in noisy_tables(5):
        wider = np.column_stack([np.full(table.n_rows, 7.0), table.X, np.full(table.n_rows, np.nan)])
        bits = [TestBits(encode(X)) for X in (table.X, wider)]
        assert bits[0].column_bits == bits[1].column_bits == log2(table.X.shape[1])
