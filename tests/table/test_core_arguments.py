"""Whatever array reaches the binding, the answer is a table or an exception."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from thoroughness import tries

from thriftree import _core

READ = ("f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?")
REFUSED = ("f2", "g", "c8", ">f4", ">i8", "O", "U3", "S2", "M8[s]")


@given(
    st.sampled_from(READ + REFUSED),
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=40),
    st.lists(st.sampled_from([-3, -1, 1, 2]), min_size=3, max_size=3),
    st.booleans(),
    st.sampled_from([None, 2, 3, 300]),
    st.integers(-2, 5),
)
@settings(max_examples=tries(200, 80), deadline=None)
def test_any_array_gives_a_table_or_an_exception(
    dtype: str, shape: tuple[int, ...], steps: list[int], writable: bool, max_bins: int | None, n_threads: int
) -> None:
    array = np.resize(np.arange(7), shape).astype(dtype)[
        tuple(slice(None, None, step) for step in steps[: len(shape)])
    ]
    array.flags.writeable = writable
    try:
        table = _core.encode_matrix(array, max_bins=max_bins, n_threads=n_threads)
    except (TypeError, ValueError):
        assert array.ndim != 2 or 0 in array.shape or dtype not in READ or n_threads < 1
    else:
        assert dtype in READ
        assert (table.n_rows, table.n_columns) == array.shape
        for j in range(table.n_columns):
            assert table.codes(j).max() < table.column(j).n_codes


@given(
    st.lists(hnp.arrays(st.sampled_from(["f4", "f8", "i4", "u1", "?"]), st.integers(0, 5)), max_size=4),
    st.data(),
)
@settings(max_examples=tries(100, 50), deadline=None)
def test_any_columns_give_a_table_or_an_exception(arrays: list[Any], data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.one_of(st.none(), st.integers(0, 10)), max_size=4))
    ranked = data.draw(st.lists(st.integers(0, 4), max_size=2))
    try:
        table = _core.encode_columns(arrays, counts, ranked=ranked)
    except (TypeError, ValueError):
        return
    assert table.n_columns == len(arrays) == len(counts)


def test_broadcast_arrays_without_strides_are_read() -> None:
    table = _core.encode_matrix(np.broadcast_to(np.float32(3.0), (1000, 20)))
    assert table.column(19).values.tolist() == [3.0]


def test_errors_say_what_was_wrong() -> None:
    with pytest.raises(ValueError, match="two dimensions, not 1"):
        _core.encode_matrix(np.zeros(3))
    with pytest.raises(ValueError, match="at least one row"):
        _core.encode_matrix(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="at least one column"):
        _core.encode_matrix(np.zeros((3, 0)))
    with pytest.raises(TypeError, match="float32, float64, integers"):
        _core.encode_matrix(np.zeros((3, 1), complex))
    with pytest.raises(ValueError, match="column 1 differs in length"):
        _core.encode_columns([np.zeros(3), np.zeros(2)], [None, None])
    with pytest.raises(TypeError, match="column 0: category codes must be int32"):
        _core.encode_columns([np.zeros(3)], [2])
    with pytest.raises(ValueError, match="column 0, row 1 holds a code"):
        _core.encode_columns([np.array([0, 7], np.int32)], [2])
    with pytest.raises(ValueError, match="only category columns"):
        _core.encode_columns([np.zeros(3)], [None], ranked=[0])
    with pytest.raises(IndexError):
        _core.encode_matrix(np.zeros((3, 1))).codes(1)
