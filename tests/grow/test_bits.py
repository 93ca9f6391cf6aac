"""Two-valued columns are kept as bits where rows weigh 1; the tree is that of any other way of counting."""

import numpy as np
import pytest

from thriftree import _core


def grown(table, target, masks, **parameters):
    return _core.grow(table, target, _core.GrowOptions(candidates=masks, **parameters)).tree


def structure(tree):
    return [
        np.asarray(getattr(tree, name)).tolist()
        for name in ("column", "keys", "to", "missing", "rows", "children")
    ]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("n_classes", "n_columns"), [(2, 21), (7, 21), (2, 25), (3, 12)])
def test_bits_and_histograms_give_the_same_tree(seed, n_classes, n_columns):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 700))
    x = (rng.random((n_rows, n_columns)) < rng.random(n_columns)).astype(np.float32)
    x[:, 3] = rng.integers(0, 5, n_rows)  # one column that is counted in the same block
    x[:, 7] = rng.random(n_rows)  # and one that may be presorted
    x[rng.random(n_rows) < 0.3, 11] = np.nan  # missing and one value, or three codes
    labels = ((x[:, 0] + x[:, 1] * 2 + x[:, 3]).astype(int) + (rng.random(n_rows) < 0.3)).astype(
        np.int32
    ) % n_classes
    table = _core.encode_matrix(x)
    masks = [_core.THRESHOLD] * n_columns
    masks[3] |= _core.MULTIWAY  # an n-way division moves bits too
    by_bits = grown(table, _core.Target.classes(labels, n_classes), masks)
    # Equal weights that are not 1 are summed, so nothing is kept as bits.
    by_sums = grown(table, _core.Target.classes(labels, n_classes, np.full(n_rows, 2.0)), masks)
    assert structure(by_bits) == structure(by_sums)
    threaded = grown(table, _core.Target.classes(labels, n_classes), masks, n_threads=4)
    assert structure(threaded) == structure(by_bits)
