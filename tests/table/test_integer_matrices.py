"""Matrices of integers are coded a row at a time, as those of floats are: the same codes as numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from thriftree import _core

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_columns", [1, 4, 16, 17, 45])
def test_codes_are_the_ranks_of_the_values(dtype: str, n_columns: int) -> None:
    rng = np.random.default_rng(n_columns)
    for n_values in (2, 3, 12, 100):
        low = -50 if np.dtype(dtype).kind != "u" else 0
        matrix = rng.integers(low, low + n_values, (700, n_columns)).astype(dtype)
        for given in (matrix, matrix[::2], matrix[::-1], matrix[:, ::2], np.asfortranarray(matrix)):
            table = _core.encode_matrix(given)
            for j in range(given.shape[1]):
                values, ranks = np.unique(given[:, j], return_inverse=True)
                assert table.codes(j).tolist() == ranks.tolist()
                assert table.column(j).values.tolist() == values.tolist()


@pytest.mark.parametrize("dtype", TYPES)
def test_bins_are_those_of_the_same_floats(dtype: str) -> None:
    matrix = np.random.default_rng(0).integers(0, 120, (2_000, 20)).astype(dtype)
    floats = _core.encode_matrix(matrix.astype(np.float64), max_bins=16)
    table = _core.encode_matrix(matrix, max_bins=16)
    for j in range(20):
        assert table.codes(j).tolist() == floats.codes(j).tolist()
        assert table.column(j).edges.tolist() == floats.column(j).edges.tolist()


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_an_integer_that_no_float_holds_is_named_wherever_it_is(dtype: str) -> None:
    matrix = np.ones((5_000, 17), dtype=dtype)
    matrix[4_321, 16] = 2**53 + 2
    with pytest.raises(ValueError, match="column 16, row 4321"):
        _core.encode_matrix(matrix)
    matrix[4_321, 16] = 2**53
    assert _core.encode_matrix(matrix).column(16).values.tolist() == [1.0, 2.0**53]
