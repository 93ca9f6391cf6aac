"""Which runs the study has, and by what each is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.enhanced.learners import ALPHAS, LEARNERS, PRICES, SWEEP, TIME_LIMIT_S
from studies.enhanced.measures import MEANING, TABLE, EnhancedTask, Part
from studies.enhanced.sets import QUICK, TABLES
from studies.enhanced.speed import SPEED_LEARNERS, SPEED_ROWS, SPEED_SET
from studies.harness import versions
from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.harness.tables import MOST_ROWS

NAME = "enhanced"


@dataclass(frozen=True)
class EnhancedPlan:
    """How much is measured. Split after split: a study that was interrupted has whole ones."""

    folder: Path
    sets: Sequence[str] = tuple(TABLES)
    splits: int = 5
    max_rows: int | None = MOST_ROWS
    speed: bool = True  # whether time against rows is measured, too

    @classmethod
    def quick(cls, folder: Path) -> EnhancedPlan:
        """Four small sets, two splits."""
        return cls(folder, QUICK, 2, speed=False)

    def runs(self) -> Iterator[PlannedRun[EnhancedTask]]:
        """What is known of each table; the paper's learners; ours, which search for seconds, at the end."""
        for data in self.sets:
            yield self._run("facts", data, 0, TABLE, self.max_rows)
        yield from self._of_learners(ours=False)
        if self.speed:
            for rows in SPEED_ROWS:
                for name in SPEED_LEARNERS:
                    yield self._run("speed", SPEED_SET, 0, name, rows)
        yield from self._of_learners(ours=True)

    def _of_learners(self, *, ours: bool) -> Iterator[PlannedRun[EnhancedTask]]:
        for split in range(self.splits):
            for data in self.sets:
                for prices in PRICES:
                    for name, learner in LEARNERS.items():
                        if prices in learner.prices and learner.ours == ours:
                            yield self._run(prices, data, split, name, self.max_rows)

    def _run(
        self, part: Part, data: str, split: int, learner: str, max_rows: int | None
    ) -> PlannedRun[EnhancedTask]:
        settings: dict[str, Any] = {"max_rows": max_rows, "meaning": MEANING}
        if part == "facts":
            key = RunKey(f"{NAME}: {part}", data, split, learner, settings, versions.of(["scikit-learn"]))
            return PlannedRun(key, EnhancedTask(self.folder, data, split, learner, part, max_rows))
        if LEARNERS[learner].ours:
            settings["time_limit_s"] = TIME_LIMIT_S
        if LEARNERS[learner].enhanced:
            settings["trade_offs"] = list(SWEEP)
        if LEARNERS[learner].prunes:
            settings["alphas"] = list(ALPHAS)
        # Rows stand in the name: the kept results tell runs apart by part, set, split and learner.
        named = f"{data}, {max_rows} rows" if part == "speed" else data
        used = ["thriftree", "scikit-learn"]
        key = RunKey(f"{NAME}: {part}", named, split, learner, settings, versions.of(used))
        return PlannedRun(key, EnhancedTask(self.folder, data, split, learner, part, max_rows))
