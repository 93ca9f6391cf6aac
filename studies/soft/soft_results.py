"""The results that the page is made from, in one small file: a line of what is common, then a line a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from studies.harness.record import StudyRun
from studies.harness.versions import ROOT
from studies.soft.soft_runs import FOLDS, STUDY, kind_of, learners_for, missing_packages
from studies.statistics import Estimate, estimate_of_splits
from studies.which_tree import sets

FILE: Final = ROOT / "studies" / "results" / "soft.jsonl"
DIGITS: Final = 5  # significant ones of a measure


@dataclass(frozen=True)
class SoftResults:
    """What was measured."""

    about: Mapping[str, Any]
    runs: Sequence[tuple[str, int, str, Mapping[str, Any]]]  # set, split, learner, measures

    @property
    def names(self) -> list[str]:
        """The sets, in the order of the study."""
        return list(self.about["sets"])

    def of_kind(self, kind: str) -> list[str]:
        """The sets with such a target."""
        return [name for name in self.names if kind_of(name) == kind]

    def learners(self, kind: str) -> list[str]:
        """Those that learned such a target, in the order of the study."""
        names = self.of_kind(kind)
        known = {learner for name, _, learner, _ in self.runs if name in names}
        return [learner for learner in learners_for(names[0]) if learner in known] if names else []

    def values(self, name: str, learner: str, measure: str) -> list[float]:
        """Of the splits of a set; none where a run failed."""
        found = [
            measures.get(measure) for data, _, who, measures in self.runs if data == name and who == learner
        ]
        known = [float(value) for value in found if value is not None]
        return known if len(known) == len(found) else []

    def estimate(self, name: str, learner: str, measure: str) -> Estimate | None:
        """Mean and interval over the splits of a set."""
        values = self.values(name, learner, measure)
        return estimate_of_splits(values, 1 / FOLDS) if values else None

    def mean(self, name: str, learner: str, measure: str) -> float | None:
        """Over the splits of a set."""
        values = self.values(name, learner, measure)
        return sum(values) / len(values) if values else None


def results_of(runs: Sequence[StudyRun], folder: Path, names: Sequence[str], max_rows: int) -> SoftResults:
    """What is kept of the runs: splits that every learner has done, so that means are of the same folds."""
    by_split: dict[tuple[str, int], list[StudyRun]] = {}
    for run in runs:
        by_split.setdefault((run.key.data, run.key.split), []).append(run)
    most = {name: max(len(some) for (data, _), some in by_split.items() if data == name) for name in names}
    kept = [
        (run.key.data, run.key.split, run.key.learner, _rounded(run))
        for (name, _), some in by_split.items()
        if len(some) == most[name]
        for run in some
    ]
    versions: dict[str, str] = {}
    for run in runs:
        versions |= run.key.versions
    about = {
        "study": STUDY,
        "max_rows": max_rows,
        "folds": FOLDS,
        "splits": {name: len({split for data, split, *_ in kept if data == name}) for name in names},
        "last": max(run.when[:10] for run in runs),
        "sets": {name: sets.load(name, kind_of(name), folder, max_rows).facts for name in names},
        "versions": dict(sorted(versions.items())),
        "missing": missing_packages(),
    }
    return SoftResults(about, sorted(kept, key=lambda run: run[:3]))


def write(results: SoftResults, path: Path = FILE) -> None:
    """The same bytes for the same results."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (results.about, *results.runs))
    path.write_text(text, encoding="utf-8")


def read(path: Path = FILE) -> SoftResults:
    """What `write` wrote."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    about = json.loads(first)
    if about.get("study") != STUDY:
        raise ValueError(f"{path} has no results of the study {STUDY!r}")
    runs = [json.loads(line) for line in lines]
    return SoftResults(about, [(data, split, learner, measures) for data, split, learner, measures in runs])


def _rounded(run: StudyRun) -> dict[str, Any]:
    if run.measures is None:
        return {"error": run.error}
    return {
        name: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
        for name, value in run.measures.items()
        if name != "warnings"
    }
