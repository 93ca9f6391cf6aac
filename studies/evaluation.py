"""How studies compare learners: the same folds for all, five scores a fold, and honest intervals.

Repeated cross-validation trains on overlapping rows, so its scores are not independent, and the textbook
standard error is far too small. Every error here is that of Nadeau and Bengio (2003), which adds the share of
test to training rows: (1/J + test/train) times the variance over J folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from studies.statistics import estimate_of_splits
from thriftree.tuning.estimates import Estimate

Floats = NDArray[np.float64]

N_FOLDS = 5  # unless a study is told otherwise


class PricedModel(Protocol):
    """What a study asks of a fitted learner."""

    classes_: NDArray[Any]
    worst_case_cost_: float

    def predict(self, X: Any) -> NDArray[Any]:
        """A class for each row."""

    def predict_proba(self, X: Any) -> Floats:
        """Rows x classes."""

    def predict_cost(self, X: Any) -> Floats:
        """What each row pays for its tests."""


@dataclass(frozen=True)
class FoldScore:
    """How one learner did on the test rows of one fold."""

    accuracy: float
    auc: float
    price: float  # mean over the test rows
    worst_case: float
    leaves: float


SCORES = tuple(field.name for field in fields(FoldScore))


@dataclass(frozen=True)
class Fold:
    """One division of the rows; the same for every learner."""

    repeat: int
    number: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]

    @property
    def seed(self) -> int:
        """A learner's own seed here, for its inner folds."""
        return 1000 * self.repeat + self.number


def folds_of_repeat(y: NDArray[Any], repeat: int, n_folds: int = N_FOLDS) -> Iterator[Fold]:
    """The folds of one repeat: stratified, shuffled by the repeat's number."""
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=repeat)
    for number, (train, test) in enumerate(splitter.split(np.zeros(len(y)), y)):
        yield Fold(repeat, number, train, test)


def score_fold(
    fit: Callable[[Any, NDArray[Any], int], PricedModel],
    leaves: Callable[[Any], int],
    X: Any,
    y: NDArray[Any],
    fold: Fold,
) -> FoldScore:
    """Fit on the fold's training rows and score on its test rows."""
    model = fit(_safe_indexing(X, fold.train), y[fold.train], fold.seed)
    X_test, y_test = _safe_indexing(X, fold.test), y[fold.test]
    return FoldScore(
        accuracy=float(np.mean(model.predict(X_test) == y_test)),
        auc=area_under_curve(y_test, model.predict_proba(X_test), model.classes_),
        price=float(model.predict_cost(X_test).mean()),
        worst_case=float(model.worst_case_cost_),
        leaves=leaves(model),
    )


def area_under_curve(y: NDArray[Any], probabilities: Floats, classes: NDArray[Any]) -> float:
    """AUC; for more than two classes the mean over those that have both kinds of rows, one against the rest.

    >>> shares = np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]])
    >>> area_under_curve(np.array([0, 1, 1]), shares, np.array([0, 1]))
    1.0
    """
    columns = [1] if len(classes) == 2 else range(len(classes))
    parts = []
    for column in columns:
        is_class = y == classes[column]
        if is_class.any() and not is_class.all():
            parts.append(float(roc_auc_score(is_class, probabilities[:, column])))
    if not parts:
        raise ValueError("the test rows are all of one class, so there is no AUC: use fewer folds")
    return float(np.mean(parts))


def estimate(values: Sequence[float] | Floats, n_folds: int = N_FOLDS) -> Estimate:
    """Mean and error of scores (or of paired differences of scores) over all folds of all repeats.

    >>> estimate([1.0, 2.0, 3.0, 2.0, 2.0])  # doctest: +ELLIPSIS
    Estimate(mean=2.0, error=0.474..., low=0.683..., high=3.316...)
    """
    return estimate_of_splits(values, test_share=1 / n_folds)


@dataclass(frozen=True)
class FoldResults:
    """The scores of several learners on one data set: a list a learner, in the order of the folds."""

    n_folds: int
    scores: Mapping[str, Sequence[FoldScore]]
    without_tests: float = 0.0  # the accuracy of the most frequent class, which costs nothing

    def of(self, method: str, score: str) -> Estimate:
        """One learner's mean of one score."""
        return estimate(self._values(method, score), self.n_folds)

    def difference(self, method: str, other: str, score: str) -> Estimate:
        """How much more `method` has of `score` than `other`, fold by fold."""
        return estimate(self._values(method, score) - self._values(other, score), self.n_folds)

    def useful(self) -> list[str]:
        """The learners that are right more often, on average, than without any test."""
        return [m for m in self.scores if self.of(m, "accuracy").mean > self.without_tests]

    def not_beaten(self) -> list[str]:
        """The useful learners that no other beats on mean accuracy and mean price, cheapest first.

        To beat is to be at least as good in both, and better in one.
        """
        point = {m: (self.of(m, "price").mean, -self.of(m, "accuracy").mean) for m in self.useful()}
        kept = [
            m
            for m, (price, loss) in point.items()
            if not any(p <= price and q <= loss and (p, q) != (price, loss) for p, q in point.values())
        ]
        return sorted(kept, key=lambda m: point[m])

    def _values(self, method: str, score: str) -> Floats:
        return np.array([getattr(s, score) for s in self.scores[method]], dtype=np.float64)
