"""The results that the page is made from, in one small file: a line of what is common, then a line a run.

The record that the study goes on from repeats settings and versions in every line; here they stand once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.harness.record import StudyRun
from studies.harness.tables import TEST_SHARE
from studies.harness.versions import ROOT
from studies.which_tree import sets
from studies.which_tree.measures import Part, learners_of
from studies.which_tree.plan import PARTS, StudyPlan

FILE = ROOT / "studies" / "results" / "which_tree.jsonl"
DIGITS = 5  # significant ones of a measure
NAME = "which tree"


@dataclass(frozen=True)
class KeptRun:
    """One run: measures, or the error for which it has none."""

    part: Part
    data: str
    split: int
    learner: str
    measures: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True)
class KeptStudy:
    """A study that was measured."""

    about: Mapping[str, Any]  # see `_about`
    runs: Sequence[KeptRun]

    def of(self, part: Part) -> list[KeptRun]:
        """The runs of a part."""
        return [run for run in self.runs if run.part == part]


def keep(plan: StudyPlan, runs: Sequence[StudyRun], *, quick: bool) -> KeptStudy:
    """What is kept of the runs of a plan."""
    kept = [
        KeptRun(
            _part(run),
            run.key.data,
            run.key.split,
            run.key.learner,
            None if run.measures is None else _rounded(run.measures),
            run.error,
        )
        for run in runs
    ]
    return KeptStudy(_about(plan, runs, quick), sorted(kept, key=_place))


def write(study: KeptStudy, path: Path = FILE) -> None:
    """The same bytes for the same results."""
    lines = [study.about, *([*_place(run), run.measures or {"error": run.error}] for run in study.runs)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(path: Path = FILE) -> KeptStudy:
    """What `write` wrote."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    about = json.loads(first)
    if not isinstance(about, dict) or about.get("study") != NAME:
        raise ValueError(f"{path} has no results of the study {NAME!r}")
    runs = []
    for line in lines:
        part, data, split, learner, measures = json.loads(line)
        error = measures.get("error")
        runs.append(KeptRun(part, data, split, learner, None if error else measures, error))
    return KeptStudy(about, runs)


def _about(plan: StudyPlan, runs: Sequence[StudyRun], quick: bool) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for part in PARTS:
        for name in plan.of_part[part]:
            tables[part][name] = _facts(part, name, plan)
    known = {(_part(run), run.key.learner): run.key for run in runs}
    learners = {
        part: {
            name: {
                "summary": learner.summary,
                "group": learner.group,
                "settings": known[part, name].settings,
                "versions": known[part, name].versions,
            }
            for name, learner in learners_of(part).items()
            if (part, name) in known
        }
        for part in PARTS
    }
    return {
        "study": NAME,
        "quick": quick,
        "splits": plan.splits,
        "max_rows": plan.max_rows,
        "test_share": TEST_SHARE,
        "first": min((run.when[:10] for run in runs), default=None),
        "last": max((run.when[:10] for run in runs), default=None),
        "sets": tables,
        "learners": learners,
        "missing": plan.missing(),
    }


def _facts(part: Part, name: str, plan: StudyPlan) -> dict[str, Any]:
    if part == "prices":
        priced = sets.load_priced(name, plan.folder, plan.max_rows)
        return {**priced.table.facts, "everything": priced.everything, "real": priced.real}
    return sets.load(name, part, plan.folder, plan.max_rows).facts


def _part(run: StudyRun) -> Part:
    return next(part for part in PARTS if run.key.study.endswith(f": {part}"))


def _place(run: KeptRun) -> tuple[str, str, int, str]:
    """Where a run stands: in the order of the parts, then of sets, splits and learners."""
    return run.part, run.data, run.split, run.learner


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items() if name != "warnings"}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_rounded(one) for one in value]
    return value
