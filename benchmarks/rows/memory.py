"""Peak memory of a fit above its input, seen from a process of its own."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from benchmarks.measurement import Lines, Measurement, RatioTarget

TITLE = "peak memory above the input, {rows:,} × 100 two-valued columns, 7 classes"
ROWS = 500_000
COLUMNS = 100
AGAINST = "a byte a cell + 48 a row"


def run(rows: int) -> Lines:
    if not Path("/proc/self/clear_refs").exists() or platform.libc_ver()[0] != "glibc":
        yield Measurement(
            "fit", AGAINST, remark="not measured: needs Linux's /proc/self/clear_refs and glibc"
        )
        return
    probe = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory_probe", str(rows), str(COLUMNS)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    peak, allowed = int(probe.stdout), rows * COLUMNS + 48 * rows
    yield Measurement(
        "fit",
        AGAINST,
        peak / 1e6,
        allowed / 1e6,
        unit="MB",
        ratio=peak / allowed,
        target=RatioTarget(1, "at_most"),
    )
