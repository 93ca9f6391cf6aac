"""What the study of self-tuning trees measures, and where it is kept while the study runs."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from studies.evaluation import Floats
from studies.self_tuning_methods import EVERY_METHOD, nodes_and_depth
from studies.self_tuning_sets import TEST_SHARE, division, load
from studies.statistics import estimate_of_splits
from thriftree.tuning.estimates import Estimate


@dataclass(frozen=True)
class DivisionTask:
    """One learner on one division of one data set's rows."""

    folder: Path
    data: str
    method: str
    repeat: int

    def __str__(self) -> str:
        return f"{self.data}, {self.method}, repeat {self.repeat + 1}"


@dataclass(frozen=True)
class DivisionScore:
    """How one learner did on one division."""

    accuracy: float  # share of the test rows
    nodes: int
    depth: int
    seconds: float  # of one core, to fit; tuning included


SCORES = tuple(field.name for field in fields(DivisionScore))


def measure(task: DivisionTask) -> DivisionScore:
    """Fit on the training rows, and score on the test rows."""
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


def gather(tasks: Iterable[DivisionTask], scores: Iterable[DivisionScore]) -> dict[str, DivisionResults]:
    """The results of each data set."""
    every: dict[str, dict[str, list[DivisionScore]]] = {}
    for task, score in zip(tasks, scores, strict=True):
        every.setdefault(task.data, {}).setdefault(task.method, []).append(score)
    return {name: DivisionResults(of_set) for name, of_set in every.items()}


class Record:
    """A file of scores to which each is added as soon as it is known, so that nothing is measured twice.

    `resume` keeps what the file has; otherwise it starts empty.
    """

    HEADER = ("set", "method", "repeat", *SCORES)

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        self._known: dict[tuple[str, str, int], DivisionScore] = {}
        if resume and path.is_file():
            self._read()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        self._write(self.HEADER, "w")

    def __getitem__(self, task: DivisionTask) -> DivisionScore:
        return self._known[task.data, task.method, task.repeat]

    def __contains__(self, task: DivisionTask) -> bool:
        return (task.data, task.method, task.repeat) in self._known

    def add(self, task: DivisionTask, score: DivisionScore) -> None:
        """Keep one more score."""
        self._known[task.data, task.method, task.repeat] = score
        self._write((task.data, task.method, task.repeat, *astuple(score)), "a")

    def _write(self, row: Sequence[object], mode: str) -> None:
        with self.path.open(mode, encoding="utf-8", newline="") as file:
            csv.writer(file).writerow(row)

    def _read(self) -> None:
        with self.path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            if next(rows, None) != list(self.HEADER):
                raise ValueError(f"{self.path} is no record of this study: leave out --resume to replace it")
            for name, method, repeat, accuracy, nodes, depth, seconds in rows:
                score = DivisionScore(float(accuracy), int(nodes), int(depth), float(seconds))
                self._known[name, method, int(repeat)] = score
