"""QUEST: a variable by tests of significance, a split by discriminant analysis."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from thriftree import _core
from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.parameters import (
    CLASSIFIER_PARAMETERS,
    PRUNING_PARAMETERS,
    TREE_PARAMETERS,
    Constraints,
)
from thriftree.estimators.pruning_parameters import pruning_asked_of
from thriftree.learning import growth
from thriftree.learning.growth import Plan, Stopped
from thriftree.learning.limits import Limits
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample

# Words of trees that score tests, and QUEST does not: and it has its own order of categories.
_NOT_OFFERED = ("min_decrease", "proportion_encode")


class QUESTClassifier(TreeClassifier):
    """Classification tree whose variables are chosen without favour (Loh and Shih 1997: QUEST).

    A learner that tries every split of every column tends to pick columns that have many. QUEST first chooses
    a column by the p-value of a test: analysis of variance for numbers and ordered columns, chi-squared for
    categories; where none is significant, Levene's test of different spreads. Then it splits that column in
    two, where the normal distributions of two groups of classes cross; categories are first turned into
    numbers by their discriminant coordinate. The tree is grown fully, and pruned by cross-validation.

    A value that is missing takes no part in the tests of its column; it follows the branch that is purer with
    it. docs/guide/quest.md has the method in a page, and what we chose.

    Tests count sums of sample weight, so weights should be numbers of rows: with weights that sum to 1 there
    is nothing to test, and the first column is taken.

    Parameters
    ----------
    alpha_select : float, default=0.05
        Level of the tests, before it is divided by their number. A column whose means differ at this level is
        taken; otherwise one whose spreads do; otherwise that of least p. It does not stop the growth.
    pruning : {"cost_complexity", "reduced_error", "validation_gain"} or None, default="cost_complexity"
        As in `CARTClassifier`, by the weight of misclassified rows.
    alpha : float, "cv" or "cv_1se", default="cv_1se"
        Price of a leaf in cost-complexity pruning. "cv_1se" takes the smallest tree within one standard error
        of the least cross-validated error.
    cv : int, splitter or None, default=10
        Folds for `alpha`.
    min_leaf : int or float, default=1
        What a branch must keep of the rows that know the value: int, rows; float, a share of the total
        weight. A split that leaves less moves to the nearest that does not; a column that has none is passed
        over.
    max_bins : int or None, default=None
        Codes for a column of numbers. A binned number counts as the number of its bin, in tests and splits.
    subset_min_rows, subset_max_categories : int or None, default=None
        As in `CARTClassifier`: categories of fewer rows than the first go with the heavier side and have no
        say in the split, and the side of fewer categories has at most the second.
    class_weight, error_costs
        They count in splits, leaves and pruning; tests go by the rows and their weights alone.

    The other parameters and the attributes are those of `CARTClassifier`.

    References
    ----------
    W.-Y. Loh and Y.-S. Shih, Split selection methods for classification trees, Statistica Sinica 7 (1997).

    Examples
    --------
    >>> from thriftree import QUESTClassifier
    >>> from sklearn.datasets import load_iris
    >>> model = QUESTClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    >>> model.tree_.n_leaves
    3
    """

    _category_tests = growth.SUBSET
    proportion_encode: ClassVar[None] = None
    _looks_at_values: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Constraints] = {
        "alpha_select": [Interval(Real, 0.0, 1.0, closed="neither")],
        **PRUNING_PARAMETERS,
        **{name: allowed for name, allowed in TREE_PARAMETERS.items() if name not in _NOT_OFFERED},
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        alpha_select: float = 0.05,
        pruning: str | None = "cost_complexity",
        alpha: float | str = "cv_1se",
        cv: Any = 10,
        min_gain: float = 0.01,
        validation_fraction: float = 0.2,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_mass: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        subset_min_rows: int | None = None,
        subset_max_categories: int | None = None,
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
        self.alpha_select = alpha_select
        self.pruning = pruning
        self.alpha = alpha
        self.cv = cv
        self.min_gain = min_gain
        self.validation_fraction = validation_fraction
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_mass = min_mass
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
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
        """What pruning measures; splits are not chosen by it."""
        return "misclassification"

    def _pruning(self) -> Pruning:
        return pruning_asked_of(self, self.pruning)

    def _plan(self, rows: Sample) -> Plan:
        plan = super()._plan(rows)
        if len(rows) > plan.n_classes >= rows.weights.sum():
            warnings.warn(
                f"sample_weight sums to {rows.weights.sum():g}, as if there were so many rows: no column can "
                "be tested, and the first is taken. Divide the weights by their mean",
                UserWarning,
                stacklevel=4,
            )
        return plan

    def _settled(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> tuple[Plan, Stopped | None]:
        factors = plan.priors if plan.class_weight is None else plan.class_weight
        if plan.class_weight is not None and plan.priors is not None:
            factors = plan.class_weight * plan.priors
        chooser = _core.QuestChooser(
            alpha=float(self.alpha_select),
            class_factors=factors,
            min_leaf_rows=plan.leaf_rule.rows,
            min_leaf_share=plan.leaf_rule.share,
            subset_min_rows=self.subset_min_rows,
            subset_max_categories=self.subset_max_categories,
        )
        return replace(plan, parts={"chooser": chooser}), None
