"""A fit by the instructions of older CPUs, each in a process of its own. The trees must be the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.answers import AnswerDiffersError
from benchmarks.measurement import Lines, Measurement
from thriftree import _core

TITLE = (
    "exact thresholds, {rows:,} × 50 floats, min_leaf=0.005, one thread: by the instructions of older CPUs"
)
ROWS = 200_000
LEVELS = ("avx512", "avx2", "plain")


def run(rows: int) -> Lines:
    best = LEVELS.index(_core.cpu_level)
    for kind in ("2 gini", "2 entropy", "7 gini", "7 entropy", "numbers"):
        first = _probed(kind, rows, LEVELS[best])
        for level in LEVELS[best + 1 :]:
            other = _probed(kind, rows, level)
            if other["tree"] != first["tree"]:
                raise AnswerDiffersError(f"{kind}: the tree by {level} is another than by {LEVELS[best]}")
            ours, theirs = float(other["seconds"]), float(first["seconds"])
            yield Measurement(f"{kind}, {level}", LEVELS[best], ours, theirs, ratio=ours / theirs)


def _probed(kind: str, rows: int, level: str) -> dict[str, Any]:
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.cpu_probe", kind, str(rows)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"THRIFTREE_CPU": level},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(child.stdout)
    if found["level"] != level:
        raise AnswerDiffersError(f"THRIFTREE_CPU={level} was not heeded")
    return found
