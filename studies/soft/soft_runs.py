"""What is measured in one run: one learner, one fold of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import KFold, StratifiedKFold

from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.harness.tables import Kind, Rows, StudyTable
from studies.harness.versions import installed, of
from studies.soft.soft_learners import CLASSIFIERS, REGRESSORS
from studies.which_tree import sets
from studies.which_tree.learners import TreeLearner
from studies.which_tree.measures import cpu_timed, in_class_order, with_warnings

STUDY: Final = "soft trees"
MEANING: Final = 1  # of the measures: one more when any of them comes to mean something else
FOLDS: Final = 5
MOST_ROWS: Final = 3000
#: The first ten in the alphabet of those that decide no default and are not wide.
CLASS_SETS: Final = tuple(name for name in sets.CLASSES if not sets.decides(name))[:10]
NUMBER_SETS: Final = ("abalone-reg", "boston", "wine-quality-white:numbers")
SETS: Final = (*CLASS_SETS, *NUMBER_SETS)


@dataclass(frozen=True)
class SoftTask:
    """What a process needs to know."""

    folder: Path
    data: str
    split: int
    learner: str
    max_rows: int


def kind_of(name: str) -> Kind:
    """Of a set of the study."""
    return "numbers" if name in NUMBER_SETS else "classes"


def learners_for(name: str) -> Mapping[str, TreeLearner]:
    """Those that learn the set's kind of target."""
    return REGRESSORS if kind_of(name) == "numbers" else CLASSIFIERS


def missing_packages() -> dict[str, list[str]]:
    """By learner, the packages that are not installed."""
    every = {**REGRESSORS, **CLASSIFIERS}
    lacking = {name: [p for p in learner.packages if installed(p) is None] for name, learner in every.items()}
    return {name: packages for name, packages in lacking.items() if packages}


def planned_runs(
    folder: Path, names: Sequence[str], learners: Sequence[str] | None, repeats: int, max_rows: int
) -> Iterator[PlannedRun[SoftTask]]:
    """Fold by fold, so that what is there after a while is whole folds."""
    lacking = missing_packages()
    for split in range(FOLDS * repeats):
        for name in names:
            for learner in learners_for(name).values():
                if learner.name in lacking or (learners and learner.name not in learners):
                    continue
                task = SoftTask(folder, name, split, learner.name, max_rows)
                settings = {**learner.settings, "max_rows": max_rows, "meaning": MEANING}
                key = RunKey(STUDY, name, split, learner.name, settings, of(learner.packages))
                yield PlannedRun(key, task)


def fold(table: StudyTable, split: int) -> tuple[Rows, Rows]:
    """Training and test rows: folds 0 to 4 are those of the first repetition."""
    seed = split // FOLDS
    by = StratifiedKFold if table.kind == "classes" else KFold
    folds = by(FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(table.y)), table.y)
    train, test = list(folds)[split % FOLDS]
    return train, test


def measure(task: SoftTask) -> dict[str, Any]:
    """The measures of a run."""
    return with_warnings(lambda: _measured(task))


def _measured(task: SoftTask) -> dict[str, Any]:
    kind = kind_of(task.data)
    table = sets.load(task.data, kind, task.folder, task.max_rows)
    train, test = fold(table, task.split)
    learner = learners_for(task.data)[task.learner]
    model = learner.make(learner.settings, task.split)
    with cpu_timed() as taken:
        model.fit(table.X.iloc[train], table.y[train])
    X, y = table.X.iloc[test], table.y[test]
    size = {"leaves": model.leaves(), "fit_s": taken["seconds"]}
    if kind == "numbers":
        return {"score": float(r2_score(y, model.predict(X))), **size}
    classes = np.unique(table.y)
    shares = in_class_order(model.predict_proba(X), model.classes_, classes)
    return {
        "score": float(np.mean(model.predict(X) == y)),
        "log_loss": float(log_loss(y, shares, labels=classes)),
        **size,
    }
