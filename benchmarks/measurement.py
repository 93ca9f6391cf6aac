"""What a benchmark reports: one line of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class RatioTarget:
    """What the ratio must be: at least so many times faster, or at most so many times as much."""

    bound: float
    sense: Literal["at_least", "at_most"] = "at_least"

    def reached(self, ratio: float) -> bool:
        return ratio >= self.bound if self.sense == "at_least" else ratio <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.sense == 'at_least' else '≤'} {self.bound:g}×"


@dataclass(frozen=True)
class Measurement:
    """A ratio beside its target. Without a ratio, ``remark`` says why; without a target, none is set."""

    work: str
    against: str
    ours: float | None = None
    theirs: float | None = None
    unit: str = "s"
    ratio: float | None = None
    target: RatioTarget | None = None
    remark: str = ""

    def verdict(self, *, judged: bool) -> str:
        """``judged=False`` is for sizes at which the targets do not hold."""
        if self.ratio is None:
            return self.remark
        if self.target is None or not judged:
            return ""
        return "ok" if self.target.reached(self.ratio) else "MISSED"

    def facts(self, *, judged: bool) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {**asdict(self), "verdict": self.verdict(judged=judged)}


def faster(work: str, against: str, ours: float, theirs: float, at_least: float) -> Measurement:
    """How many times faster we are, by seconds of CPU time."""
    return Measurement(work, against, ours, theirs, ratio=theirs / ours, target=RatioTarget(at_least))


def as_much(work: str, against: str, ours: float, theirs: float, at_most: float) -> Measurement:
    """How many times as long we take, by seconds of CPU time."""
    return Measurement(
        work, against, ours, theirs, ratio=ours / theirs, target=RatioTarget(at_most, "at_most")
    )


#: What a row of the table yields, one after the other.
Lines = Iterator[Measurement]
