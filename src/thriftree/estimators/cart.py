"""CART: binary tests, chosen by decrease of impurity, pruned at their weakest links."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from thriftree.estimators.base import TreeClassifier, TreeRegressor
from thriftree.estimators.linear_leaves import LEAVES_PARAMETERS
from thriftree.estimators.parameters import (
    CLASSIFIER_PARAMETERS,
    COST_BENEFIT_PARAMETERS,
    FUNCTION,
    PRUNING_PARAMETERS,
    TREE_PARAMETERS,
    Constraints,
)
from thriftree.estimators.pruning_parameters import pruning_asked_of
from thriftree.learning import growth
from thriftree.learning.criteria import names_for
from thriftree.learning.pruning import Pruning


class CARTClassifier(TreeClassifier):
    """Classification tree of binary tests (Breiman, Friedman, Olshen and Stone 1984).

    A number is tested by `x <= t`, with every midpoint between two values a candidate; categories are divided
    in two sets. Missing values are tried on each side of every test, and on their own.

    Parameters
    ----------
    impurity : {"gini", "entropy", "misclassification", "gain_ratio"} or function, default="gini"
        What a test must decrease. By "misclassification" a test that changes no label gains nothing, and is
        not made. For a function of your own see `thriftree.learning.criteria`.
    pruning : {"cost_complexity", "reduced_error", "validation_gain"} or None, default=None
        "cost_complexity" cuts the weakest links up to `alpha`. The other two grow on a part of the rows and
        prune on the rest: "reduced_error" what does not lower its error, "validation_gain" what gains less
        than `min_gain`.
    alpha : float, "cv" or "cv_1se", default="cv"
        Price of a leaf in cost-complexity pruning, in impurity. "cv" takes the price of least cross-validated
        error, "cv_1se" the largest within one standard error of that. With `cost_benefit` and `costs` a
        number is for a unit of expected price instead of a leaf, and folds choose between the two.
    cv : int, splitter or None, default=5
        Folds for `alpha`, stratified.
    min_gain : float, default=0.01
        For "validation_gain": least decrease of impurity on validation rows, as a share of the root's
        impurity.
    validation_fraction : float, default=0.2
        Share of the rows that validate.
    min_leaf : int or float, default=1
        What a branch must keep: int, rows of positive weight; float, a share of the total weight.
    min_weight_fraction_leaf : float, default=0.0
        The same as a float `min_leaf`, at most 0.5, under scikit-learn's name. Both hold: with an int
        `min_leaf` a branch keeps its rows and its share, of two shares the larger.
    min_mass : float, default=0.0
        A node with at most this share of the weight is a leaf.
    min_decrease : float, default=0.0
        Least decrease of impurity of a test, times the node's share of the weight. At 0 a test that gains
        nothing is still made, since a later one may need it (as in exclusive or); but not by
        "misclassification", where most tests gain nothing.
    max_depth, max_leaves : int or None, default=None
        Bounds on the tree. With `max_leaves` the most useful leaf is split first.
    max_bins : int or None, default=None
        Codes for a column of numbers; None keeps every distinct value. 255 is the fast road for big tables.
    binning : {"quantile", "uniform", "kmeans"}, default="quantile"
        How `max_bins` codes are placed.
    categorical_features : "auto", list of names or positions, or None, default="auto"
        Columns whose values are only names. "auto": strings, booleans and categoricals.
    proportion_encode : int, list of names or positions, or None, default=None
        Category columns (int: those of more categories than that) whose categories are put in the order of
        the share of one class - the second of two, the heaviest of more - or of the mean target, and tested
        by cuts of that order. For columns of very many categories.
    one_vs_rest : bool, default=True
        Whether one category against all others is tested, beside sets of categories. What was not seen goes
        with the others.
    subset_smoothing : float or None, default=10.0
        Where a node has more than 8 categories, sets are the first of an order: by the share of one class (or
        the mean target) that each would have with so much weight more of the node's own. None: no smoothing.
    subset_min_rows : int or None, default=3
        Rows that a category must have at a node to be placed by what they show. Rarer ones go with the
        heavier side, as categories do that were not seen. Of two categories none is rare; None: none ever.
    subset_max_categories : int or None, default=32
        The side of fewer categories has at most so many. With 1, sets are single categories. None: any
        number.
    subset_correction : float or None, default=1.0
        How often what random codes would gain is taken from the gain of a set: of m categories and a sum of
        sample weights n, 2/π (m - 2) / (n - 1) of the node's impurity. A set that gains no more is not made.
        None: nothing is taken. With all of these None and `one_vs_rest=False`, sets are as free as in the
        book.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of each class. "balanced" gives all classes the same total.
    error_costs : array of shape (n_classes, n_classes) or None, default=None
        Cost of predicting column j for a row of class i. The tree grows with altered priors, and leaves
        take the label of least expected cost.
    costs : TestCosts, dict, array or None, default=None
        Price of each test, for `expected_cost_`, `worst_case_cost_` and `predict_cost`. None: every test
        costs 1.
    cost_benefit : bool, default=False
        Whether a test's decrease of impurity is divided by what the test adds to the price of the path, so
        that an expensive test must be worth its price. Without `costs` it changes nothing.
    smoothing : float, default=0.0
        Added to the weight of every class at a node before probabilities are taken (Laplace: 1).
    shrinkage : float, "cv" or None, default=None
        λ of hierarchical shrinkage (Agarwal et al. 2022): every step of a leaf's path counts
        1 / (1 + λ/N) of what it changes, with N the sample weight of the step's parent. So the probabilities
        of small leaves are drawn towards those of the nodes above them. Labels stay: without `error_costs` a
        leaf is shrunk only as far as its label stays the most probable. "cv" takes the λ of least log loss
        on the folds of `cv` among 0, 0.1, 1, 10, 25, 50 and 100. `tree_` keeps the shares that were seen.
    random_state : int, RandomState or None, default=None
        Seed of folds and validation rows. A tree without them has no randomness.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs. The tree does not depend on it.
    time_limit_s, memory_limit_mb : float or None, default=None
        A fit that reaches a limit while growing keeps the tree it has, warns, and says so in `stopped_by_`.

    Attributes
    ----------
    tree_ : Tree
    classes_ : array of the labels, sorted
    n_classes_, n_features_in_ : int
    feature_names_in_ : array of str, if the columns had names
    feature_importances_ : array of shape (n_columns,)
    expected_cost_, worst_case_cost_ : float
        Mean price of a row's tests over the rows of `fit`, and the largest price of any path.
    shrinkage_ : float or None
        λ by which answers are shrunk, of `tree_`; None: they are not.
    alpha_ : float
        What cost-complexity pruning used; only there if it was asked for.
    pruned_by_ : {"leaves", "price"}
        What it charged for; only there if tests were chosen by prices, too.
    stopped_by_ : None, "time_limit", "memory_limit" or "interrupt"
        What ended the fit early. After Ctrl-C the attributes are set before KeyboardInterrupt is raised: the
        tree is the best so far.

    Examples
    --------
    >>> from thriftree import CARTClassifier
    >>> model = CARTClassifier().fit([[0, 1], [1, 1], [2, 0], [3, 0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[1.2, 0]]).tolist()
    ['no']
    """

    _category_tests = growth.SUBSET
    _parameter_constraints: ClassVar[Constraints] = {
        "impurity": [StrOptions(set(names_for("classes"))), FUNCTION],
        **PRUNING_PARAMETERS,
        **TREE_PARAMETERS,
        **COST_BENEFIT_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        impurity: Any = "gini",
        pruning: str | None = None,
        alpha: float | str = "cv",
        cv: Any = 5,
        min_gain: float = 0.01,
        validation_fraction: float = 0.2,
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
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        class_weight: Any = None,
        error_costs: Any = None,
        costs: Any = None,
        cost_benefit: bool = False,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.impurity = impurity
        self.pruning = pruning
        self.alpha = alpha
        self.cv = cv
        self.min_gain = min_gain
        self.validation_fraction = validation_fraction
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
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.cost_benefit = cost_benefit
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> Any:
        return self.impurity

    def _pruning(self) -> Pruning:
        return pruning_asked_of(self, self.pruning)


class CARTRegressor(TreeRegressor):
    """Regression tree of binary tests: each leaf predicts its mean (Breiman, Friedman, Olshen and Stone
    1984), or what a linear model of its rows says.

    Parameters
    ----------
    leaves : {"constant", "linear"}, default="constant"
        "linear": each leaf has a ridge regression of its own on the columns of numbers, kept within the range
        of the target in the leaf. Missing values count as the leaf's mean of the column; categories, dates
        and times do not enter. The penalty (`ridge_`) and the size of the tree (`alpha`) are those of least
        cross-validated error on the folds of `cv`, whatever `pruning` says ("reduced_error" and
        "validation_gain" are refused). With `costs` a leaf reads only columns that its path has paid for and
        known ones; without, each column that only the leaf reads counts as a question.

    The other parameters mean what they mean in `CARTClassifier`; `impurity` is "squared_error" or a function,
    and `shrinkage` draws the means that leaves predict towards those of the nodes above them ("cv": by
    squared error); leaves with a linear model are left to its penalty.

    Attributes
    ----------
    ridge_ : float
        Penalty of the linear leaves; only there if `leaves="linear"`.

    The others are those of `CARTClassifier`, but for those about classes.

    Examples
    --------
    >>> from thriftree import CARTRegressor
    >>> model = CARTRegressor(max_leaves=2).fit([[0], [1], [2], [3]], [1.0, 1.0, 5.0, 6.0])
    >>> model.predict([[2.5]]).tolist()
    [5.5]
    """

    _category_tests = growth.SUBSET
    _parameter_constraints: ClassVar[Constraints] = {
        "impurity": [StrOptions(set(names_for("numbers"))), FUNCTION],
        **LEAVES_PARAMETERS,
        **PRUNING_PARAMETERS,
        **TREE_PARAMETERS,
        **COST_BENEFIT_PARAMETERS,
    }

    def __init__(
        self,
        *,
        impurity: Any = "squared_error",
        leaves: str = "constant",
        pruning: str | None = None,
        alpha: float | str = "cv",
        cv: Any = 5,
        min_gain: float = 0.01,
        validation_fraction: float = 0.2,
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
        shrinkage: float | str | None = None,
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        costs: Any = None,
        cost_benefit: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.impurity = impurity
        self.leaves = leaves
        self.pruning = pruning
        self.alpha = alpha
        self.cv = cv
        self.min_gain = min_gain
        self.validation_fraction = validation_fraction
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
        self.shrinkage = shrinkage
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.costs = costs
        self.cost_benefit = cost_benefit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> Any:
        return self.impurity

    def _pruning(self) -> Pruning:
        return pruning_asked_of(self, self.pruning)
