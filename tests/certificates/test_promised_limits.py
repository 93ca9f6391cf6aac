"""The promises of `certify` on a large table: CPU time, memory, and how long Ctrl-C waits."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from thriftree import CARTClassifier, LimitReachedWarning, certify
from thriftree.search.allowance import Allowance

pytestmark = pytest.mark.filterwarnings("ignore::thriftree.LimitReachedWarning")
LIMIT_S, TOLERANCE_S = 0.5, 0.1
LARGE = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(50_000, 20))
y = (X[:, 0] * X[:, 1] > X[:, 2]) ^ (rng.random(50_000) < 0.05)
"""
TREES = {
    "pure": {},
    "error": {"max_leaves": 30},
    "mass": {"min_mass": 0.01},
}


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    made: dict = {}
    exec(LARGE, made)
    return made["X"], made["y"]


@pytest.fixture(scope="module", params=TREES)
def model(request: pytest.FixtureRequest, table: tuple[np.ndarray, np.ndarray]) -> CARTClassifier:
    return CARTClassifier(**TREES[request.param]).fit(*table)


@pytest.mark.parametrize("objective", ["worst_case", "expected"])
def test_the_time_limit_holds_for_the_cpu_of_all_threads(model, table, objective: str) -> None:
    began = time.process_time()
    made = certify(model, *table, objective=objective, time_limit_s=LIMIT_S)
    assert time.process_time() - began <= LIMIT_S + TOLERANCE_S
    assert made.lower_bound <= made.reached


@pytest.mark.parametrize("objective", ["worst_case", "expected"])
def test_no_work_between_two_looks_takes_long(
    model, table, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that Ctrl-C and limits do not wait for it."""
    longest, last = [0.0], [time.process_time()]

    def timed(function):
        def look(self, *given):
            longest[0] = max(longest[0], time.process_time() - last[0])
            try:
                return function(self, *given)
            finally:
                last[0] = time.process_time()

        return look

    monkeypatch.setattr(Allowance, "look", timed(Allowance.look))
    monkeypatch.setattr(Allowance, "has_time", timed(Allowance.has_time))
    last[0] = time.process_time()
    certify(model, *table, objective=objective, time_limit_s=3.0)
    assert longest[0] < 0.2


@pytest.mark.skipif(sys.platform == "win32", reason="resource is of Unix")
@pytest.mark.parametrize(
    ("objective", "trees"),
    [
        ("expected", "error"),
        *(
            pytest.param(*which, marks=pytest.mark.full)
            for which in (("worst_case", "error"), ("expected", "mass"), ("worst_case", "mass"))
        ),
    ],
)
def test_the_memory_limit_holds_beyond_what_the_rows_take(objective: str, trees: str) -> None:
    program = f"""{LARGE}
import resource, sys, warnings
from thriftree import CARTClassifier, certify
def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
warnings.simplefilter("ignore")
words = dict(objective={objective!r}, trees={trees!r}, min_mass=0.99)
model = CARTClassifier(max_leaves=20).fit(X[:2000], y[:2000])
certify(model, X[:100], y[:100], **words)
before = peak_mb()
found = certify(model, X, y, time_limit_s=3.0, memory_limit_mb=60.0, **words)
assert "coding" not in found.cut_short
print(peak_mb() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) <= 60 + 5


def test_the_limit_is_warned_of(table) -> None:
    X, y = table
    model = CARTClassifier(max_leaves=20).fit(X[:2000], y[:2000])
    with pytest.warns(LimitReachedWarning, match="certify stopped at its time_limit_s") as caught:
        certify(model, X, y, time_limit_s=0.02)
    assert caught[0].filename == __file__
