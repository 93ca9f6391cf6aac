"""Our fit and the peers' on one table: answers first, then times."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.optimal.cells import Work
from benchmarks.optimal.running import Outcome, run
from benchmarks.optimal.tables import write


@dataclass(frozen=True)
class Cell:
    """A task on a table: what we and each peer came to."""

    work: Work
    table: str
    n_rows: int
    n_columns: int
    ours: Outcome
    peers: dict[str, Outcome]

    @property
    def objective(self) -> float | None:
        return self._objective(self.ours)

    @property
    def fastest(self) -> tuple[str, float] | None:
        """The peer that finished first, and its CPU seconds."""
        times = {n: float(p.answer["cpu_s"]) for n, p in self.peers.items() if p.answer and p.finished}
        return min(times.items(), key=lambda one: one[1]) if times else None

    @property
    def ratio(self) -> float | None:
        if self.fastest is None or self.ours.answer is None or not self.ours.finished:
            return None
        return float(self.fastest[1] / self.ours.answer["cpu_s"])

    @property
    def differs(self) -> str:
        """The peer that finished with another objective, in words; empty if none did."""
        if self.objective is None or not self.ours.finished:
            return ""
        for name, peer in self.peers.items():
            theirs = self._objective(peer) if peer.finished else None
            rounding = 1e-9 * max(1.0, abs(self.objective))
            if theirs is not None and abs(theirs - self.objective) > rounding:
                return f"{name} has {theirs:.6f}"
        return ""

    def facts(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "work": self.work.name,
            "table": self.table,
            "objective": self.objective,
            "ratio": self.ratio,
            "differs": self.differs,
            "ours": asdict(self.ours),
            "peers": {name: asdict(peer) for name, peer in self.peers.items()},
        }

    def _objective(self, outcome: Outcome) -> float | None:
        if outcome.answer is None:
            return None
        task = self.work.task
        return outcome.objective(self.n_rows, task["leaf_penalty"], task.get("price_weight", 0.0))


@dataclass(frozen=True)
class LookaheadCell:
    """The look-ahead tree beside the optimum (None: not proved in time) and another heuristic."""

    work: Work
    table: str
    n_rows: int
    ours: Outcome
    optimum: Outcome
    other: Outcome


@dataclass(frozen=True)
class Threads:
    """Wall seconds of the same proof on one thread and on two."""

    one: Outcome
    two: Outcome


@dataclass(frozen=True)
class PricedCell:
    """Our fit with prices beside the same without."""

    work: Work
    table: str
    priced: Outcome
    free: Outcome

    @property
    def times(self) -> float | None:
        """The time without prices that it took."""
        if self.priced.answer is None or self.free.answer is None:
            return None
        return float(self.priced.answer["cpu_s"] / self.free.answer["cpu_s"])


def with_prices(work: Work, name: str, data: Path, files: Path, cap_s: float) -> PricedCell:
    """The same task with prices and without."""
    table = write(name, data, files)
    free = {key: value for key, value in work.task.items() if key != "price_weight"}
    priced = run("thriftree", table, work.task, cap_s)
    return PricedCell(work, name, priced, run("thriftree", table, free, cap_s))


def compared(work: Work, name: str, data: Path, files: Path, cap_s: float) -> Cell:
    """One cell."""
    table = write(name, data, files)
    shape = np.load(table)["X"].shape
    ours = run("thriftree", table, work.task, cap_s)
    peers = {peer: run(peer, table, work.task, cap_s) for peer in work.peers}
    return Cell(work, name, shape[0], shape[1], ours, peers)


def first_tree(work: Work, name: str, data: Path, files: Path, cap_s: float) -> LookaheadCell:
    """The tree of the look-ahead alone."""
    table = write(name, data, files)
    quick = run("thriftree", table, {**work.task, "lookahead": 3}, cap_s)
    best = run("thriftree", table, work.task, cap_s)
    n_rows = int(np.load(table)["X"].shape[0])
    return LookaheadCell(work, name, n_rows, quick, best, run(work.peers[0], table, work.task, cap_s))


def two_threads(data: Path, files: Path, cap_s: float) -> Threads:
    """A proof of a second or so."""
    table = write("correlated", data, files)
    task = {"max_depth": 5, "leaf_penalty": 0.0}
    one, two = (run("thriftree", table, {**task, "n_jobs": n}, cap_s) for n in (1, 2))
    return Threads(one, two)
