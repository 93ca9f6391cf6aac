"""Tests of very many categories lead every row where the keys of their node say."""

from __future__ import annotations

import numpy as np
import pytest

from thriftree import _core


@pytest.mark.parametrize("kind", [_core.SUBSET, _core.ONE_VS_REST, _core.MULTIWAY])
@pytest.mark.parametrize("n_categories", [40, 3000, 20_000])
def test_many_rows_together_go_where_each_goes_alone(kind, n_categories):
    """Rows that are few are led by searching the keys, many by tables made of them."""
    rng = np.random.default_rng(n_categories)
    n = 6000
    columns = [rng.integers(0, n_categories, n).astype(np.int32), rng.integers(0, 7, n).astype(np.int32)]
    table = _core.encode_columns(columns, [n_categories, 7])
    target = _core.Target.classes(rng.integers(0, 3, n).astype(np.int32), 3)
    options = _core.GrowOptions(candidates=[kind] * 2, max_depth=12)
    tree = _core.grow(table, target, options).tree
    assert tree.n_leaves > 12
    rows = [np.concatenate([column, [-1, -2, n_categories + 5]]).astype(np.int32) for column in columns]
    rows[0] = rng.permutation(rows[0])  # unseen combinations, too
    alone = [tree.apply([column[i : i + 40] for column in rows]) for i in range(0, len(rows[0]), 40)]
    np.testing.assert_array_equal(tree.apply(rows), np.concatenate(alone))
