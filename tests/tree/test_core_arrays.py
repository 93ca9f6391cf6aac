"""The compiled tree's arrays: read-only, complete, and never taken over unchecked."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import numpy as np
import pytest

from thriftree._core import Tree as CoreTree
from thriftree.tree import Tree


def fields(core: CoreTree) -> dict[str, Any]:
    state: dict[str, Any] = core.__getstate__()
    return state


def test_the_arrays_make_the_same_tree(spec_tree: Tree) -> None:
    again = CoreTree.from_arrays(**fields(spec_tree.core))
    assert again == spec_tree.core
    assert pickle.loads(pickle.dumps(again)) == again
    assert again != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(again)


def test_arrays_are_read_only_and_outlive_the_tree(spec_document: dict[str, Any]) -> None:
    core = Tree.from_dict(spec_document).core
    arrays = {name: value for name, value in fields(core).items() if isinstance(value, np.ndarray)}
    copies = {name: value.copy() for name, value in arrays.items()}
    del core
    gc.collect()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, copies[name])
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_the_arrays_given_may_change_afterwards(spec_tree: Tree) -> None:
    given = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in fields(spec_tree.core).items()}
    core = CoreTree.from_arrays(**given)
    for array in given.values():
        if isinstance(array, np.ndarray):
            array[...] = 0
    assert core == spec_tree.core


def test_hostile_arrays_are_a_value_error_or_a_valid_tree(spec_tree: Tree) -> None:
    rng = np.random.default_rng(0)
    odd = np.array([-(2**31), -2, -1, 0, 1, 2, 3, 5, 8, 100, 2**31 - 1], dtype=np.int64)
    inputs = [rng.normal(50, 20, 200), *(rng.integers(-2, 4, 200).astype(np.int32) for _ in range(2))]
    refused = 0
    for _ in range(600):
        given = fields(spec_tree.core)
        for name in rng.choice(list(given), rng.integers(1, 3)):
            if not isinstance(given[name], np.ndarray):
                given[name] = int(rng.choice(odd))
                continue
            array = given[name].copy()
            if rng.random() < 0.3:
                array = array[: rng.integers(len(array))]
            elif rng.random() < 0.1:
                with np.errstate(invalid="ignore"):
                    array = array.astype(rng.choice(["f4", "i2", "O", ">i4"]))
            elif array.dtype == np.float64 and rng.random() < 0.5:
                array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -np.inf, -1.0, 1e300, 0.5])
            else:
                array.flat[rng.integers(array.size)] = rng.choice(odd).astype(array.dtype)
            given[name] = array
        try:
            core = CoreTree.from_arrays(**given)
        except ValueError:
            refused += 1
            continue
        if core.n_columns == 3:
            assert core.apply(inputs).max() < core.n_nodes
    assert 300 < refused < 600


def test_a_tree_cannot_be_made_or_changed_by_its_state(spec_tree: Tree) -> None:
    blank = CoreTree.__new__(CoreTree)
    with pytest.raises(ValueError, match="parent"):
        blank.__setstate__({**fields(spec_tree.core), "parent": np.zeros(8, np.int32)})
