"""ID3: a branch for every category, chosen by information gain."""

from __future__ import annotations

from typing import Any, ClassVar

from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS, Constraints
from thriftree.learning import growth
from thriftree.learning.pruning import Pruning


class ID3Classifier(TreeClassifier):
    """Classification tree with a branch for every category, chosen by information gain (Quinlan 1986).

    A category column is tested at most once on a path, with one branch for each category seen at the node and
    one for missing values. Numbers, which ID3 did not know, are tested by `x <= t` as in C4.5. The tree is
    not pruned. Information gain prefers columns of many categories; `C45Classifier` corrects that.

    The parameters mean what they mean in `CARTClassifier`.

    Examples
    --------
    >>> from thriftree import ID3Classifier
    >>> sky = [["sun"], ["rain"], ["snow"], ["sun"]]
    >>> model = ID3Classifier(categorical_features=[0]).fit(sky, ["walk", "read", "ski", "walk"])
    >>> model.tree_.n_leaves
    3
    """

    _category_tests = growth.MULTIWAY
    _parameter_constraints: ClassVar[Constraints] = {**TREE_PARAMETERS, **CLASSIFIER_PARAMETERS}

    def __init__(
        self,
        *,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_mass: float = 0.0,
        min_decrease: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        class_weight: Any = None,
        error_costs: Any = None,
        costs: Any = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_mass = min_mass
        self.min_decrease = min_decrease
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return "entropy"

    def _pruning(self) -> Pruning:
        return Pruning(method=None)
