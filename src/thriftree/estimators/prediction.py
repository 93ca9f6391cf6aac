"""What a fitted tree estimator answers. Every method takes the same kind of table that `fit` took."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thriftree.distributed.engines import answered, closing_parts, is_in_parts, parts_of
from thriftree.distributed.questions import RowQuestion
from thriftree.estimators.features import checked_features
from thriftree.learning.limits import threads_of
from thriftree.learning.targets import AnyArray, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from thriftree.tree import Tree


A = TypeVar("A", bound=AnyArray)
# What a frame of answers calls the column of each method.
_COLUMNS: Final = {
    "apply": "leaf",
    "predict": "prediction",
    "predict_cost": "cost",
    "predict_log_proba": "log_probability",
    "predict_proba": "probability",
}


class TreeAnswers:
    """Answers that do not depend on the kind of target."""

    tree_: Tree
    n_jobs: int | None

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Number of the leaf that each row reaches, a node of `tree_`."""
        if is_in_parts(X):
            return self._asked_of_parts(X, "apply", np.empty(0, np.int32))
        X = self._features(X)
        return self.tree_.apply(X, n_threads=threads_of(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """Sparse indicator matrix (rows x nodes) of the nodes that each row passes, root and leaf
        included.
        """
        X = self._features(X)
        return self.tree_.decision_path(X, n_threads=threads_of(self.n_jobs))

    def predict_cost(self, X: Any) -> Floats:
        """What each row pays for the tests on its path: 1 a test, unless `costs` says otherwise."""
        if is_in_parts(X):
            return self._asked_of_parts(X, "predict_cost", np.empty(0))
        X = self._features(X)
        return self.tree_.predict_cost(X, n_threads=threads_of(self.n_jobs))

    def get_depth(self) -> int:
        """Tests on the longest path, as scikit-learn's trees say it; 0 for a tree that is one leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves, as scikit-learn's trees say it."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _asked_of_parts(self, X: Any, method: str, example: A, labels: Any = None, classes: Any = None) -> A:
        """The method's answers about rows that an engine has, a part at a time, as the engine gives them.
        `example` is an answer about no rows. An array to type checkers, since that is what it stands for.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        ask = partial(_ask, copy(self), method, example)  # an engine may ask when this is fitted anew
        columns = None if names is None else list(names)
        answers: A = answered(X, RowQuestion(_COLUMNS[method], ask, example, columns, labels, classes))
        return answers

    def _score_of_parts(
        self, X: Any, y: Any, sample_weight: Any, example: AnyArray, of_classes: bool
    ) -> float | None:
        """The score of a table in parts whose target is a column of it, or lies beside it; None: of others
        scikit-learn can tell.
        """
        if not is_in_parts(X) or not (y is None or isinstance(y, str) or is_in_parts(y)):
            return None
        from thriftree.distributed import scores
        from thriftree.distributed.part_rows import PartReading

        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        predict = partial(_ask, copy(self), "predict", example)
        reading = PartReading(type(self).__name__, of_classes, None)
        asked = scores.Asked(predict, None if names is None else list(names), reading)
        with closing_parts():
            parts = parts_of(X, y, sample_weight, n_threads=threads_of(self.n_jobs))
            assert parts is not None
            return (scores.accuracy if of_classes else scores.r2)(parts, asked)

    def _features(self, X: Any) -> Any:
        check_is_fitted(self)
        return checked_features(self, X, reset=False)


class ClassAnswers(TreeAnswers):
    """Answers of a classifier."""

    classes_: AnyArray
    smoothing: float

    def predict(self, X: Any) -> AnyArray:
        """Label of each row: the heaviest class of its leaf, or the class of least expected cost under
        `error_costs`.
        """
        if is_in_parts(X):
            return self._asked_of_parts(X, "predict", self.classes_[:0], classes=self.classes_.tolist())
        X = self._features(X)
        return self.tree_.predict_labels(X, self.classes_, n_threads=threads_of(self.n_jobs))

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class in the row's leaf, in the order of `classes_`, after adding `smoothing` to
        every class and after `shrinkage`.
        """
        if is_in_parts(X):
            return self._asked_of_parts(
                X, "predict_proba", np.empty((0, len(self.classes_))), self.classes_.tolist()
            )
        X = self._features(X)
        return self.tree_.predict_proba(X, self.smoothing, n_threads=threads_of(self.n_jobs))

    def predict_log_proba(self, X: Any) -> Floats:
        """Natural logarithm of `predict_proba`: -inf where a class is absent from the leaf, unless
        `smoothing` or `shrinkage` gives it a share.
        """
        if is_in_parts(X):
            return self._asked_of_parts(
                X, "predict_log_proba", np.empty((0, len(self.classes_))), self.classes_.tolist()
            )
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class NumberAnswers(TreeAnswers):
    """Answers of a regressor."""

    def predict(self, X: Any) -> Floats:
        """Weighted mean of the target over the training rows in the row's leaf, after `shrinkage`."""
        if is_in_parts(X):
            return self._asked_of_parts(X, "predict", np.empty(0))
        X = self._features(X)
        means: Floats = self.tree_.predict(X, n_threads=threads_of(self.n_jobs))
        return means


def _ask(estimator: Any, method: str, example: AnyArray, rows: Any) -> AnyArray:
    """The method's answer about rows in memory, of which there may be none."""
    if not rows.shape[0]:
        return example
    answer: AnyArray = getattr(estimator, method)(rows)
    return answer
