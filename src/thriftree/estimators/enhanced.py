"""Enhanced trees: a test is weighed by balance, efficiency and impurity together, and by its price (paper
000).
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from thriftree.costs import TestCosts, as_costs
from thriftree.estimators.base import TreeClassifier, TreeRegressor
from thriftree.estimators.fitted import stored_prices
from thriftree.estimators.linear_leaves import LEAVES_PARAMETERS
from thriftree.estimators.object_tree import OBJECT_TREE_PARAMETERS, ObjectTree
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TRADE_OFF_PARAMETERS, Constraints
from thriftree.estimators.pruning_parameters import pruning_asked_of
from thriftree.learning.criteria import impurities_for
from thriftree.learning.growth import Plan, Stopped
from thriftree.learning.limits import Limits
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample
from thriftree.tuning.trade_off import Found, Search, search


class _Enhanced(ObjectTree):
    """What the classifier and the regressor share: the score, and how its λ is found."""

    def _score(self, rows: Sample) -> dict[str, Any]:
        return {"score": "enhanced"}

    def _prices_to_choose_by(self) -> TestCosts | None:
        """Always: without prices every test costs 1, and dividing by 1 changes nothing."""
        return None if self.costs is None else as_costs(self.costs)

    def _pruning(self) -> Pruning:
        """A tree whose λ is searched for is to predict: it is pruned, unless that is not wanted."""
        if self.pruning != "auto":
            return super()._pruning()
        return pruning_asked_of(self, "cost_complexity" if isinstance(self.trade_off, str) else None)

    def _settled(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> tuple[Plan, Stopped | None]:
        found = Found(self.trade_off, None, None)
        if isinstance(self.trade_off, str):
            how = Search(
                rule=self.trade_off,
                cv=self.cv,
                validation_fraction=self.validation_fraction,
                random_state=self.random_state,
                pruning=self._pruning(),
                prices=stored_prices(self.costs),
                smoothing=getattr(self, "smoothing", 0.0),
            )
            found = search(rows, plan, limits, how, steps)
        self.trade_off_ = float(found.trade_off)
        self.pruning_ = self._pruning().method
        self.trade_off_path_ = found.path
        return replace(plan, trade_off=self.trade_off_), found.stopped

    def _searches(self) -> bool:
        return isinstance(self.trade_off, str) or super()._searches()

    def _max_steps(self) -> int | None:
        if self.trade_off == "cv":
            n_folds = 5 if self.cv is None else self.cv
            return int(n_folds) + 1 if isinstance(n_folds, Integral) else None
        return 2 if self.trade_off == "auto" else 1


class EnhancedTreeClassifier(_Enhanced, TreeClassifier):
    """Classification tree that is accurate and cheap: EC4.5 and ECART of Zhang and Gionis (2022).

    A test is chosen by (B + E + λ·D) / price. D, discrimination, is the decrease of impurity that CART goes
    by. B, balance, is the weight outside the largest branch, and E, efficiency, how much nearer the test
    brings the objects to their leaves: with them the expected price of the tree is within a factor of the
    least possible that grows with log n and with λ. `impurity="entropy"` is the paper's EC4.5 and `"gini"`
    its ECART; `trade_off=0` is adaptive submodular ranking (ASR), and `trade_off=float("inf")` is CART with
    `cost_benefit=True`. Rows that are equal in all columns (after binning) are one object, which has the
    class of most of their weight; leaves predict by the rows themselves.

    Parameters
    ----------
    impurity : {"gini", "entropy", "misclassification"}, default="gini"
        What D decreases; entropy is in bits. Where D alone counts (an infinite `trade_off`), a test that
        gains nothing by "misclassification" is not made, as in `CARTClassifier`.
    trade_off : float, "auto" or "cv", default=1.0
        λ >= 0, what impurity is worth beside balance and efficiency; it may be infinite. "auto" is the
        paper's rule: of inf, 100, 30, 10, 3, 1, 0.3, 0.1, 0 it takes the last before the AUC on
        `validation_fraction` of the rows falls more than 0.01 below the best so far, and then learns from all
        rows. "cv" takes the smallest of them whose mean AUC over `cv` folds is within one standard error of
        the best. AUC is one class against the rest, averaged over the classes. Where no row can tell (too few
        rows of a class), 1.0 is used, with a warning.
    min_mass : float, default=0.0
        θ of the paper: a node with at most this share of the weight is a leaf, and E knows it. It, B and E
        go by `sample_weight` alone; `class_weight` and `error_costs` count in D and in labels.
    multiway : bool, default=False
        Whether a category column is tested by a branch for each category, not by two sets.
    pruning : {"auto", "cost_complexity", "reduced_error", "validation_gain"} or None, default="auto"
        As in `CARTClassifier`; "auto" is "cost_complexity" where λ is searched for, and else None. Every tree
        that the search compares is pruned so; the paper's are not (None). With `costs` an `alpha`
        that is a number is for a unit of expected price, and folds choose between that and leaves.
    costs : TestCosts, dict, array or None, default=None
        Price of each test, which scores are divided by. None: every test costs 1.

    The other parameters mean what they mean in `CARTClassifier`.

    Attributes
    ----------
    trade_off_ : float
        The λ that was used.
    pruning_ : str or None
        How the tree was pruned: what "auto" means.
    trade_off_path_ : Bunch or None
        What "auto" or "cv" saw of each λ (`trade_off`) on rows held out: `score` (AUC) and its
        `standard_error` over the folds, `expected_cost` and `n_leaves`. None if λ was given, or could not be
        measured.

    The others are those of `CARTClassifier`.

    References
    ----------
    G. Zhang and A. Gionis, Regularized impurity reduction: accurate decision trees with complexity
    guarantees, 2022 (paper 000 of docs/papers.md): the score is Eq. (2), the rule for λ is in section 6.
    docs/guide/enhanced.md explains both.

    Examples
    --------
    >>> from thriftree import EnhancedTreeClassifier
    >>> X, y = [[0, 0], [1, 0], [2, 1], [3, 1]], ["no", "no", "yes", "yes"]
    >>> model = EnhancedTreeClassifier(costs=[5.0, 1.0]).fit(X, y)
    >>> model.expected_cost_
    1.0
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "impurity": [StrOptions(set(impurities_for("classes")))],
        **OBJECT_TREE_PARAMETERS,
        **TRADE_OFF_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        impurity: str = "gini",
        trade_off: float | str = 1.0,
        min_mass: float = 0.0,
        multiway: bool = False,
        pruning: str | None = "auto",
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
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
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
        self.impurity = impurity
        self.trade_off = trade_off
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
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
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
        return str(self.impurity)


