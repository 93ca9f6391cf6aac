"""Time to import, in an interpreter of its own each time."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.measurement import Lines, Measurement, RatioTarget

TITLE = "import, the best of {rows} fresh interpreters each"
ROWS = 10
OURS = {"the package": "import thriftree", "an estimator": "from thriftree import CARTClassifier"}
THEIRS = "import sklearn.tree"
TARGET = RatioTarget(1.3, "at_most")


def run(rows: int) -> Lines:
    statements = (*OURS.values(), THEIRS)
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(rows):  # in turns, so that a busy moment of the machine strikes all alike
        for statement in statements:
            best[statement] = min(best[statement], _seconds(statement))
    for work, statement in OURS.items():
        ours, theirs = best[statement], best[THEIRS]
        yield Measurement(work, THEIRS, ours, theirs, ratio=ours / theirs, target=TARGET)


def _seconds(statement: str) -> float:
    program = f"import time\nstart = time.perf_counter()\n{statement}\nprint(time.perf_counter() - start)"
    child = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    return float(child.stdout)
