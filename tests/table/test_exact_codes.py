"""Exact codes of numbers against numpy.unique."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from thriftree import _core
from thriftree.table.coding import encode

Array = NDArray[Any]


def expected_codes(values: Array) -> tuple[Array, Array]:
    """Distinct values (-0.0 as 0.0) and codes by numpy, NaN last."""
    numbers = values.astype(np.float64) + 0.0
    known = ~np.isnan(numbers)
    distinct = np.unique(numbers[known])
    return distinct, np.where(known, np.searchsorted(distinct, numbers), len(distinct))


def assert_exact(table: _core.Table, column: int, values: Array) -> None:
    distinct, codes = expected_codes(values)
    described = table.column(column)
    has_missing = bool(np.isnan(values.astype(np.float64)).any())
    assert described.kind == "ordered"
    assert described.has_missing == has_missing
    assert described.n_codes == len(distinct) + has_missing
    assert described.narrow == (described.n_codes <= 256)
    np.testing.assert_array_equal(described.values, distinct)
    assert described.edges.size == 0
    np.testing.assert_array_equal(table.codes(column), codes)


def assert_same_tables(a: _core.Table, b: _core.Table) -> None:
    assert a.n_columns == b.n_columns
    assert a.nbytes == b.nbytes
    for j in range(a.n_columns):
        np.testing.assert_array_equal(a.codes(j), b.codes(j))
        np.testing.assert_array_equal(a.column(j).values, b.column(j).values)
        np.testing.assert_array_equal(a.column(j).edges, b.column(j).edges)
        assert a.column(j).has_missing == b.column(j).has_missing


@st.composite
def matrices(draw: st.DrawFn) -> Array:
    """Arrays of few and many values, awkward floats, and every layout numpy can give them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.sampled_from([1, 2, 15, 257, 700, 4500]))
    n_columns = draw(st.sampled_from([1, 3, 5, 16, 18, 33]))
    dtype = draw(
        st.sampled_from(
            ["float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]
        )
    )
    n_values = draw(st.sampled_from([1, 2, 16, 17, 255, 256, 257, 10**6]))
    matrix = rng.integers(0, n_values, (n_rows, n_columns))
    if np.dtype(dtype).kind == "f":
        matrix = matrix.astype(dtype) * np.asarray(draw(st.sampled_from([1.0, 0.1, -3e-7, 1e30])), dtype)
        matrix[rng.random(matrix.shape) < draw(st.sampled_from([0.0, 0.05]))] = np.nan
        matrix[rng.random(matrix.shape) < 0.02] = -0.0
    matrix = matrix.astype(dtype)
    layout = draw(st.sampled_from(["C", "F", "reversed", "strided", "unaligned"]))
    if layout == "F":
        return np.asfortranarray(matrix)
    if layout == "reversed":
        return matrix[::-1, ::-1]
    if layout == "strided":
        wide = np.repeat(np.repeat(matrix, 2, axis=0), 3, axis=1)
        return wide[::2, ::3]
    if layout == "unaligned":
        record = np.zeros(matrix.shape, dtype=[("pad", "i1"), ("value", dtype)])
        record["value"] = matrix
        return record["value"]
    return matrix


@given(matrices(), st.sampled_from([1, 3]))
@settings(max_examples=60, deadline=None)
def test_codes_number_the_distinct_values_of_every_layout_and_type(matrix: Array, n_threads: int) -> None:
    matrix.flags.writeable = False
    table = encode(matrix, n_threads=n_threads).core
    assert (table.n_rows, table.n_columns) == matrix.shape
    for j in range(matrix.shape[1]):
        assert_exact(table, j, matrix[:, j])


def test_neighbouring_float64_values_get_codes_of_their_own() -> None:
    values = [1.0]
    for _ in range(999):
        values.append(float(np.nextafter(values[-1], 2.0)))
    column = np.random.default_rng(0).permutation(np.repeat(values, 3))
    assert len(np.unique(column.astype(np.float32))) == 1
    assert_exact(_core.encode_matrix(column[:, None]), 0, column)


@pytest.mark.parametrize("n_high", [1, 2, 40])
def test_long_runs_of_values_that_share_their_high_bits_are_sorted(n_high: int) -> None:
    rng = np.random.default_rng(n_high)
    bits = (rng.integers(0, n_high, 9000).astype(np.uint64) << np.uint64(32)) + rng.integers(
        0, 2**32, 9000, np.uint64
    )
    column = (bits + np.uint64(0x3FF0000000000000)).view(np.float64)
    column[rng.random(9000) < 0.2] *= -1
    assert_exact(_core.encode_matrix(column[:, None]), 0, column)


def test_extreme_finite_values_and_subnormals_are_in_order() -> None:
    for dtype in (np.float32, np.float64):
        info = np.finfo(dtype)
        tiny = info.smallest_subnormal
        column = np.array([info.max, info.min, tiny, -tiny, 0.0, -0.0, info.tiny, np.nan], dtype)
        assert_exact(_core.encode_matrix(column[:, None]), 0, column)
        many = np.concatenate([column, np.linspace(-5, 5, 1000, dtype=dtype)])
        assert_exact(_core.encode_matrix(many[:, None]), 0, many)


def test_values_that_a_sample_misses_are_found() -> None:
    rng = np.random.default_rng(1)
    few = np.zeros(60_000, np.float32)
    few[rng.choice(60_000, 5, replace=False)] = [3, 1, 4, 1, 5]
    many = np.zeros(60_000, np.float32)
    many[rng.choice(60_000, 300, replace=False)] = np.arange(1, 301)
    full = np.arange(60_000, dtype=np.float32) % 256
    full[12_345] = np.nan  # 256 values and missing: one code more than a byte has
    matrix = np.column_stack([few, full, many, few, full[::-1]])
    for n_threads in (1, 4):
        table = _core.encode_matrix(matrix, n_threads=n_threads)
        for j in range(matrix.shape[1]):
            assert_exact(table, j, matrix[:, j])
    assert [table.column(j).narrow for j in range(5)] == [True, False, False, True, False]


def test_missing_values_take_the_last_code_and_a_column_may_have_nothing_else() -> None:
    matrix = np.array([[np.nan, 2.0], [np.nan, np.nan], [np.nan, 1.0]])
    table = _core.encode_matrix(matrix)
    assert (table.column(0).n_codes, table.column(0).has_missing) == (1, True)
    assert table.codes(0).tolist() == [0, 0, 0]
    assert table.codes(1).tolist() == [1, 2, 0]


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((70_000, 20)).astype(np.float32)
    matrix[:, 5:9] = matrix[:, 5:9].round()
    matrix[rng.random(matrix.shape) < 0.01] = np.nan
    for options in (
        {},
        {"max_bins": 255},
        {"max_bins": 300, "binning": "kmeans"},
        {"max_bins": 9, "binning": "uniform"},
    ):
        assert_same_tables(
            _core.encode_matrix(matrix, n_threads=1, **options),
            _core.encode_matrix(matrix, n_threads=4, **options),
        )


def test_two_valued_columns_take_one_byte_each() -> None:
    matrix = (np.random.default_rng(0).random((5000, 36)) < 0.5).astype(np.float32)
    assert _core.encode_matrix(matrix).nbytes == 5000 * 36 + 36 * 2 * 8


def test_infinity_is_refused_with_its_place() -> None:
    for n_values in (2, 1000):
        for dtype in (np.float32, np.float64):
            for max_bins in (None, 8):
                matrix = (np.arange(6000).reshape(-1, 3) % n_values).astype(dtype)
                matrix[1234, 1] = -np.inf
                with pytest.raises(ValueError, match="column 1, row 1234 holds infinity: replace"):
                    _core.encode_matrix(matrix, max_bins=max_bins)


def test_integers_that_float64_cannot_tell_apart_are_refused() -> None:
    fine = np.array([[2**53], [-(2**53)]])
    assert _core.encode_matrix(fine).column(0).values.tolist() == [-(2.0**53), 2.0**53]
    for bad in (np.array([2**53 + 1]), np.array([-(2**53) - 1]), np.array([2**64 - 1], np.uint64)):
        with pytest.raises(ValueError, match="column 0, row 0 holds an integer beyond 2\\^53"):
            _core.encode_matrix(bad[:, None])


def test_a_table_that_passes_the_memory_limit_is_refused() -> None:
    with pytest.raises(MemoryError, match="memory_limit_mb allows 1 MB"):
        _core.encode_matrix(np.random.default_rng(0).random((400_000, 4)), memory_limit_mb=1)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("max_bins", [None, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_infinity_is_refused_beside_longer_and_shorter_lists_of_values(
    infinity: float, max_bins: int | None, dtype: Any, column: int
) -> None:
    matrix = np.array([[0, 1, 0], [1, 0, 1], [2, 1, 2], [3, 0, 0]], dtype)
    matrix[2, column] = infinity
    with pytest.raises(ValueError, match=f"column {column}, row 2 holds infinity"):
        _core.encode_matrix(matrix, max_bins=max_bins)
