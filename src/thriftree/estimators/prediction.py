"""What a fitted tree estimator answers. Every method takes the same kind of table that `fit` took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from thriftree.estimators.features import checked_features
from thriftree.learning.limits import threads_of
from thriftree.learning.targets import AnyArray, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from thriftree.tree import Tree


class TreeAnswers:
    """Answers that do not depend on the kind of target."""

    tree_: Tree
    n_jobs: int | None

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Number of the leaf that each row reaches, a node of `tree_`."""
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
        X = self._features(X)
        return self.tree_.predict_labels(X, self.classes_, n_threads=threads_of(self.n_jobs))

    def predict_proba(self, X: Any) -> Floats:
        """Share of each class in the row's leaf, in the order of `classes_`, after adding `smoothing` to
        every class and after `shrinkage`.
        """
        X = self._features(X)
        return self.tree_.predict_proba(X, self.smoothing, n_threads=threads_of(self.n_jobs))

    def predict_log_proba(self, X: Any) -> Floats:
        """Natural logarithm of `predict_proba`: -inf where a class is absent from the leaf, unless
        `smoothing` or `shrinkage` gives it a share.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class NumberAnswers(TreeAnswers):
    """Answers of a regressor."""

    def predict(self, X: Any) -> Floats:
        """Weighted mean of the target over the training rows in the row's leaf, after `shrinkage`."""
        X = self._features(X)
        means: Floats = self.tree_.predict(X, n_threads=threads_of(self.n_jobs))
        return means
