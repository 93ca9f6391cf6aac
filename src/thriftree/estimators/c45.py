"""C4.5: gain ratio, a branch for every category, pruning by the errors to expect."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.parameters import (
    CLASSIFIER_PARAMETERS,
    COST_BENEFIT_PARAMETERS,
    TREE_PARAMETERS,
    Constraints,
)
from thriftree.learning import growth
from thriftree.learning.pruning import Pruning


class C45Classifier(TreeClassifier):
    """Classification tree chosen by gain ratio and pruned by expected errors (Quinlan 1993 and 1996: C4.5
    release 8).

    Among the columns whose best test gains at least the average, the one of largest gain ratio is taken.
    Categories get a branch each; numbers are tested by `x <= t`, and their gain is lowered by
    log2(N - 1) / n for choosing among N - 1 thresholds. On each side a threshold leaves a tenth of the mean
    weight of a class at the node, though no more than 25 is asked for. Three things differ from Quinlan's
    program. A row with a missing value is not split among branches: missing values go to the side of a
    threshold that serves the criterion best, or to a branch of their own under categories. A category that a
    node has not seen follows the heaviest branch. And a threshold lies midway between two values.
    docs/guide/c45.md compares the trees with those of Weka's J48.

    Parameters
    ----------
    pruning : {"error_based"} or None, default="error_based"
        A subtree is replaced by a leaf, or by its largest branch, where that is not expected to make more
        errors.
    confidence : float, default=0.25
        Level of the upper confidence limit that stands for a leaf's error on new rows; smaller prunes more.
    raising : bool, default=True
        Whether a subtree may be replaced by its largest branch.
    min_leaf : int or float, default=2
        What at least two branches of every test must keep: int, rows; float, a share of the total weight.

    The other parameters mean what they mean in `CARTClassifier`.

    Examples
    --------
    >>> from thriftree import C45Classifier
    >>> X = [[0.1], [0.2], [0.3], [0.4], [0.6], [0.7], [0.8], [0.9]]
    >>> model = C45Classifier().fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.tree_.n_leaves
    2
    """

    _category_tests = growth.MULTIWAY
    _parameter_constraints: ClassVar[Constraints] = {
        "pruning": [StrOptions({"error_based"}), None],
        "confidence": [Interval(Real, 0.0, 1.0, closed="right")],
        "raising": ["boolean"],
        **TREE_PARAMETERS,
        **COST_BENEFIT_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        pruning: str | None = "error_based",
        confidence: float = 0.25,
        raising: bool = True,
        min_leaf: float = 2,
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
        cost_benefit: bool = False,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.pruning = pruning
        self.confidence = confidence
        self.raising = raising
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
        self.cost_benefit = cost_benefit
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return "gain_ratio"

    def _rules(self) -> dict[str, Any]:
        quinlan = ("threshold_penalty", "threshold_minimum", "average_gain_guard")
        return super()._rules() | dict.fromkeys(quinlan, True)

    def _pruning(self) -> Pruning:
        return Pruning(method=self.pruning, confidence=self.confidence, raising=self.raising)
