"""Learners of several libraries by one interface: fit, predict, and how much a person has to read and answer.

*Leaves* are those of all trees of the model, *questions* the tests on the way of a row through them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class StudyModel(Protocol):
    """What the study asks of a learner. `leaves` and `questions` are None where a model is no tree."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Of a classifier."""

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Learn, with what tuning takes."""

    def predict(self, X: Any) -> NDArray[Any]:
        """An answer for each row."""

    def predict_proba(self, X: Any) -> Floats:
        """Rows x classes, of a classifier."""

    def leaves(self) -> int | None:
        """Of all its trees."""

    def questions(self, X: Any) -> float | None:
        """The mean over rows."""


class Ours:
    """One of this library's estimators."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Learn from the frame as it is."""
        self.estimator.fit(X, y)
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """Of a classifier."""
        return np.asarray(self.estimator.classes_)

    def predict(self, X: Any) -> NDArray[Any]:
        """An answer for each row."""
        return np.asarray(self.estimator.predict(X))

    def predict_proba(self, X: Any) -> Floats:
        """Rows x classes."""
        return np.asarray(self.estimator.predict_proba(X), dtype=np.float64)

    def leaves(self) -> int:
        """Of its tree."""
        return int(self.estimator.tree_.n_leaves)

    def questions(self, X: Any) -> float:
        """Tests on the path, the mean over rows."""
        return float(self.estimator.decision_path(X).sum(axis=1).mean() - 1)


class Encoded:
    """An estimator of scikit-learn's kind that takes numbers only: categories become columns of zeros and
    ones, and, if it takes no missing values, they become the median.

    `size(estimator, table)` gives leaves and mean questions; None for a model that is no tree.
    """

    def __init__(
        self,
        estimator: Any,
        size: Callable[[Any, Floats], tuple[int, float]] | None,
        *,
        impute: bool = False,
        scale: bool = False,
        codes: bool = False,
    ) -> None:
        self.estimator = estimator
        self._size = size
        self._impute = impute
        self._scale = scale
        self._codes = codes  # whether it wants classes by number

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Learn how to encode, then learn."""
        self._encoder = _encoder(X, self._impute, self._scale).fit(X)
        labels = y
        if self._codes:
            self.classes_, labels = np.unique(y, return_inverse=True)
        self._fitted = self.estimator.fit(self._numbers(X), labels)
        if not self._codes and hasattr(self._fitted, "classes_"):
            self.classes_ = np.asarray(self._fitted.classes_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """An answer for each row."""
        answers = np.asarray(self._fitted.predict(self._numbers(X)))
        return np.asarray(self.classes_[answers.astype(np.intp)]) if self._codes else answers

    def predict_proba(self, X: Any) -> Floats:
        """Rows x classes."""
        return np.asarray(self._fitted.predict_proba(self._numbers(X)), dtype=np.float64)

    def leaves(self) -> int | None:
        """Of all its trees."""
        if self._size is None:
            return None
        return self._size(self._fitted, np.zeros((1, self._encoder.n_features_out)))[0]

    def questions(self, X: Any) -> float | None:
        """Tests on the path, the mean over rows."""
        return None if self._size is None else self._size(self._fitted, self._numbers(X))[1]

    def _numbers(self, X: Any) -> Floats:
        return self._encoder.transform(X)


class _Encoder:
    """scikit-learn's encoding of a frame, as one array."""

    def __init__(self, columns: Any) -> None:
        self._columns = columns

    def fit(self, X: Any) -> Self:
        self.n_features_out = int(self._columns.fit_transform(X).shape[1])
        return self

    def transform(self, X: Any) -> Floats:
        return np.asarray(self._columns.transform(X), dtype=np.float64)


def _encoder(X: Any, impute: bool, scale: bool) -> _Encoder:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    numbers = list(X.select_dtypes(include=["number", "bool"]).columns)
    names = [column for column in X.columns if column not in numbers]
    of_numbers: list[Any] = [FunctionTransformer()]
    if impute:
        of_numbers.append(SimpleImputer(strategy="median", keep_empty_features=True))
    if scale:
        of_numbers.append(StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return _Encoder(
        ColumnTransformer([("numbers", make_pipeline(*of_numbers), numbers), ("names", one_hot, names)])
    )
