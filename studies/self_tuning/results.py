"""What the study of self-tuning trees measures, as runs, and what its scores come to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from studies.evaluation import Floats
from studies.harness import versions
from studies.harness.kept import KeptRun
from studies.harness.record import RunKey, StudyRun
from studies.harness.runs import PlannedRun
from studies.self_tuning.methods import EVERY_METHOD, nodes_and_depth
from studies.self_tuning.sets import TEST_SHARE, division, load
from studies.statistics import estimate_of_splits
from thriftree.tuning.estimates import Estimate

NAME = "self tuning"


@dataclass(frozen=True)
class DivisionTask:
    """One learner on one division of one data set's rows."""

    folder: Path
    data: str
    method: str
    repeat: int


@dataclass(frozen=True)
class DivisionScore:
    """How one learner did on one division."""

    accuracy: float  # share of the test rows
    nodes: int
    depth: int
    seconds: float  # of one core, to fit; tuning included


def planned(
    folder: Path, sets: Sequence[str], methods: Sequence[str], repeats: int
) -> Iterator[PlannedRun[DivisionTask]]:
    """Repeats come one after the other, so that a study that was interrupted has whole ones."""
    used = versions.of(["thriftree", "scikit-learn"])
    for repeat in range(repeats):
        for name in sets:
            for method in methods:
                key = RunKey(f"{NAME}: divisions", name, repeat, method, {"test_share": TEST_SHARE}, used)
                yield PlannedRun(key, DivisionTask(folder, name, method, repeat))


def measure(task: DivisionTask) -> dict[str, Any]:
    """Fit on the training rows, and score on the test rows."""
    return asdict(_score(task))


def _score(task: DivisionTask) -> DivisionScore:
    data = load(task.folder, task.data)
    train, test = division(len(data.y), task.repeat)
    X_train = _safe_indexing(data.X, train)
    learner = EVERY_METHOD[task.method].make(task.repeat)
    with threadpool_limits(limits=1):  # the learners use one thread, and numpy's algebra must not use more
        start = time.process_time()  # what other processes take does not count
        model = learner.fit(X_train, data.y[train])
        seconds = time.process_time() - start
    right = model.predict(_safe_indexing(data.X, test)) == data.y[test]
    return DivisionScore(float(np.mean(right)), *nodes_and_depth(model), seconds)


@dataclass(frozen=True)
class DivisionResults:
    """The scores of several learners on one data set: a list a learner, in the order of the repeats."""

    scores: Mapping[str, Sequence[DivisionScore]]

    def mean(self, method: str, score: str) -> float:
        """One learner's mean of one score."""
        return float(self._values(method, score).mean())

    def of(self, method: str, score: str) -> Estimate:
        """The same with its error."""
        return _estimate(self._values(method, score))

    def difference(self, method: str, other: str, score: str) -> Estimate:
        """How much more `method` has of `score` than `other`, division by division."""
        return _estimate(self._values(method, score) - self._values(other, score))

    def _values(self, method: str, score: str) -> Floats:
        return np.array([getattr(s, score) for s in self.scores[method]], dtype=np.float64)


def _estimate(values: Floats) -> Estimate:
    return estimate_of_splits(values, TEST_SHARE)


def gather(runs: Sequence[StudyRun] | Sequence[KeptRun]) -> dict[str, DivisionResults]:
    """The results of each data set, by learner, in the order of the repeats."""
    every: dict[str, dict[str, dict[int, DivisionScore]]] = {}
    for run in runs:
        of = run.key if isinstance(run, StudyRun) else run
        if run.measures is not None:
            by_repeat = every.setdefault(of.data, {}).setdefault(of.learner, {})
            by_repeat[of.split] = DivisionScore(**run.measures)
    return {
        name: DivisionResults(
            {method: [score for _, score in sorted(found.items())] for method, found in of_set.items()}
        )
        for name, of_set in every.items()
    }
