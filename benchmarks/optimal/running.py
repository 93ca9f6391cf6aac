"""One fit in a process of its own, in the environment of its solver."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

PEERS: Final = Path(".venv-peers/bin/python")
_SCRIPT: Final = Path(__file__).with_name("one_fit.py")
_GRACE_S: Final = 90  # for starting, compiling, and solvers that look at the clock seldom


@dataclass(frozen=True)
class Outcome:
    """What a solver came to; without an answer, `why` says why."""

    answer: dict[str, Any] | None
    why: str = ""

    @property
    def finished(self) -> bool:
        return self.answer is not None and bool(self.answer["finished"])

    def objective(self, n_rows: int, penalty: float, price_weight: float = 0.0) -> float:
        """Share of the rows that are wrong (or the mean squared error), penalties of leaves, and prices."""
        assert self.answer is not None
        answer = self.answer
        paid = price_weight * answer.get("price", 0.0)
        return float(answer["errors"] / n_rows + penalty * answer["leaves"] + paid)


def run(solver: str, table: Path, task: dict[str, Any], cap_s: float) -> Outcome:
    """The outcome of a fit that may take so long."""
    python = Path(sys.executable) if solver == "thriftree" else PEERS
    if not python.exists():
        return Outcome(None, "not installed: make bench-optimal installs the peers")
    told = json.dumps({**task, "cap_s": cap_s})
    try:
        done = subprocess.run(
            [str(python), str(_SCRIPT), solver, str(table), told],
            capture_output=True,
            text=True,
            timeout=5 * cap_s + _GRACE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(None, f"killed after {5 * cap_s + _GRACE_S:.0f} s")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Outcome(None, f"failed ({done.returncode}): {last[:120]}")
    return Outcome(json.loads(done.stdout.strip().splitlines()[-1]))


@cache
def installed() -> dict[str, str]:
    """The versions of the peers that are there."""
    if not PEERS.exists():
        return {}
    names = ("pystreed", "pydl8.5", "gosdt", "pycontree", "licketysplit", "imodels")
    ask = (
        "import json; from importlib import metadata as m; "
        f"names = {names!r}; found = {{d.metadata['Name'].lower(): d.version for d in m.distributions()}}; "
        "print(json.dumps({n: found[n] for n in names if n in found}))"
    )
    done = subprocess.run([str(PEERS), "-c", ask], capture_output=True, text=True, check=True)
    versions: dict[str, str] = json.loads(done.stdout)
    return versions
