"""The results that the page is made from: what is common to all runs, beside the harness's line a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studies.harness import kept
from studies.harness.kept import KeptRun, KeptStudy, write
from studies.harness.record import StudyRun
from studies.harness.tables import TEST_SHARE
from studies.which_tree import sets
from studies.which_tree.measures import Part, learners_of
from studies.which_tree.plan import PARTS, StudyPlan

__all__ = ["FILE", "NAME", "KeptRun", "KeptStudy", "keep", "read", "write"]

FILE = kept.FOLDER / "which_tree.jsonl"
NAME = "which tree"


def keep(plan: StudyPlan, runs: Sequence[StudyRun], *, quick: bool) -> KeptStudy:
    """What is kept of the runs of a plan."""
    return kept.keep(_about(plan, runs, quick), runs)


def read(path: Path = FILE) -> KeptStudy:
    """What `write` wrote."""
    return kept.read(path, NAME)


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
