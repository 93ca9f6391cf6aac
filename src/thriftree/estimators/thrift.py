"""The recommended default: several methods, tuned against each other, and the cheapest that is as good."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from thriftree.costs import as_costs
from thriftree.estimators.base import OfClasses, OfNumbers
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, Constraints
from thriftree.estimators.thrift_tuning import TUNING_PARAMETERS, ThriftTuning
from thriftree.learning.leaf_models import LeafReading
from thriftree.learning.sample import Sample
from thriftree.tuning.measures import Metric
from thriftree.tuning.trials import Trial


class ThriftTreeClassifier(OfClasses, ThriftTuning):
    """The recommended classification tree: as accurate as the best of several, and the cheapest of those.

    Without `costs`, CART by gini, by entropy and (up to 10,000 rows) by gain ratio and EC4.5
    (`EnhancedTreeClassifier`) compete; with `costs`, CART by gini and by entropy and ECART, with several
    trade-offs between accuracy and price; all of them with all their weakest-link prunings, by leaves and by
    price. Each is measured by cross-validation. Of those that score as well as the best, within `tolerance`,
    the one with the least expected price is learnt from all rows; without `costs` that is the one with the
    fewest questions. With `costs` and `metric="accuracy"`, no tree has a test that changes no label. Methods
    that the first fold shows to be far behind in accuracy (four standard errors) are not measured on, unless
    there is a bound of price.

    Parameters
    ----------
    costs : TestCosts, dict, array or None, default=None
        Price of each test. None: every test costs 1.
    budget : float or None, default=None
        What no path through the tree may cost more than: a bound on `worst_case_cost_`, under every rule of
        `costs`. Trees are grown within budgets of a grid that the prices make, and those up to this one
        compete: a larger budget never has a lower best score. If it pays for no useful test, the tree is one
        leaf, with a warning.
    max_expected : float or None, default=None
        What a row of `fit` may cost on average: a bound on `expected_cost_`. If it pays for no useful test,
        the tree is one leaf, with a warning.
    metric : {"accuracy", "auc"}, default="accuracy"
        The score. With `class_weight` rows count by class; with `error_costs` "accuracy" is 1 minus the
        mean cost of a mistake.
    tolerance : float, default=0.005
        How far below the best score a cheaper tree may lie, though never by more than the standard error of
        the difference. 0 takes the best score whatever its price.
    cv : int, splitter, list of (training, held out) positions or None, default=5
        Folds that measure, stratified.
    repeats : int or "auto", default="auto"
        How often the rows are divided anew into `cv` folds. "auto": until 20,000 rows have been measured, at
        most 4 times.
    min_leaf : int or float, default=1
        What a branch must keep: int, rows of positive weight; float, a share of the total weight. At 1 or
        below 0.02, trees whose branches keep 0.02 of the weight compete too, unless
        `min_weight_fraction_leaf` is as large (without `costs` up to 10,000 rows).
    shrinkage : float, "cv" or None, default=10.0
        λ by which the probabilities of leaves are drawn towards those of the nodes above them, as in
        `CARTClassifier`; labels stay. It comes last: candidates are measured and chosen without it, also by
        "auc", which ranks by the shares that were seen. None: the probabilities are those shares.
    random_state : int, RandomState or None, default=None
        Seed of the folds.
    time_limit_s, memory_limit_mb : float or None, default=None
        A fit that reaches a limit takes the best tree it has measured, warns, and says so in `stopped_by_`.

    The other parameters mean what they mean in `CARTClassifier`.

    Attributes
    ----------
    method_ : str
        The method that was taken: "cart", "ecart" or "ec45".
    settings_ : dict
        Its settings; `budget` is the one of the grid that the tree was grown within.
    cv_results_ : dict of lists
        The best pruning of each tree that competed, and the one of best score, the best first: `method`, its
        settings, `mean_score`, `standard_error` (of the difference to the best score), `expected_cost`,
        `worst_case_cost`, `leaves`.

    The others are those of `CARTClassifier`.

    Examples
    --------
    >>> from thriftree import ThriftTreeClassifier
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> model = ThriftTreeClassifier(costs=heart_prices(), budget=100, random_state=0).fit(X, y)
    >>> model.worst_case_cost_ <= 100
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "metric": [StrOptions({"accuracy", "auc"})],
        **TUNING_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        costs: Any = None,
        budget: float | None = None,
        max_expected: float | None = None,
        metric: Metric = "accuracy",
        tolerance: float = 0.005,
        cv: Any = 5,
        repeats: int | str = "auto",
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        class_weight: Any = None,
        error_costs: Any = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = 10.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_expected = max_expected
        self.metric = metric
        self.tolerance = tolerance
        self.cv = cv
        self.repeats = repeats
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _metric(self) -> Metric:
        return self.metric


class ThriftTreeRegressor(OfNumbers, ThriftTuning):
    """The recommended regression tree: as good as the best of several, and the cheapest of those.

    CART and the enhanced tree (`EnhancedTreeRegressor`) compete as in `ThriftTreeClassifier` with `costs`, by
    r2; CART's trees also with linear leaves. The parameters mean what they mean there; the score is r2, so
    there is no `metric`. What a constant leaf predicts is shrunk as probabilities are (`shrinkage`), after
    the choice.

    Parameters
    ----------
    leaves : {"auto", "constant", "linear"}, default="auto"
        Whether trees with linear leaves (as in `CARTRegressor`) compete with those of constant ones, or only
        one kind does. Within a `budget` or `max_expected` leaves read what their path asks for.

    Examples
    --------
    >>> import numpy as np
    >>> from thriftree import ThriftTreeRegressor
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = ThriftTreeRegressor(random_state=0).fit(X, np.repeat([1.0, 5.0], 20))
    >>> model.predict([[3.0], [30.0]]).tolist()  # 1 and 5, drawn towards the mean of all: 3
    [1.4, 4.6]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "leaves": [StrOptions({"auto", "constant", "linear"})],
        **TUNING_PARAMETERS,
    }

    def __init__(
        self,
        *,
        leaves: str = "auto",
        costs: Any = None,
        budget: float | None = None,
        max_expected: float | None = None,
        tolerance: float = 0.005,
        cv: Any = 5,
        repeats: int | str = "auto",
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        shrinkage: float | str | None = 10.0,
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.leaves = leaves
        self.costs = costs
        self.budget = budget
        self.max_expected = max_expected
        self.tolerance = tolerance
        self.cv = cv
        self.repeats = repeats
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.shrinkage = shrinkage
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _metric(self) -> Metric:
        return "r2"

    def _linear_leaves(self, rows: Sample) -> LeafReading | None:
        if self.leaves == "constant":
            return None
        costs = None if self.costs is None else as_costs(self.costs)
        bounded = self.budget is not None or self.max_expected is not None
        reading = LeafReading.of(rows.codes.columns, costs, asked_only=bounded)
        return reading if reading.columns else None

    def _competing(self, trials: list[Trial]) -> list[Trial]:
        linear = [trial for trial in trials if trial.prunings.linear is not None and trial.is_measured]
        return linear if self.leaves == "linear" and linear else trials
