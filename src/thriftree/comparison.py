"""Methods side by side: the same folds for all, and what each scores and costs on rows it has not seen."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from thriftree.distributed.engines import closing_parts, parts_of
from thriftree.distributed.rows_of_parts import RowsOfParts
from thriftree.learning.criteria import TargetKind
from thriftree.learning.limits import Limits, found_any_time
from thriftree.learning.sample import rows_at
from thriftree.learning.targets import kind_of_target
from thriftree.registry import LEARNERS, make_learner
from thriftree.scores import r_squared
from thriftree.table.coding import read_codes
from thriftree.tuning.auc import macro_auc
from thriftree.tuning.estimates import estimate_of_divisions
from thriftree.tuning.loop import Meter, Outcome, TuningLoop

Floats = NDArray[np.float64]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

#: What is compared unless asked otherwise: quick to fit, and each different in kind.
DEFAULT_METHODS: Mapping[TargetKind, tuple[str, ...]] = {
    "classes": ("thrift", "cart", "c45", "enhanced", "worst-case", "chaid", "quest"),
    "numbers": ("thrift", "cart", "enhanced"),
}


@dataclass(frozen=True)
class Scores:
    """What one fitted tree does on rows that did not grow it; None: a score that its target does not have."""

    accuracy: float | None
    auc: float | None
    r2: float | None
    rmse: float | None
    expected_cost: float
    worst_case_cost: float
    leaves: int
    fit_time_s: float


@dataclass(frozen=True)
class MethodResult:
    """One method over all folds: means, and the standard errors of the scores (Nadeau and Bengio 2003)."""

    method: str
    accuracy: float | None
    accuracy_error: float | None
    auc: float | None
    auc_error: float | None
    r2: float | None
    r2_error: float | None
    rmse: float | None
    expected_cost: float
    worst_case_cost: float  # of the most expensive fold
    leaves: float
    fit_time_s: float
    folds: tuple[Scores, ...]


@dataclass(frozen=True)
class Comparison:
    """What `compare` returns; it prints as a table."""

    results: tuple[MethodResult, ...]
    target: TargetKind
    stopped_by: str | None = None  # "interrupt": Ctrl-C came before the other methods were measured

    def table(self) -> list[dict[str, Any]]:
        """A dict for each method: its name and the figures that the target has."""
        rows = []
        for result in self.results:
            row = {name: value for name, value in vars(result).items() if name != "folds"}
            rows.append({name: value for name, value in row.items() if value is not None})
        return rows

    def __str__(self) -> str:
        lines = [list(HEADERS[self.target]), *(cells_of(result) for result in self.results)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if number == 0 else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )


HEADERS: Mapping[TargetKind, tuple[str, ...]] = {
    "classes": ("method", "accuracy", "AUC", "expected", "at worst", "leaves", "fit s"),
    "numbers": ("method", "r2", "rmse", "expected", "at worst", "leaves", "fit s"),
}


def cells_of(result: MethodResult) -> list[str]:
    """The figures of a method as texts, in the order of HEADERS."""
    if result.accuracy is not None:
        auc = "" if result.auc is None else f"{result.auc:.3f}"
        scores = [f"{result.accuracy:.1%} ± {result.accuracy_error or 0:.1%}", auc]
    else:
        scores = [f"{result.r2 or 0:.3f} ± {result.r2_error or 0:.3f}", f"{result.rmse or 0:.4g}"]
    return [
        result.method,
        *scores,
        f"{result.expected_cost:.2f}",
        f"{result.worst_case_cost:.2f}",
        f"{result.leaves:.1f}",
        f"{result.fit_time_s:.2f}",
    ]


@closing_parts()
def compare(
    X: Any,
    y: Any = None,
    costs: Any = None,
    *,
    methods: Sequence[str] | Mapping[str, Any] | None = None,
    target: TargetKind | Literal["auto"] = "auto",
    cv: int = 5,
    sample_weight: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    words: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Fits each method on the same folds, and measures it on the rows that each fold holds out.

    Parameters
    ----------
    X, y, sample_weight
        As in `fit` of the estimators. Of a table in parts the targets come here; the rows of each fold stay
        where they are.
    costs : TestCosts, dict, array or None, default=None
        Price of each test. None: every test costs 1.
    methods : names of `thriftree.registry.METHODS`, a dict of estimators by name, or None
        None: a choice that suits the target.
    target : {"auto", "classes", "numbers"}, default="auto"
        What `y` holds. "auto": what the given estimators learn; else numbers, if they are floats of which
        some are not whole or more than 20 are distinct, and classes otherwise.
    cv : int, default=5
        Folds; of classes stratified.
    random_state : int, default=0
        Seed of the folds and of the methods.
    n_jobs : int or None, default=None
        Processes; None is 1, -1 all.
    words : dict or None, default=None
        Further words for those methods that have them.
    progress : function or None, default=None
        Called with the fits done and their total, after each.

    Returns
    -------
    Comparison
        After Ctrl-C, that of the methods which all folds have measured by then is the attribute `partial`
        of the KeyboardInterrupt.

    Examples
    --------
    >>> from thriftree.comparison import compare
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> result = compare(X, y, heart_prices(), methods=["cart", "c45"], cv=3)
    >>> [row["method"] for row in result.table()]
    ['cart', 'c45']
    """
    parts = parts_of(X, y, sample_weight)
    rows = None if parts is None else RowsOfParts(parts)
    if rows is not None:
        X, y, sample_weight = rows, rows.y, rows.weight
    if target == "auto":
        given = list(methods.values()) if isinstance(methods, Mapping) else []
        target = ("classes" if is_classifier(given[0]) else "numbers") if given else kind_of_target(y)
    offered = {**(words or {}), "costs": costs, "random_state": random_state}
    if isinstance(methods, Mapping):
        models = dict(methods)
    else:
        names = DEFAULT_METHODS[target] if methods is None else tuple(dict.fromkeys(methods))
        models = {name: make_learner(name, target, {}, offered) for name in names}
    y = np.asarray(y)
    weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    if rows is None and all(type(model).__name__ in LEARNERS for model in models.values()):
        X = read_codes(X)  # once for all methods and folds
    folds = _folds(y, target, cv, random_state)
    tasks = [(name, model, fold) for name, model in models.items() for fold in folds]
    limits = Limits.of(None, None, None)
    loop = TuningLoop(limits, candidate_step=Meter(progress, len(tasks)).step)
    done: dict[str, list[Scores]] = {name: [] for name in models}
    said: dict[tuple[str, str], type[Warning]] = {}

    def measure() -> Comparison:
        work = partial(_measured, X, y, weight)
        for name, scores, warned in loop.one_by_one(tasks, work, n_processes=n_jobs if rows is None else 1):
            done[name].append(scores)
            said.update({(name, message): kind for message, kind in warned})
        whole = {name: scores for name, scores in done.items() if len(scores) == len(folds)}
        results = tuple(_summary(name, scores, cv) for name, scores in whole.items())
        return Comparison(results, target, loop.stopped_by)

    compared = found_any_time(measure, limits)
    for (name, message), kind in said.items():
        warnings.warn(f"{name}: {message}", kind, stacklevel=3)
    return compared


