"""Sets of nearly best trees: count and 1,000 draws on a made table of 6,000 rows and 20 two-valued columns.

`python -m benchmarks.optimal.near` prints one line; `make bench-optimal` has it as `--only near`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEPTH: Final = 5
LEAF_PENALTY: Final = 0.001
SHARE: Final = 0.05  # of the best objective, that trees may be above it
DRAWS: Final = 1_000


def near_line() -> str:
    """What a process of its own measures, so that its peak of memory is that of the set."""
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.optimal.near"], capture_output=True, text=True, check=True
    )
    return found.stdout.rstrip()


def made_table() -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Ages, prior offences and the like as thresholds, and a class that depends on them with much noise."""
    random = np.random.default_rng(0)
    n = 6_000
    age = random.gamma(6, 5, n) + 18
    priors = random.negative_binomial(1, 0.25, n)
    young = random.poisson(0.15, n)
    flags = random.random((3, n)) < np.array([[0.8], [0.64], [0.5]])
    columns = [age < t for t in (21, 23, 25, 28, 32, 38, 45)]
    columns += [priors > t for t in (0, 1, 2, 3, 5, 8, 12)]
    columns += [young > 0, young > 1, *flags, (age < 28) & (priors > 1)]
    logit = 0.22 * np.minimum(priors, 10) - 0.04 * (age - 30) - 0.5 + 0.3 * flags[0] + 0.2 * flags[1]
    y = random.random(n) < 1 / (1 + np.exp(-logit - 0.4 * (young > 0)))
    return np.array(columns).T.astype(np.uint8), y.astype(np.int32)


def main() -> None:
    """Measures in this process."""
    from thriftree import near_optimal

    X, y = made_table()
    limits = {"max_depth": DEPTH, "leaf_penalty": LEAF_PENALTY}
    best = near_optimal(X, y, slack=0.0, **limits).best
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    found = near_optimal(X, y, slack=SHARE * best, **limits)
    count = found.count()
    found.sample(DRAWS, random_state=0)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        f"near-optimal, 6,000 x 20, depth {DEPTH}, λ {LEAF_PENALTY}, slack {SHARE:.0%} of the best: "
        f"{float(count):.3g} trees, {DRAWS:,} drawn: {wall:.2f} s wall, {cpu:.2f} s CPU, "
        f"{grown:.0f} MB more than the best trees alone"
    )


if __name__ == "__main__":
    main()
