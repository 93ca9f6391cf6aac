"""A claim of a paper and what became of it, with the lines of the result file that say so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from studies.harness.kept import FOLDER, KeptRun, KeptStudy

FILE = FOLDER / "findings.jsonl"


@dataclass(frozen=True)
class PaperFinding:
    """One row of the page, and one line of findings.jsonl."""

    paper: str
    claim: str
    published: str  # the paper's figure
    measured: str  # ours, with its interval
    holds: str  # "yes", "no", "in part"
    why: str
    file: str  # of studies/results
    lines: str  # of that file: the runs that `measured` was computed from
    command: str  # that measured them


def ranges(numbers: Iterable[int]) -> str:
    """Whole numbers, runs of them as `first-last`.

    >>> ranges([2, 3, 4, 9, 11, 12])
    '2-4, 9, 11-12'
    """
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in found)


@dataclass(frozen=True)
class ResultFile:
    """A study's kept results, and how they are made."""

    study: KeptStudy
    path: Path
    command: str

    def finding(
        self,
        paper: str,
        runs: Sequence[KeptRun],
        *,
        claim: str,
        published: str,
        measured: str,
        holds: bool | str,
        why: str,
    ) -> PaperFinding:
        """A finding that these runs show."""
        said = holds if isinstance(holds, str) else ("yes" if holds else "no")
        lines = ranges(self.study.lines(runs))
        return PaperFinding(paper, claim, published, measured, said, why, self.path.name, lines, self.command)


def write(findings: Sequence[PaperFinding], path: Path = FILE) -> None:
    """A line each; the same bytes for the same findings."""
    path.write_text(as_text(findings), encoding="utf-8")


def as_text(findings: Sequence[PaperFinding]) -> str:
    """What stands in the file."""
    return "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in findings)
