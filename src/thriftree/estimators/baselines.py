"""The baselines of paper 000: impure pairs (IP) and the most even split (BAL)."""

from __future__ import annotations

from typing import Any, ClassVar

from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.object_tree import OBJECT_TREE_PARAMETERS, ObjectTree
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, COST_BENEFIT_PARAMETERS, Constraints
from thriftree.learning.sample import Sample


class ImpurePairsClassifier(ObjectTree, TreeClassifier):
    """Classification tree that separates pairs of objects of different classes (Golovin, Krause and Ray 2010;
    Cicalese, Laber and Saettler 2014).

    The baseline IP of paper 000: a test is chosen by the number of such pairs that it separates, φ(S) minus
    the sum of φ over its branches. Rows that are equal in all columns are one object, as in
    `EnhancedTreeClassifier`. The tree reports, and is pruned by, gini.

    Parameters
    ----------
    weighted : bool, default=False
        Whether pairs count by the weight of the rows they are among, p(S)·φ(S) minus the sum of p(S_v)·φ(S_v)
        over the branches, as in the program of the paper's authors.
    cost_benefit : bool, default=False
        Whether the pairs are divided by what the test adds to the price of the path.
    multiway : bool, default=False
        Whether a category column is tested by a branch for each category, not by two sets.

    The other parameters mean what they mean in `CARTClassifier`.

    Examples
    --------
    >>> from thriftree import ImpurePairsClassifier
    >>> model = ImpurePairsClassifier().fit([[0, 1], [1, 1], [2, 0], [3, 0]], [0, 0, 1, 1])
    >>> model.tree_.n_leaves
    2
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "weighted": ["boolean"],
        **OBJECT_TREE_PARAMETERS,
        **COST_BENEFIT_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        weighted: bool = False,
        cost_benefit: bool = False,
        min_mass: float = 0.0,
        multiway: bool = False,
        pruning: str | None = None,
        alpha: float | str = "cv",
        cv: Any = 5,
        min_gain: float = 0.01,
        validation_fraction: float = 0.2,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
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
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.weighted = weighted
        self.cost_benefit = cost_benefit
        self.min_mass = min_mass
        self.multiway = multiway
        self.pruning = pruning
        self.alpha = alpha
        self.cv = cv
        self.min_gain = min_gain
        self.validation_fraction = validation_fraction
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return "gini"

    def _score(self, rows: Sample) -> dict[str, Any]:
        return {"score": "impure_pairs", "weighted_pairs": self.weighted}


class BalancedClassifier(ObjectTree, TreeClassifier):
    """Classification tree of the most even splits, whatever the classes.

    The baseline BAL of paper 000: a test is chosen by the weight outside its heaviest branch, and only leaves
    look at the classes. Rows that are equal in all columns are one object, as in `EnhancedTreeClassifier`.
    The tree reports, and is pruned by, gini.

    Parameters
    ----------
    cost_benefit : bool, default=False
        Whether that weight is divided by what the test adds to the price of the path.
    multiway : bool, default=False
        Whether a category column is tested by a branch for each category, not by two sets.

    The other parameters mean what they mean in `CARTClassifier`.

    Examples
    --------
    >>> from thriftree import BalancedClassifier
    >>> model = BalancedClassifier(max_depth=1).fit([[0], [1], [2], [9]], [0, 0, 0, 1])
    >>> model.apply([[1], [2]]).tolist()
    [1, 2]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **OBJECT_TREE_PARAMETERS,
        **COST_BENEFIT_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        cost_benefit: bool = False,
        min_mass: float = 0.0,
        multiway: bool = False,
        pruning: str | None = None,
        alpha: float | str = "cv",
        cv: Any = 5,
        min_gain: float = 0.01,
        validation_fraction: float = 0.2,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
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
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.cost_benefit = cost_benefit
        self.min_mass = min_mass
        self.multiway = multiway
        self.pruning = pruning
        self.alpha = alpha
        self.cv = cv
        self.min_gain = min_gain
        self.validation_fraction = validation_fraction
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return "gini"

    def _score(self, rows: Sample) -> dict[str, Any]:
        return {"score": "balance"}
