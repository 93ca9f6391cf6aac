"""Sparse tables give the trees and answers of the same numbers in a dense array, at bounded memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import thriftree as tt
from thriftree.costs import Steps
from thriftree.table.coding import read_codes
from thriftree.table.sparse_matrix import SparseInputs

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr"]
PRICES = tt.TestCosts({f"x{j}": Steps((0.0,), (1.0, 4.0)) if j % 3 else 2.0 for j in range(20)})
NUMBERS = ["float32", "float64", "int8", "int64", "bool"]


def numbers(n: int = 300, m: int = 20, seed: int = 0, dtype: str = "float64") -> Any:
    """Mostly 0; columns of few and of many values."""
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, m)) < 0.2, random.normal(size=(n, m)) * 3, 0)
    X[:, : m // 2] = np.round(X[:, : m // 2])
    return X.astype(dtype)


def target(X: Any) -> Any:
    return (X[:, 0] > 0).astype(int) + (X[:, -1] != 0)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_every_format_has_the_codes_of_the_dense_array(form: str, dtype: str) -> None:
    X = numbers(dtype=dtype)
    dense = X.astype(np.uint8) if dtype == "bool" else X
    for words in ({}, {"max_bins": 5}, {"max_bins": 5, "binning": "kmeans"}):
        mine, theirs = read_codes(sp.coo_array(X).asformat(form), **words), read_codes(dense, **words)
        np.testing.assert_array_equal(mine.table().all_distinct(), theirs.table().all_distinct())
        assert mine.book == theirs.book


@pytest.mark.parametrize(
    "model",
    [
        tt.CARTClassifier(pruning="cost_complexity", random_state=0),
        tt.C45Classifier(),
        tt.CHAIDClassifier(),
        tt.EnhancedTreeClassifier(max_bins=8),
        tt.MSIClassifier(),
        tt.ThriftTreeClassifier(random_state=0, cv=3, repeats=1),
        tt.CARTRegressor(max_depth=5, min_leaf=3),
        tt.CARTClassifier(costs=PRICES, cost_benefit=True, max_depth=4),
    ],
    ids=["cart", "c45", "chaid", "enhanced", "msi", "thrift", "numbers", "prices of outcomes"],
)
def test_a_learner_gives_the_tree_and_the_answers_of_the_dense_array(model: Any) -> None:
    X = numbers()
    y, sparse = target(X), sp.csr_array(X)
    weights = {"sample_weight": np.random.default_rng(1).integers(0, 3, len(y)).astype(float)}
    words = {} if isinstance(model, tt.MSIClassifier) else weights
    dense_tree = model.fit(X, y, **words).tree_.to_dict()
    cost = model.expected_cost_
    answers, path = model.predict(X), model.decision_path(X)
    model.fit(sparse, y, **words)
    assert model.tree_.to_dict() == dense_tree
    assert model.expected_cost_ == cost
    np.testing.assert_array_equal(model.predict(sparse), answers)
    np.testing.assert_array_equal(model.predict(sp.coo_array(X)), answers)
    assert (model.decision_path(sparse) != path).nnz == 0


def test_stored_nan_is_missing_and_stored_zeros_are_zeros() -> None:
    data, rows, columns = [np.nan, 0.0, 2.0, 5.0, -5.0], [0, 1, 2, 3, 3], [0, 0, 0, 1, 1]
    X = sp.csc_array((data, (rows, columns)), shape=(4, 2))
    table = read_codes(X).table()
    assert table.all_distinct().tolist() == [[2, 0], [0, 0], [1, 0], [0, 0]]  # 5 and -5 are added: 0
    assert table.missing(0) == 2


def test_what_is_summed_is_a_copy() -> None:
    X = sp.csc_array((np.ones(2), np.zeros(2, np.int32), [0, 2]), shape=(3, 1))
    read_codes(X)
    assert X.nnz == 2


def test_parts_of_a_sparse_table_are_coded_by_one_book() -> None:
    X = numbers()
    whole = read_codes(sp.csr_array(X))
    part = whole.book.code(sp.csr_array(X[40:90]))
    np.testing.assert_array_equal(part.table().all_distinct(), whole.table().all_distinct()[40:90])
    binned = read_codes(whole.take(np.arange(0, 300, 3)), max_bins=4)
    np.testing.assert_array_equal(
        binned.table().all_distinct(), read_codes(X[::3], max_bins=4).table().all_distinct()
    )


def test_categories_are_not_sparse() -> None:
    with pytest.raises(ValueError, match=r"categorical_features names columns of a sparse X.*toarray\(\)"):
        tt.CARTClassifier(categorical_features=[0]).fit(sp.csr_array(numbers()), target(numbers()))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_named(value: float) -> None:
    X = numbers()
    X[7, 3] = value
    with pytest.raises(ValueError, match="column 'x3', row 7 holds infinity"):
        read_codes(sp.csr_array(X))


def test_a_wide_table_is_learnt_and_predicted_without_being_made_dense() -> None:
    """20,000 x 1,000: dense it would be 160 MB as float64, its one-byte codes are 20 MB."""
    n, m = 20_000, 1_000
    random = np.random.default_rng(0)
    counts = sp.random_array(
        (n, m), density=0.01, format="csr", rng=random, data_sampler=lambda size: random.integers(1, 9, size)
    ).astype(np.float64)
    y = np.asarray((counts[:, [3]] + counts[:, [5]]).sum(axis=1)).ravel() > 0
    tracemalloc.start()
    model = tt.CARTClassifier(max_leaves=8).fit(counts, y)
    model.predict(counts)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 40e6
    assert read_codes(counts).coded.core.nbytes < n * m * 1.1
    np.testing.assert_array_equal(model.predict(counts), y)


def test_the_predictor_asks_for_tested_columns_only() -> None:
    X = numbers()
    model = tt.CARTClassifier(max_depth=3).fit(X, target(X))
    asked = []

    class Noted(SparseInputs):
        def __getitem__(self, column: int) -> Any:
            asked.append(column)
            return super().__getitem__(column)

    inputs = Noted(read_codes(sp.csr_array(X)).values)
    np.testing.assert_array_equal(model.tree_.core.apply(inputs, 2), model.apply(X))
    assert sorted(asked) == sorted({int(c) for c in model.tree_.core.column if c >= 0})
