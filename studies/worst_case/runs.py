"""The study as runs: the curves of one data set, or the certificates of one with prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

from studies import price_sets
from studies.harness import versions
from studies.harness.kept import KeptRun
from studies.harness.record import RunKey, StudyRun
from studies.harness.runs import PlannedRun
from studies.worst_case.certificates import Certified, certificates
from studies.worst_case.curves import LEAST_HINGE, N_HINGES, curves
from studies.worst_case.findings import Curves, Point
from studies.worst_case.sets import load

NAME = "worst case"
CURVES, CERTIFICATES = "GreedyTree", "certificates"


@dataclass(frozen=True)
class WorstCaseTask:
    """One data set; with `seconds` its certificates."""

    folder: Path
    data: str
    seconds: float | None = None


def planned(
    folder: Path, sets: Sequence[str], priced: Sequence[str], seconds: float
) -> Iterator[PlannedRun[WorstCaseTask]]:
    """All runs."""
    used = versions.of(["thriftree"])
    for name in sets:
        settings = {"hinges": N_HINGES, "least_hinge": LEAST_HINGE}
        key = RunKey(f"{NAME}: curves", name, 0, CURVES, settings, used)
        yield PlannedRun(key, WorstCaseTask(folder, name))
    for name in priced:
        key = RunKey(f"{NAME}: certificates", name, 0, CERTIFICATES, {"seconds": seconds}, used)
        yield PlannedRun(key, WorstCaseTask(folder, name, seconds))


def measure(task: WorstCaseTask) -> dict[str, Any]:
    """Points of each impurity as lists, or certificates as dicts."""
    if task.seconds is not None:
        data = price_sets.load(task.folder, task.data)
        return {"certificates": [_finite(asdict(one)) for one in certificates(data, task.seconds)]}
    found = curves(load(task.folder, task.data))
    return {name: [list(astuple(point)) for point in points] for name, points in found.items()}


def curves_of(runs: Sequence[StudyRun] | Sequence[KeptRun]) -> dict[str, Curves]:
    """By data set."""
    return {
        _data(run): {name: [Point(*point) for point in points] for name, points in measures.items()}
        for run in runs
        if (measures := run.measures) is not None and "certificates" not in measures
    }


def certified_of(runs: Sequence[StudyRun]) -> dict[str, list[Certified]]:
    """By data set with prices."""
    return {
        _data(run): [Certified(**{**one, "ratio": _ratio(one["ratio"])}) for one in measures["certificates"]]
        for run in runs
        if (measures := run.measures) is not None and "certificates" in measures
    }


def _finite(certified: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: a ratio to a bound of 0 is None."""
    return {**certified, "ratio": certified["ratio"] if isfinite(certified["ratio"]) else None}


def _ratio(kept: float | None) -> float:
    return inf if kept is None else kept


def _data(run: StudyRun | KeptRun) -> str:
    return run.key.data if isinstance(run, StudyRun) else run.data
