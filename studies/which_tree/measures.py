"""What is measured in one run: one learner, one split of one table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, r2_score
from threadpoolctl import threadpool_limits

from studies.evaluation import area_under_curve
from studies.harness.tables import StudyTable, divide
from studies.statistics import hypervolume
from studies.which_tree import sets
from studies.which_tree.budgets import BUDGET_LEARNERS, ROUNDING, PricedRows
from studies.which_tree.fitted import StudyModel
from studies.which_tree.learners import CLASSIFIERS, REGRESSORS, TreeLearner

Part = Literal["classes", "numbers", "prices"]
Floats = NDArray[np.float64]

MEANING = (
    1  # of the measures: one more when any of them comes to mean something else, so that all are taken anew
)
N_BUDGETS = 6
_MOST_WARNINGS = 3  # that are kept of a run


@dataclass(frozen=True)
class TreeTask:
    """What a process needs to know."""

    part: Part
    folder: Path | None
    data: str
    split: int
    learner: str
    max_rows: int | None


def measure(task: TreeTask) -> dict[str, Any]:
    """The measures of a run; what the libraries warned of stands among them."""
    return with_warnings(
        lambda: {"classes": _of_classes, "numbers": _of_numbers, "prices": _of_prices}[task.part](task)
    )


def with_warnings(measure_run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a run on one thread measures, and what the libraries warned of."""
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(limits=1):
        warnings.simplefilter("always")
        measures = measure_run()
    heard = sorted({f"{one.category.__name__}: {str(one.message).splitlines()[0][:100]}" for one in caught})
    return measures | ({"warnings": heard[:_MOST_WARNINGS]} if heard else {})


def _of_classes(task: TreeTask) -> dict[str, Any]:
    table = sets.load(task.data, "classes", task.folder, task.max_rows)
    model, X, y, size = _fitted(task, table, CLASSIFIERS[task.learner])
    classes = np.unique(table.y)
    shares = in_class_order(model.predict_proba(X), model.classes_, classes)
    return {
        "accuracy": float(np.mean(model.predict(X) == y)),
        "log_loss": float(log_loss(y, shares, labels=classes)),
        "auc": area_under_curve(y, shares, classes),
        **size,
    }


def _of_numbers(task: TreeTask) -> dict[str, Any]:
    table = sets.load(task.data, "numbers", task.folder, task.max_rows)
    model, X, y, size = _fitted(task, table, REGRESSORS[task.learner])
    return {"r2": float(r2_score(y, model.predict(X))), **size}


def _fitted(
    task: TreeTask, table: StudyTable, learner: TreeLearner
) -> tuple[StudyModel, Any, NDArray[Any], dict[str, Any]]:
    """A model of the training rows, the test rows, and what it takes to read, to answer and to fit."""
    train, test = divide(table.y, task.split, table.kind)
    model = learner.make(learner.settings, task.split)
    with cpu_timed() as taken:
        model.fit(table.X.iloc[train], table.y[train])
    X = table.X.iloc[test]
    size = {"leaves": model.leaves(), "questions": model.questions(X), "fit_s": taken["seconds"]}
    return model, X, table.y[test], size


def _of_prices(task: TreeTask) -> dict[str, Any]:
    assert task.folder is not None
    priced = sets.load_priced(task.data, task.folder, task.max_rows)
    X, y = priced.table.X, priced.table.y
    train, test = divide(y, task.split, "classes")
    budgets = budgets_of(priced)
    learner = BUDGET_LEARNERS[task.learner]
    rows = PricedRows(X.iloc[train], y[train], priced.costs, task.split)
    with cpu_timed() as taken:
        answers = list(learner.answers(rows, X.iloc[test], budgets))
    for budget, answer in zip(budgets, answers, strict=True):
        if answer.worst_case > budget * ROUNDING or answer.prices.max() > answer.worst_case * ROUNDING:
            raise AssertionError(f"a path of {answer.worst_case:g} with a budget of {budget:g}")
    accuracy = [float(np.mean(answer.labels == y[test])) for answer in answers]
    price = [float(answer.prices.mean()) for answer in answers]
    labels, counts = np.unique(y[train], return_counts=True)
    without_tests = float(np.mean(y[test] == labels[counts.argmax()]))
    return {
        "budgets": list(budgets),
        "accuracy": accuracy,
        "price": price,
        "mean_accuracy": float(np.mean(accuracy)),
        "hypervolume": relative_hypervolume(price, accuracy, priced.everything, without_tests),
        "fit_s": taken["seconds"],
    }


def budgets_of(priced: sets.PricedTable) -> tuple[float, ...]:
    """From the price of the cheapest test to that of all, by a constant factor."""
    bound = priced.costs.bind([str(name) for name in priced.table.X.columns])
    least = min(bound.together([i]) for i in range(len(bound.names)))
    return tuple(float(b) for b in np.geomspace(least, priced.everything, N_BUDGETS))


def relative_hypervolume(
    price: list[float], accuracy: list[float], everything: float, without_tests: float
) -> float:
    """The area that (price, accuracy) dominate, of 1: from no test at all to all right for nothing."""
    points = list(zip(price, accuracy, strict=True))
    return hypervolume(points, (everything, without_tests)) / (everything * (1 - without_tests))


def in_class_order(shares: Floats, classes: NDArray[Any], every: NDArray[Any]) -> Floats:
    """A column for every class, those that training did not have with 0; rows that sum to 1."""
    whole = np.zeros((len(shares), len(every)))
    whole[:, np.searchsorted(every, classes)] = shares
    return np.asarray(whole / whole.sum(axis=1, keepdims=True))


@contextmanager
def cpu_timed() -> Iterator[dict[str, float]]:
    """Seconds of this process: what others take does not count."""
    taken: dict[str, float] = {}
    start = time.process_time()
    yield taken
    taken["seconds"] = round(time.process_time() - start, 4)


def learners_of(part: Part) -> Mapping[str, Any]:
    """Those of a part of the study, by name."""
    return {"classes": CLASSIFIERS, "numbers": REGRESSORS, "prices": BUDGET_LEARNERS}[part]
