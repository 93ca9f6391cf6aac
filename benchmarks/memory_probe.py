"""Print the bytes that a fit needs at its peak, above its input.

Called as ``python -m benchmarks.memory_probe KIND ROWS COLUMNS``, KIND ``two_valued`` or ``floats``. The peak
that the kernel keeps for a process (VmHWM) is set back before the fit: making the data is not in it.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from benchmarks import answers
from benchmarks.data import Data, floats, two_valued
from benchmarks.settings import MIN_LEAF
from thriftree import CARTClassifier


def peak_of_fit(data: Data) -> int:
    """Largest resident memory during a fit, less what was resident before."""
    model = CARTClassifier(min_leaf=MIN_LEAF, n_jobs=1)
    model.fit(data.X[:1000], data.y[:1000])  # what is loaded or made at the first call is not the fit's
    ctypes.CDLL(None).malloc_trim(0)  # else the fit could live in what making the data left behind, unseen
    before = _status_bytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    model.fit(data.X, data.y)
    peak = _status_bytes("VmHWM") - before
    _check_answer(model, data)
    return peak


def _status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(f"/proc/self/status has no {field}")


def _check_answer(model: CARTClassifier, data: Data) -> None:
    """A fit that stopped early would need less memory."""
    guess = 1 / data.n_classes
    if answers.accuracy(model.predict_proba(data.X), data.y) < 1.5 * guess:
        raise answers.AnswerDiffersError("the tree is hardly better than a guess")


if __name__ == "__main__":
    make = {"two_valued": two_valued, "floats": floats}[sys.argv[1]]
    print(peak_of_fit(make(int(sys.argv[2]), int(sys.argv[3]), 7)))
