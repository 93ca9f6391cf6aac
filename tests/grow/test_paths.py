"""Several trees that share what is counted: each is the tree grown alone."""

import numpy as np

from thriftree import _core
from thriftree.table.coding import encode

TRADE_OFFS = [1.0, 10.0]


def test_a_path_of_trees_on_sparse_columns_of_many_codes_is_the_trees_one_by_one():
    n, m, share = 3000, 8, 0.15
    rng = np.random.default_rng(17)
    X = np.where(rng.random((n, m)) < share, rng.random((n, m)), 0.0)
    y = ((X > 0).sum(1) + X[:, 0] + 2 * rng.normal(size=n) * 0.5 > m * share + 0.3).astype(np.int32)
    table, target = encode(X).core, _core.Target.classes(y, 2)
    parameters = {
        "criterion": "gini",
        "candidates": [_core.THRESHOLD] * m,
        "objects": True,
        "score": "enhanced",
    }
    path = _core.grow_path(table, target, _core.GrowOptions(**parameters), TRADE_OFFS)
    for grown, trade_off in zip(path.grown, TRADE_OFFS, strict=True):
        assert (
            grown.tree == _core.grow(table, target, _core.GrowOptions(**parameters, trade_off=trade_off)).tree
        )


def test_a_path_is_the_trees_one_by_one_and_counts_no_shared_node_twice():
    trade_offs = [float("inf"), 100.0, 10.0, 1.0, 0.0]
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, m, k = int(rng.integers(5, 300)), int(rng.integers(1, 7)), int(rng.integers(2, 5))
        X = rng.integers(0, int(rng.integers(2, 400)), size=(n, m)).astype(np.float64)
        X[rng.random(X.shape) < 0.1 * (seed % 3)] = np.nan
        y = rng.integers(0, k, n).astype(np.int32)
        weight = rng.integers(1, 5, n) * 0.37 if seed % 2 else None
        table, target = encode(X).core, _core.Target.classes(y, k, weight)
        parameters = {
            "criterion": ("gini", "entropy", "misclassification", "gini", "entropy")[seed % 5],
            "candidates": [_core.THRESHOLD] * m,
            "objects": True,
            "score": "enhanced",
            "min_mass": (0.0, 0.01, 0.1)[seed % 3],
            "min_leaf_rows": 1 + seed % 3,
            "max_leaves": 7 if seed % 5 == 0 else -1,
            "n_threads": 1 + seed % 2,
        }
        path = _core.grow_path(table, target, _core.GrowOptions(**parameters), trade_offs)
        assert path.rows_counted == path.rows_of_distinct_nodes
        for grown, trade_off in zip(path.grown, trade_offs, strict=True):
            alone = _core.grow(table, target, _core.GrowOptions(**parameters, trade_off=trade_off)).tree
            assert grown.tree == alone, (seed, trade_off)
