"""Binned columns: edges against plain numpy, and codes against numpy.searchsorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from thriftree import _core

Array = NDArray[Any]


def assert_codes_follow_edges(table: _core.Table, column: int, values: Array, max_bins: int) -> None:
    described = table.column(column)
    edges = described.edges
    assert described.values.size == 0
    assert 1 <= len(edges) < max_bins
    assert (np.diff(edges) > 0).all()
    missing = np.isnan(values)
    assert described.n_codes == len(edges) + 1 + missing.any()
    assert described.narrow == (described.n_codes <= 256)
    numbers = values.astype(np.float64)
    codes = np.where(missing, len(edges) + 1, np.searchsorted(edges, numbers, side="left"))
    np.testing.assert_array_equal(table.codes(column), codes)


def nearest_boundaries(values: Array, weights: Array, n_bins: int) -> Array:
    """The definition of quantile edges, one quantile at a time."""
    distinct, codes = np.unique(values, return_inverse=True)
    below = np.cumsum(np.bincount(codes, weights))
    places = [int(np.argmin(np.abs(below[:-1] - below[-1] * k / n_bins))) for k in range(1, n_bins)]
    return np.unique([distinct[i] / 2 + distinct[i + 1] / 2 for i in places])


@given(
    st.integers(0, 2**32),
    st.sampled_from(["float32", "float64"]),
    st.sampled_from([2, 3, 10, 100, 255, 256, 257, 400]),
    st.sampled_from(["quantile", "uniform", "kmeans"]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_a_code_is_the_number_of_edges_below(
    seed: int, dtype: str, max_bins: int, binning: str, nan: bool
) -> None:
    rng = np.random.default_rng(seed)
    matrix = (rng.standard_normal((3000, 3)) * [1, 1e-30, 1e30]).astype(dtype)
    matrix[:, 1] = np.abs(matrix[:, 1]) * (rng.random(3000) < 0.5)
    if nan:
        matrix[rng.random(matrix.shape) < 0.1] = np.nan
    table = _core.encode_matrix(matrix, max_bins=max_bins, binning=binning, n_threads=2)
    for j in range(3):
        assert_codes_follow_edges(table, j, matrix[:, j], max_bins)


@given(st.integers(0, 2**32), st.sampled_from([2, 5, 30]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_quantile_edges_are_the_boundaries_nearest_to_equal_weight(
    seed: int, max_bins: int, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 60, 500).astype(np.float64) ** 3
    # Powers of two keep sums exact, so that ties are ties for both sides.
    weights = 2.0 ** rng.integers(-2, 3, 500) if weighted else np.ones(500)
    table = _core.encode_matrix(
        values[:, None], max_bins=max_bins, sample_weight=weights if weighted else None
    )
    np.testing.assert_array_equal(table.column(0).edges, nearest_boundaries(values, weights, max_bins))


def test_quantile_bins_of_a_big_sampled_table_are_nearly_even() -> None:
    rng = np.random.default_rng(3)
    column = rng.lognormal(size=150_000).astype(np.float32)
    table = _core.encode_matrix(column[:, None], max_bins=50)
    assert_codes_follow_edges(table, 0, column, 50)
    counts = np.bincount(table.codes(0))
    assert len(counts) == 50
    assert counts.min() > 0.8 * 3000
    assert counts.max() < 1.2 * 3000


def test_a_value_that_holds_most_rows_gets_a_bin_of_its_own() -> None:
    for heavy in (0.0, 1000.0):
        column = np.concatenate([np.full(5000, heavy), np.arange(1.0, 501.0)])
        table = _core.encode_matrix(column[:, None], max_bins=16)
        assert_codes_follow_edges(table, 0, column, 16)
        code = table.codes(0)[0]
        assert (column[table.codes(0) == code] == heavy).all()


def test_uniform_edges_are_equally_spaced_over_the_whole_column() -> None:
    column = np.random.default_rng(0).random(100_000)
    column[77_777] = 10.0
    table = _core.encode_matrix(column[:, None], max_bins=20, binning="uniform")
    np.testing.assert_allclose(table.column(0).edges, np.linspace(column.min(), 10.0, 21)[1:-1], rtol=1e-12)
    assert_codes_follow_edges(table, 0, column, 20)


def test_uniform_edges_survive_a_range_that_overflows() -> None:
    column = np.linspace(-1, 1, 999) * np.finfo(np.float64).max
    table = _core.encode_matrix(column[:, None], max_bins=4, binning="uniform")
    assert_codes_follow_edges(table, 0, column, 4)
    assert len(table.column(0).edges) == 3


def test_kmeans_finds_separate_clusters_and_improves_on_quantiles() -> None:
    rng = np.random.default_rng(2)
    centres = np.array([0.0, 10.0, 11.0, 40.0])
    column = np.concatenate(
        [c + 0.1 * rng.standard_normal(n) for c, n in zip(centres, [5000, 50, 50, 900], strict=True)]
    )

    def spread(binning: str) -> float:
        codes = _core.encode_matrix(column[:, None], max_bins=8, binning=binning).codes(0)
        return sum(((column[codes == c] - column[codes == c].mean()) ** 2).sum() for c in np.unique(codes))

    assert spread("kmeans") < 0.9 * spread("quantile")
    table = _core.encode_matrix(column[:, None], max_bins=8, binning="kmeans")
    assert any(15 < edge < 35 for edge in table.column(0).edges)


def test_kmeans_bins_are_a_fixed_point_of_lloyds_step() -> None:
    rng = np.random.default_rng(8)
    column = rng.standard_normal(2000)
    weights = rng.integers(1, 4, 2000).astype(np.float64)
    table = _core.encode_matrix(column[:, None], max_bins=6, binning="kmeans", sample_weight=weights)
    codes, edges = table.codes(0), table.column(0).edges
    means = np.array([np.average(column[codes == c], weights=weights[codes == c]) for c in range(6)])
    np.testing.assert_array_equal(np.searchsorted((means[1:] + means[:-1]) / 2, column), codes)
    assert len(edges) == 5


@pytest.mark.parametrize("binning", ["quantile", "uniform", "kmeans"])
def test_columns_of_at_most_max_bins_values_stay_exact(binning: str) -> None:
    rng = np.random.default_rng(4)
    matrix = rng.integers(0, 10, (80_000, 2)).astype(np.float32)
    matrix[40_321, 1] = 11.0  # the one value too many, unlikely to be in a sample
    table = _core.encode_matrix(matrix, max_bins=10, binning=binning)
    assert table.column(0).values.tolist() == list(range(10))
    assert_codes_follow_edges(table, 1, matrix[:, 1], 10)


def test_missing_does_not_count_toward_max_bins() -> None:
    column = np.array([1.0, 2.0, 3.0, np.nan])
    described = _core.encode_matrix(column[:, None], max_bins=3).column(0)
    assert (described.n_codes, described.edges.size) == (4, 0)


def test_many_bins_are_possible() -> None:
    column = np.random.default_rng(6).permutation(30_000).astype(np.float64)
    table = _core.encode_matrix(column[:, None], max_bins=20_000)
    assert_codes_follow_edges(table, 0, column, 20_000)
    exact = _core.encode_matrix(column[:, None], max_bins=30_000)
    np.testing.assert_array_equal(exact.codes(0), column)


@pytest.mark.parametrize("max_bins", [0, 1, 65_536])
def test_a_silly_number_of_bins_is_refused(max_bins: int) -> None:
    with pytest.raises(ValueError, match="max_bins must be from 2 to 65535"):
        _core.encode_matrix(np.zeros((3, 1)), max_bins=max_bins)


def test_an_unknown_binning_and_a_short_weight_are_refused() -> None:
    with pytest.raises(ValueError, match="binning must be 'quantile', 'uniform' or 'kmeans', not 'nice'"):
        _core.encode_matrix(np.zeros((3, 1)), binning="nice")
    with pytest.raises(ValueError, match="one weight for each row"):
        _core.encode_matrix(np.zeros((3, 1)), sample_weight=np.ones(2))
