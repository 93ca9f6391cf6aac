"""Scores of the study by prices, learner and set, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from studies.enhanced import published
from studies.enhanced.learners import LEARNERS, SAME_AT_UNIT, Prices
from studies.harness.kept import KeptRun, KeptStudy
from studies.statistics import Over, RankComparison, compare_ranks, mean_over_sets, ratio_over_sets

NINE = ("ASR", "IP", "BAL", "CART", "C4.5", "CCART", "CC4.5", "ECART", "EC4.5")
PRUNED = tuple(f"p{name}" for name, learner in LEARNERS.items() if learner.prunes)
RANKED = {
    "unit": ("ASR", "IP", "BAL", "CART", "C4.5", "ECART", "EC4.5", "pCART", "pC4.5", "pECART", "pEC4.5"),
    "random": (*("ASR", "IP", "BAL", "CCART", "CC4.5", "ECART", "EC4.5"), *PRUNED[2:]),
}


class EnhancedScores:
    """All measures. Of a set the splits count that every learner of the paper has measures of."""

    def __init__(self, study: KeptStudy) -> None:
        self.study = study
        self._runs: dict[tuple[str, str, str], dict[int, KeptRun]] = {}
        for run in study.runs:
            self._runs.setdefault((run.part, run.data, run.learner), {})[run.split] = run
        self.splits = {name: self._whole_splits(name) for name in study.about["sets"]}
        self.sets = [name for name, splits in self.splits.items() if splits]

    def runs(
        self, prices: Prices, learners: Iterable[str], sets: Sequence[str] | None = None
    ) -> list[KeptRun]:
        """Those that figures of these learners come from."""
        of = {self._measured_as(prices, learner) for learner in learners}
        return [
            run
            for (part, data, learner), runs in self._runs.items()
            if part == prices and learner in of and data in self.sets
            for run in runs.values()
            if run.split < self.splits[data]
        ]

    def values(self, prices: Prices, data: str, learner: str, measure: str) -> list[float]:
        """One a split. "p" before a learner's name is its pruned version."""
        runs = self._runs[prices, data, self._measured_as(prices, learner)]
        found = []
        for split in range(self.splits[data]):
            measures = runs[split].measures
            assert measures is not None  # of sets that are finished
            found.append(float((measures["pruned"] if learner.startswith("p") else measures)[measure]))
        return found

    def mean(self, prices: Prices, data: str, learner: str, measure: str) -> float:
        """Over splits."""
        return float(np.mean(self.values(prices, data, learner, measure)))

    def published_ratio(self, data: str, learner: str) -> float | None:
        """Expected cost here over the published one, at unit prices; None if nothing was published."""
        theirs = published.figure("cost", data, SAME_AT_UNIT.get(learner, learner))
        return None if theirs is None else self.mean("unit", data, learner, "cost") / theirs

    def published_ratios(self, learner: str, sets: Sequence[str] | None = None) -> Over:
        """The geometric mean of these over sets."""
        found = [self.published_ratio(name, learner) for name in (self.sets if sets is None else sets)]
        return ratio_over_sets([one for one in found if one is not None])

    def cost_ratio(self, prices: Prices, learner: str, other: str) -> dict[str, float]:
        """Expected cost of one learner over that of another, by set."""
        return {
            name: self.mean(prices, name, learner, "cost") / self.mean(prices, name, other, "cost")
            for name in self.sets
        }

    def auc_gain(self, prices: Prices, learner: str, other: str) -> Over:
        """Points of AUC more than another."""
        return mean_over_sets(
            [
                100 * (self.mean(prices, name, learner, "auc") - self.mean(prices, name, other, "auc"))
                for name in self.sets
            ]
        )

    def raw_gain(self, learner: str) -> dict[str, float]:
        """Points of AUC that leaves gain which know the classes of their rows, by set; unit prices."""
        return {
            name: 100
            * (self.mean("unit", name, learner, "auc_raw") - self.mean("unit", name, learner, "auc"))
            for name in self.sets
        }

    def ranks(self, prices: Prices, measure: str) -> RankComparison | None:
        """Of the paper's learners and their pruned versions; None if there are too few sets."""
        if len(self.sets) < 2:
            return None
        table = {
            learner: [self.mean(prices, name, learner, measure) for name in self.sets]
            for learner in RANKED[prices]
        }
        return compare_ranks(table, lower_is_better=measure != "auc")

    def path(self, data: str, learner: str) -> dict[float, tuple[float, float, float]]:
        """By λ: validation AUC, expected cost and leaves, means over splits; unit prices."""
        runs = self._runs["unit", data, learner]
        every = np.array([runs[split].measures["path"] for split in range(self.splits[data])])  # type: ignore[index]
        return {float(row[0]): (float(row[1]), float(row[2]), float(row[3])) for row in every.mean(axis=0)}

    def speed(self) -> dict[str, dict[int, float]]:
        """Seconds of a fit by learner and rows."""
        found: dict[str, dict[int, float]] = {}
        for run in self.study.of("speed"):
            if run.measures is not None:
                rows = int(run.data.rpartition(", ")[2].removesuffix(" rows"))
                found.setdefault(run.learner, {})[rows] = float(run.measures["fit_s"])
        return {name: dict(sorted(of_rows.items())) for name, of_rows in found.items()}

    def failures(self) -> list[KeptRun]:
        """Runs without measures."""
        return [run for run in self.study.runs if run.measures is None]

    def _measured_as(self, prices: Prices, learner: str) -> str:
        name = learner.removeprefix("p")
        return SAME_AT_UNIT.get(name, name) if prices == "unit" else name

    def finished(self, prices: Prices, learner: str) -> list[str]:
        """The sets of which this learner, too, has the splits that count."""
        name = self._measured_as(prices, learner)
        return [data for data in self.sets if self._has(prices, data, name, self.splits[data])]

    def _whole_splits(self, data: str) -> int:
        """How many splits every learner of the paper has, from the first on."""
        wanted = [
            (prices, name)
            for name, learner in LEARNERS.items()
            if not learner.ours
            for prices in learner.prices
        ]
        planned = int(self.study.about["splits"])
        for n_splits in range(planned, 0, -1):
            if all(self._has(prices, data, name, n_splits) for prices, name in wanted):
                return n_splits
        return 0

    def _has(self, prices: str, data: str, learner: str, n_splits: int) -> bool:
        runs = self._runs.get((prices, data, learner), {})
        return all(split in runs and runs[split].measures is not None for split in range(n_splits))