class EnhancedTreeRegressor(_Enhanced, TreeRegressor):
    """Regression tree that is accurate and cheap: the score of `EnhancedTreeClassifier` for numbers.

    Two objects are in conflict if their targets are in different bins of `target_bins`; balance and
    efficiency count such pairs as they count pairs of different classes. A node within one bin is a leaf.
    Discrimination is the decrease of squared error times 2 / range², with the range of the target over the
    rows of `fit`, so that λ means the same in every unit; for a target of 0 and 1 the score is that of the
    classifier with gini.

    Parameters
    ----------
    impurity : {"squared_error"}, default="squared_error"
    target_bins : int, default=20
        Bins of the target of about equal weight; a target of no more distinct values has a bin for each.
    trade_off : float, "auto" or "cv", default=1.0
        As in `EnhancedTreeClassifier`, with R² in place of AUC.
    leaves : {"constant", "linear"}, default="constant"
        As in `CARTRegressor`. A λ that is searched for is found with constant leaves.

    The other parameters and attributes are those of `EnhancedTreeClassifier`, but for those about classes.

    Examples
    --------
    >>> from thriftree import EnhancedTreeRegressor
    >>> model = EnhancedTreeRegressor().fit([[0], [1], [2], [3]], [1.0, 1.0, 5.0, 6.0])
    >>> model.predict([[2.9]]).tolist()
    [6.0]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "impurity": [StrOptions(set(impurities_for("numbers")))],
        "target_bins": [Interval(Integral, 2, None, closed="left")],
        **LEAVES_PARAMETERS,
        **OBJECT_TREE_PARAMETERS,
        **TRADE_OFF_PARAMETERS,
    }

    def __init__(
        self,
        *,
        impurity: str = "squared_error",
        target_bins: int = 20,
        leaves: str = "constant",
        trade_off: float | str = 1.0,
        min_mass: float = 0.0,
        multiway: bool = False,
        pruning: str | None = "auto",
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
        shrinkage: float | str | None = None,
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        costs: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.impurity = impurity
        self.target_bins = target_bins
        self.leaves = leaves
        self.trade_off = trade_off
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
        self.shrinkage = shrinkage
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.costs = costs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return str(self.impurity)

    def _score(self, rows: Sample) -> dict[str, Any]:
        # 2 / range², by halves and without a square: what is wrong with an extreme range, the core says.
        half = float(np.max(rows.y) / 2 - np.min(rows.y) / 2)
        return super()._score(rows) | {"discrimination_scale": 0.5 / half / half if half > 0 else 1.0}

    def _plan(self, rows: Sample) -> Plan:
        return replace(super()._plan(rows), target_bins=self.target_bins)
