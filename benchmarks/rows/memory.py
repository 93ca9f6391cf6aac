"""Peak memory of a fit above its input, seen from a process of its own."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from benchmarks.measurement import Lines, Measurement, RatioTarget

TITLE = (
    "peak memory above the input, 7 classes, {rows:,} × 100 two-valued columns; 2/5 of the rows × 50 floats"
)
ROWS = 500_000
COLUMNS = 100
FLOAT_COLUMNS = 50


def run(rows: int) -> Lines:
    yield _measured("two-valued", "two_valued", rows, COLUMNS, "a byte a cell + 48 a row", COLUMNS + 48)
    n_floats = rows * 2 // 5
    yield _measured(
        "exact thresholds", "floats", n_floats, FLOAT_COLUMNS, "4 bytes a cell", 4 * FLOAT_COLUMNS
    )


def _measured(work: str, kind: str, rows: int, columns: int, against: str, bytes_a_row: int) -> Measurement:
    if not Path("/proc/self/clear_refs").exists() or platform.libc_ver()[0] != "glibc":
        return Measurement(
            work, against, remark="not measured: needs Linux's /proc/self/clear_refs and glibc"
        )
    probe = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory_probe", kind, str(rows), str(columns)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    peak, allowed = int(probe.stdout), rows * bytes_a_row
    return Measurement(
        work,
        against,
        peak / 1e6,
        allowed / 1e6,
        unit="MB",
        ratio=peak / allowed,
        target=RatioTarget(1, "at_most"),
    )
