"""What a fitted soft tree answers, beside its predictions."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.utils.validation import check_is_fitted

from thriftree.estimators.features import checked_features
from thriftree.estimators.soft_distillation import distilled
from thriftree.explain.soft_explanation import SoftExplanation
from thriftree.learning import targets
from thriftree.learning.limits import Limits, threads_of
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.table.coding import read_codes
from thriftree.tree import Tree


class SoftAnswers:
    """Of an estimator that has a `soft_tree_`."""

    soft_tree_: SoftTree
    n_jobs: int | None
    categorical_features: Any

    def path_probabilities(self, X: Any) -> targets.Floats:
        """Per row: the probability of reaching each gate, in preorder, then each leaf. Those of the leaves
        sum to 1.
        """
        X = self._features(X)
        return self.soft_tree_.path_probabilities(X, n_threads=threads_of(self.n_jobs))

    def get_depth(self) -> int:
        """Gates on the longest path; 0 for a tree that is one leaf."""
        check_is_fitted(self)
        return self.soft_tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.soft_tree_.n_leaves

    def to_tree(self, X: Any, *, max_leaves: int | None = None) -> Tree:
        """A hard tree that answers to the rows of `X` as this one does, as nearly as it can with so many
        leaves (None: as many as the soft tree has): the CART of the soft answers.

        Its `settings` say how far the two agree: "agreement" is the share of the rows that get the same
        label, "r2" that of numbers.
        """
        X = self._features(X)
        limits = Limits.of(self.n_jobs, None, None)
        read = partial(read_codes, categorical_features=self.categorical_features, n_threads=limits.n_threads)
        most = self.soft_tree_.n_leaves if max_leaves is None else max_leaves
        return distilled(self.soft_tree_, X, read, most, limits)

    def predict_cost(self, X: Any) -> targets.Floats:
        """What each row is expected to pay: Σ probability of reaching a gate × what it adds to the price, by
        the prices given to `fit`. A gate buys the columns that it weighs by more than 0.1 (standardised), and
        so does a linear leaf. Without prices every gate costs 1.
        """
        X = self._features(X)
        return self.soft_tree_.predict_cost(X, n_threads=threads_of(self.n_jobs))

    def expected_cost(self, X: Any, sample_weight: Any = None) -> float:
        """The mean of `predict_cost` over the rows of X, weighted by `sample_weight`."""
        X = self._features(X)
        return self.soft_tree_.expected_cost(X, sample_weight)

    def explain(self, row: Any) -> SoftExplanation:
        """What the soft tree says of one row and why; see `SoftTree.explain`."""
        check_is_fitted(self)
        return self.soft_tree_.explain(row)

    def _features(self, X: Any) -> Any:
        check_is_fitted(self)
        return checked_features(self, X, reset=False)
