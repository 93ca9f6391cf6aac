"""How many threads a fit starts, BLAS included."""

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from thriftree.learning.limits import Limits, threads_of
from thriftree.tuning import resamples


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 1), (1, 1), (2, 2), (3, 3), (1000, 3), (-1, 3), (-2, 2)]
)
def test_no_more_threads_are_started_than_there_are_cpus(n_jobs, threads, monkeypatch):
    monkeypatch.setattr("thriftree.learning.limits.cpu_count", lambda: 3)
    monkeypatch.setattr(joblib.parallel, "cpu_count", lambda *_, **__: 3)
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda *_, **__: 3)
    assert threads_of(n_jobs) == threads


def threads_of_blas():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_takes_no_more_threads_than_the_call_where_held_rows_are_resampled(monkeypatch):
    seen, rint = [], np.rint

    def looked(values):
        seen.append(threads_of_blas())
        return rint(values)

    before = threads_of_blas()
    monkeypatch.setattr(resamples.np, "rint", looked)
    times = np.array([[0, 1], [2, 0]], dtype=np.uint8)
    found = resamples._exact_product(np.eye(2), times, False, Limits(1, None, None))
    np.testing.assert_array_equal(found, [[1, 0], [0, 1]])
    assert seen == [{1} if before else set()]
    assert threads_of_blas() == before
