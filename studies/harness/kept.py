"""Results that pages are made from, in one small file a study: a line of what is common, then a line a run.

The record that a study goes on from repeats settings and versions in every line; here they stand once. The
name of a run's study is `NAME: PART`, or `NAME` where a study has no parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.harness.record import StudyRun
from studies.harness.versions import ROOT

FOLDER = ROOT / "studies" / "results"
DIGITS = 5  # significant ones of a measure


@dataclass(frozen=True)
class KeptRun:
    """One run: measures, or the error for which it has none."""

    part: str
    data: str
    split: int
    learner: str
    measures: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True)
class KeptStudy:
    """A study that was measured."""

    about: Mapping[str, Any]  # its name as "study", and what its page says of all runs
    runs: Sequence[KeptRun]

    def of(self, part: str) -> list[KeptRun]:
        """The runs of a part."""
        return [run for run in self.runs if run.part == part]

    def lines(self, runs: Iterable[KeptRun]) -> list[int]:
        """Where these runs stand in the file, from 1 on; the first line is what is common."""
        place = {_place(run): number for number, run in enumerate(self.runs, start=2)}
        return sorted(place[_place(run)] for run in runs)


def keep(about: Mapping[str, Any], runs: Sequence[StudyRun]) -> KeptStudy:
    """What is kept of runs, with the days on which they were measured and the versions of what."""
    kept = [
        KeptRun(
            run.key.study.partition(": ")[2],
            run.key.data,
            run.key.split,
            run.key.learner,
            None if run.measures is None else rounded(run.measures),
            run.error,
        )
        for run in runs
    ]
    days = sorted(run.when[:10] for run in runs)
    versions = {name: version for run in runs for name, version in run.key.versions.items()}
    common = {
        **about,
        "first": days[0] if days else None,
        "last": days[-1] if days else None,
        "versions": dict(sorted(versions.items())),
    }
    return KeptStudy(common, sorted(kept, key=_place))


def write(study: KeptStudy, path: Path) -> None:
    """The same bytes for the same results."""
    lines = [study.about, *([*_place(run), run.measures or {"error": run.error}] for run in study.runs)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(path: Path, name: str) -> KeptStudy:
    """What `write` wrote; `name` is the study's."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    about = json.loads(first)
    if not isinstance(about, dict) or about.get("study") != name:
        raise ValueError(f"{path} has no results of the study {name!r}")
    runs = []
    for line in lines:
        part, data, split, learner, measures = json.loads(line)
        error = measures.get("error")
        runs.append(KeptRun(part, data, split, learner, None if error else measures, error))
    return KeptStudy(about, runs)


def rounded(value: Any) -> Any:
    """To a few digits; warnings are left out."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {name: rounded(one) for name, one in value.items() if name != "warnings"}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [rounded(one) for one in value]
    return value


def _place(run: KeptRun) -> tuple[str, str, int, str]:
    """Where a run stands: in the order of the parts, then of sets, splits and learners."""
    return run.part, run.data, run.split, run.learner
