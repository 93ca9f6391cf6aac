"""Scores of a part of the study by learner and set, their means with intervals, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.statistics import (
    Estimate,
    RankComparison,
    compare_ranks,
    estimate_of_splits,
    interval_over_sets,
)
from studies.which_tree.kept import KeptRun, KeptStudy
from studies.which_tree.measures import Part


@dataclass(frozen=True)
class Difference:
    """How much more one learner has of a measure than another: the mean over the sets that both finished, and
    its 95 % interval over sets.
    """

    mean: float
    low: float
    high: float
    n_sets: int


class PartScores:
    """All measures of one part. A learner *finished* a set if every split has measures."""

    def __init__(self, study: KeptStudy, part: Part) -> None:
        self.part = part
        self._test_share = float(study.about["test_share"])
        self.sets: list[str] = list(study.about["sets"][part])
        self.n_splits = int(study.about["splits"])
        self._runs: dict[tuple[str, str], dict[int, KeptRun]] = {}
        for run in study.of(part):
            self._runs.setdefault((run.learner, run.data), {})[run.split] = run
        self._groups = {name: str(one["group"]) for name, one in study.about["learners"][part].items()}
        self.learners = list(self._groups)  # in the order of the study

    def group(self, learner: str) -> str:
        """ "ours", "peer" or "ceiling": a ceiling is no single tree."""
        return self._groups[learner]

    def failures(self) -> list[KeptRun]:
        """Runs without measures."""
        return [run for runs in self._runs.values() for run in runs.values() if run.error is not None]

    def finished(self, learner: str) -> list[str]:
        """The sets that a learner finished."""
        return [name for name in self.sets if self._has_all(learner, name)]

    def has(self, learner: str, measure: str) -> bool:
        """Whether this measure means something for the learner: leaves of a logistic regression do not."""
        return any(
            run.measures is not None and run.measures.get(measure) is not None
            for (name, _), runs in self._runs.items()
            if name == learner
            for run in runs.values()
        )

    def values(self, learner: str, name: str, measure: str) -> list[float]:
        """One a split, of a set that the learner finished."""
        runs = self._runs[learner, name]
        return [float(runs[split].measures[measure]) for split in range(self.n_splits)]  # type: ignore[index]

    def of_set(self, learner: str, name: str, measure: str) -> Estimate:
        """Of one set, over its splits."""
        return estimate_of_splits(self.values(learner, name, measure), self._test_share)

    def mean(self, learner: str, measure: str, sets: Sequence[str] | None = None) -> Estimate:
        """Over the sets that it finished (of those named), with the interval over splits."""
        names = [name for name in self.finished(learner) if sets is None or name in sets]
        if not names:
            unknown = float("nan")
            return Estimate(unknown, unknown, unknown, unknown)
        table = np.array([self.values(learner, name, measure) for name in names])
        return estimate_of_splits(table.mean(axis=0), self._test_share)

    def difference(self, learner: str, other: str, measure: str) -> Difference:
        """On the sets that both finished."""
        shared = [name for name in self.finished(learner) if name in self.finished(other)]
        gaps = [
            float(np.mean(self.values(learner, name, measure)) - np.mean(self.values(other, name, measure)))
            for name in shared
        ]
        if not gaps:
            return Difference(float("nan"), float("nan"), float("nan"), 0)
        return Difference(float(np.mean(gaps)), *interval_over_sets(gaps), len(gaps))

    def ranks(
        self, learners: Sequence[str], measure: str, lower_is_better: bool = False
    ) -> RankComparison | None:
        """Of the learners that finished every set; None if there is nothing to compare."""
        ranked = [name for name in learners if self.finished(name) == self.sets]
        if len(ranked) < 2 or len(self.sets) < 2:
            return None
        table = {
            learner: [self.of_set(learner, name, measure).mean for name in self.sets] for learner in ranked
        }
        return compare_ranks(table, lower_is_better=lower_is_better)

    def _has_all(self, learner: str, name: str) -> bool:
        runs = self._runs.get((learner, name), {})
        return len(runs) == self.n_splits and all(run.measures is not None for run in runs.values())
