"""What paper 001 finds in its Figure 4, and what the study of the worst case finds."""

from __future__ import annotations

from pathlib import Path

from studies.harness.kept import FOLDER, read
from studies.papers.finding import PaperFinding, ResultFile
from studies.worst_case.findings import HINGED, WITHOUT_OFFSET, compare, verdict
from studies.worst_case.runs import NAME, curves_of
from studies.worst_case.sets import SOURCES

FILE = FOLDER / "worst_case.jsonl"
COMMAND = "python -m studies.worst_case --data FOLDER --certificates --publish"


def result_file(path: Path = FILE) -> ResultFile:
    """The kept results."""
    return ResultFile(read(path, NAME), path, COMMAND)


def findings(file: ResultFile) -> list[PaperFinding]:
    """Both findings of the paper, the first in both readings of hinged-Pairs."""
    runs = file.study.of("curves")
    every = curves_of(runs)
    n_sets = len(every)
    found = []
    for hinged, words in ((HINGED, "by Eq. (10)"), (WITHOUT_OFFSET, "without −α², as in its Figure 1")):
        compared = {name: compare(curves, hinged) for name, curves in every.items()}
        small = [name for name, c in compared.items() if verdict(c.hinged_better, len(c.small)) == "holds"]
        large = [name for name, c in compared.items() if verdict(c.powers_better, len(c.large)) == "holds"]
        cases = sum(len(c.small) for c in compared.values()), sum(len(c.large) for c in compared.values())
        wins = (
            sum(c.hinged_better for c in compared.values()),
            sum(c.powers_better for c in compared.values()),
        )
        for side, sets, case, win in (
            ("small", small, cases[0], wins[0]),
            ("large", large, cases[1], wins[1]),
        ):
            who = HINGED if side == "small" else "Powers"
            found.append(
                file.finding(
                    "001",
                    runs,
                    claim=f"at {side} max-costs {who} err less ({HINGED} {words})",
                    published="holds in Figure 4 (9 sets)",
                    measured=f"in {len(sets)} of {n_sets} sets; at {win} of {case} max-costs that differ",
                    holds=_word(len(sets), n_sets),
                    why="fails in " + ", ".join(SOURCES[n].title for n in every if n not in sets)
                    if len(sets) < n_sets
                    else "",
                )
            )
    return found


def _word(holds: int, of: int) -> str:
    return "yes" if holds == of else ("in part" if 2 * holds > of else "no")