def score(model: Any, X: Any, y: NDArray[Any], weight: Floats | None, fit_time_s: float) -> Scores:
    """How a fitted model does on these rows."""
    said = model.predict(X)
    accuracy = auc = r2 = rmse = None
    if hasattr(model, "classes_"):
        accuracy = float(np.average(said == y, weights=weight))
        auc = _auc(model, X, y, weight)
    else:
        r2 = r_squared(y, said, np.ones(len(y)) if weight is None else weight)
        rmse = float(np.sqrt(np.average((said - y) ** 2, weights=weight)))
    return Scores(
        accuracy,
        auc,
        r2,
        rmse,
        expected_cost=float(np.average(model.predict_cost(X), weights=weight)),
        worst_case_cost=float(model.worst_case_cost_),
        leaves=int(model.get_n_leaves()),
        fit_time_s=fit_time_s,
    )


def _auc(model: Any, X: Any, y: NDArray[Any], weight: Floats | None) -> float | None:
    """One class against the rest, averaged; None if these rows are all of one class."""
    own = (y[:, None] == model.classes_[None, :]).astype(np.float64)
    area = macro_auc(model.predict_proba(X), own if weight is None else own * weight[:, None])
    return None if np.isnan(area) else area


def _folds(y: NDArray[Any], target: TargetKind, cv: int, random_state: int) -> list[Fold]:
    if not 2 <= cv <= len(y):
        raise ValueError(f"{cv} folds of {len(y)} rows: take at least 2 folds, and no more than rows")
    if target == "numbers":
        return list(KFold(cv, shuffle=True, random_state=random_state).split(np.zeros(len(y))))
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < cv:
        rare = classes[int(np.argmin(counts))]
        raise ValueError(
            f"the class {rare!s:.60} has {counts.min()} rows, too few for {cv} folds: take fewer "
            "folds, or leave the class out"
        )
    return list(StratifiedKFold(cv, shuffle=True, random_state=random_state).split(np.zeros(len(y)), y))


def _measured(
    X: Any, y: NDArray[Any], weight: Floats | None, task: tuple[str, Any, Fold]
) -> Outcome[tuple[str, Scores, list[tuple[str, type[Warning]]]]]:
    """The name, the scores, and what the fit warned of. The time limit of a model is its own affair."""
    name, model, (train, test) = task
    model = clone(model)
    of_train, of_test = (None, None) if weight is None else (weight[train], weight[test])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(X, RowsOfParts):
            growing, measuring = X.take(train), X.take(test)
            arguments: tuple[Any, ...] = (growing,)
        else:
            growing, measuring = rows_at(X, train), rows_at(X, test)
            arguments = (growing, y[train], of_train)
        start = time.perf_counter()
        model.fit(*arguments)
        seconds = time.perf_counter() - start
        scores = score(model, measuring, y[test], of_test, seconds)
    return (name, scores, [(str(warning.message), warning.category) for warning in caught]), None


def _summary(method: str, folds: Sequence[Scores], cv: int) -> MethodResult:
    means = {name: _mean(getattr(fold, name) for fold in folds) for name in Scores.__dataclass_fields__}
    errors = {
        f"{name}_error": None
        if means[name] is None
        else estimate_of_divisions([getattr(fold, name) for fold in folds], 1 / (cv - 1)).error
        for name in ("accuracy", "auc", "r2")
    }
    worst = max(fold.worst_case_cost for fold in folds)
    return MethodResult(method=method, folds=tuple(folds), **{**means, **errors, "worst_case_cost": worst})  # type: ignore[arg-type]


def _mean(values: Iterator[float | None]) -> float | None:
    known = list(values)
    return None if any(value is None for value in known) else float(np.mean(np.array(known, np.float64)))
