"""Which runs the study has, and by what each is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studies.harness import versions
from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.harness.tables import MOST_ROWS, TEST_SHARE
from studies.which_tree import sets
from studies.which_tree.measures import MEANING, N_BUDGETS, Part, TreeTask, learners_of

PARTS: tuple[Part, ...] = ("classes", "numbers", "prices")


@dataclass(frozen=True)
class StudyPlan:
    """How much is measured."""

    folder: Path
    of_part: Mapping[Part, Sequence[str]]  # the sets of each part
    splits: int
    max_rows: int | None = MOST_ROWS
    learners: Sequence[str] | None = None  # None: all

    @classmethod
    def whole(cls, folder: Path, splits: int, max_rows: int | None = MOST_ROWS) -> StudyPlan:
        """All sets but the wide ones."""
        of_part: dict[Part, Sequence[str]] = {
            "classes": sets.CLASSES,
            "numbers": sets.NUMBERS,
            "prices": (*sets.REAL_PRICES, *sets.MADE_PRICES),
        }
        return cls(folder, of_part, splits, max_rows)

    @classmethod
    def quick(cls, folder: Path) -> StudyPlan:
        """Six small sets, two splits."""
        of_part: dict[Part, Sequence[str]] = {
            "classes": sets.QUICK_CLASSES,
            "numbers": sets.QUICK_NUMBERS,
            "prices": sets.QUICK_PRICES,
        }
        return cls(folder, of_part, 2)

    def missing(self) -> dict[str, str]:
        """Learners whose library is not installed, with the library."""
        return {
            name: package
            for part in PARTS
            for name, learner in learners_of(part).items()
            for package in learner.packages
            if versions.installed(package) is None
        }

    def runs(self) -> Iterator[PlannedRun[TreeTask]]:
        """Split after split, so that a study that was interrupted has whole ones."""
        for split in range(self.splits):
            for part in PARTS:
                for data in self.of_part[part]:
                    yield from self._runs_of(part, data, split)

    def _runs_of(self, part: Part, data: str, split: int) -> Iterator[PlannedRun[TreeTask]]:
        missing = self.missing()
        for name, learner in learners_of(part).items():
            if name in missing or (self.learners is not None and name not in self.learners):
                continue
            settings = {**learner.settings, "study": self._settings(part)}
            key = RunKey(f"which tree: {part}", data, split, name, settings, versions.of(learner.packages))
            yield PlannedRun(key, TreeTask(part, self.folder, data, split, name, self.max_rows))

    def _settings(self, part: Part) -> dict[str, float | int | None]:
        """What changes all results."""
        shared: dict[str, float | int | None] = {
            "max_rows": self.max_rows,
            "test_share": TEST_SHARE,
            "meaning": MEANING,
        }
        return {**shared, "budgets": N_BUDGETS} if part == "prices" else shared
