"""Whole numbers become class numbers as np.unique numbers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thoroughness import tries

from thriftree import CARTClassifier, _core
from thriftree.learning.targets import class_labels


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "bool"])
def test_classes_and_labels_are_those_of_sorting(dtype: str) -> None:
    random = np.random.default_rng(4)
    low, high = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for number in range(tries(200, 40)):
        n = int(random.integers(1, 60))
        kind: Any = np.dtype(dtype) if dtype != "bool" else np.uint8
        start = int(random.integers(low, high, dtype=kind)) if number % 2 else 0
        spread = (3, 60, 5000, int(high) - int(low))[number % 4]
        y = random.integers(start, min(start + spread, int(high)), n, dtype=kind, endpoint=dtype != "bool")
        y = np.clip(y, 0, 1).astype(bool) if dtype == "bool" else y
        for given in (y, np.repeat(y, 2)[::2]):
            labels, classes = class_labels(given)
            expected, places = np.unique(given, return_inverse=True)
            np.testing.assert_array_equal(classes, expected)
            np.testing.assert_array_equal(labels, places)
            assert (labels.dtype, classes.dtype) == (np.int32, y.dtype)


def test_numbers_that_lie_far_apart_have_no_table() -> None:
    extremes = np.array([np.iinfo(np.int64).min, 0, np.iinfo(np.int64).max])
    assert _core.whole_labels(extremes) is None
    assert _core.whole_labels(np.array([7, 7 + 1024])) is not None
    assert _core.whole_labels(np.array([7, 7 + 1025])) is None
    with pytest.raises(ValueError, match="no numbers"):
        _core.whole_labels(np.empty(0, np.int64))


def test_what_columns_take_of_a_figure_is_that_of_their_nodes_less_their_children() -> None:
    random = np.random.default_rng(5)
    X, y = random.normal(size=(80, 4)), random.integers(0, 3, 80)
    core = CARTClassifier().fit(X, y).tree_.core
    figure = random.random(core.n_nodes)
    expected = np.zeros(4)
    for node in range(core.n_nodes):
        children = np.flatnonzero(core.parent == node)
        if len(children):
            expected[core.column[node]] += figure[node] - figure[children].sum()
    np.testing.assert_allclose(_core.column_decreases(core, figure), np.maximum(expected, 0), atol=1e-12)
    with pytest.raises(ValueError, match="one number a node"):
        _core.column_decreases(core, figure[1:])
