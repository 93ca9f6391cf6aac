"""How many threads a fit starts."""

import joblib
import pytest

from thriftree.learning.limits import threads_of


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 1), (1, 1), (2, 2), (3, 3), (1000, 3), (-1, 3), (-2, 2)]
)
def test_no_more_threads_are_started_than_there_are_cpus(n_jobs, threads, monkeypatch):
    monkeypatch.setattr("thriftree.learning.limits.cpu_count", lambda: 3)
    monkeypatch.setattr(joblib.parallel, "cpu_count", lambda *_, **__: 3)
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda *_, **__: 3)
    assert threads_of(n_jobs) == threads
