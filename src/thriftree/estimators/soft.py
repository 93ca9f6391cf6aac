"""Soft trees: gates that send a row both ways, learned together by descent."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from thriftree import _core
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, Constraints
from thriftree.estimators.soft_learner import SOFT_PARAMETERS, SoftLearner, Spread
from thriftree.estimators.soft_targets import ClassTargets, NumberTargets
from thriftree.learning import targets
from thriftree.learning.limits import threads_of
from thriftree.learning.sample import rows_at
from thriftree.methods.soft import start
from thriftree.methods.soft.distinct_rows import DistinctRows


class SoftTreeClassifier(ClassifierMixin, ClassTargets, SoftLearner):  # type: ignore[misc]
    """Classification tree whose tests are probabilities (İrsoy, Yıldız and Alpaydın 2012; Frosst and Hinton
    2017).

    Each gate sends a row left with a probability, and the classes of the leaves are mixed by the probability
    of reaching them. All gates and leaves are learned together: the likelihood of the classes is made large
    by L-BFGS with exact gradients. Columns are standardised inside, a category has a weight of its own, and
    so have missing values.

    Parameters
    ----------
    gates : {"oblique", "axis"}, default="oblique"
        "oblique": a gate weighs all columns. "axis": only the column that the test it started from asks.
    leaves : {"constant", "linear"}, default="constant"
        "linear": the logits of a leaf (or its number) are linear in all columns, as in a logistic (or ridge)
        regression of its own.
    init : {"tree", "random"} or Tree, default="tree"
        Where the descent starts: a CART (of classes by entropy) made fuzzy, random gates, or a tree of binary
        tests of yours (the `tree_` of an estimator).
    max_depth : int, default=4
        Of the tree that it starts from; a Tree of yours keeps its own.
    max_leaves : int or None, default=None
        At most so many leaves; a Tree of yours keeps its own.
    l2 : float or "cv", default=1e-3
        Penalty: half of it times the squares of all weights and of the leaves' outputs is added to the mean
        loss of a row. Weights of axis gates count a tenth, outputs of K classes 2 / K; the weight that a
        threshold of the start became counts in the spread of the rows near it, without a `price_weight`.
        "cv": of 0.00001 to 0.1 that of the least loss on folds.
    leaf_l2 : float, default=1e-2
        The same for the weights of linear leaves.
    sharpness : float, default=1.0
        Factor inside the gates. At inf a gate is a step, which has no slope: gates stay as they start, and
        leaves alone are learned.
    costs : TestCosts, dict or array, default=None
        Price of each column, for `expected_cost_`, `worst_case_cost_`, `predict_cost` and `price_weight`.
        None: every gate costs 1.
    price_weight : float, default=0
        So much of the expected price of a row is added to the loss. A gate then buys a column to the degree
        w² / (w² + τ²), w its weight: τ = 1 first, then 0.3 and 0.1, and weights of columns that are not
        bought (below 0.1) become 0.
    max_iter : int, default=200
        Iterations of L-BFGS at most.
    tol : float, default=1e-6
        The descent ends where an iteration gains less, relative to the loss, or no slope is larger.
    categorical_features : "auto", list of names or positions, or None, default="auto"
        Columns whose values are only names. "auto": strings, booleans and categoricals.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of each class. "balanced" gives all classes the same total.
    cv : int, splitter, list of positions or None, default=None
        Folds that choose `l2`; None: 5.
    random_state : int, RandomState or None, default=None
        Seed of random gates and of folds; else there is no randomness.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs. No digit depends on it.
    time_limit_s : float or None, default=None
        A fit that reaches it keeps the gates it has, warns, and says so in `stopped_by_`.
    memory_limit_mb : float or None, default=None
        A table whose numbers do not fit is refused by MemoryError.

    Attributes
    ----------
    soft_tree_ : SoftTree
    classes_ : array of the labels, sorted
    n_classes_, n_features_in_ : int
    feature_names_in_ : array of str, if the columns had names
    loss_curve_ : array
        The penalised mean loss at the start and after every iteration: it never rises. With a `price_weight`
        that of the last step.
    n_iter_ : int
    l2_ : float
        The penalty, given or chosen.
    cv_results_ : dict or None
        With `l2="cv"`: `l2`, `mean_loss` and `standard_error` over the folds.
    expected_cost_, worst_case_cost_ : float
        Mean price of the rows of `fit`; the largest of any path.
    converged_ : bool
        Whether `tol` ended the descent.
    stopped_by_ : None, "time_limit" or "interrupt"
        After Ctrl-C the attributes are set before KeyboardInterrupt is raised.

    Examples
    --------
    >>> from thriftree import SoftTreeClassifier
    >>> model = SoftTreeClassifier(max_depth=1).fit([[0, 1], [1, 1], [2, 0], [3, 0]], ["a", "a", "b", "b"])
    >>> model.predict([[1.2, 0.5]]).tolist()
    ['a']
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SOFT_PARAMETERS,
        "class_weight": CLASSIFIER_PARAMETERS["class_weight"],
    }

    def __init__(
        self,
        *,
        gates: str = "oblique",
        leaves: str = "constant",
        init: Any = "tree",
        max_depth: int = 4,
        max_leaves: int | None = None,
        l2: Any = 1e-3,
        leaf_l2: float = 1e-2,
        sharpness: float = 1.0,
        costs: Any = None,
        price_weight: float = 0.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        categorical_features: Any = "auto",
        class_weight: Any = None,
        cv: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.gates = gates
        self.leaves = leaves
        self.init = init
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.l2 = l2
        self.leaf_l2 = leaf_l2
        self.sharpness = sharpness
        self.costs = costs
        self.price_weight = price_weight
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def distill(self, teacher: Any, X: Any, sample_weight: Any = None) -> Self:
        """Learn from what a fitted classifier says of the rows of `X`, any that has `predict_proba` (Frosst
        and Hinton 2017): each row is there once a class, with the class's probability as its weight.
        """
        shares = np.asarray(teacher.predict_proba(X), np.float64)
        if shares.ndim != 2 or shares.shape[1] != len(teacher.classes_) or not (shares >= 0).all():
            raise ValueError(
                f"predict_proba of {type(teacher).__name__} must give a share >= 0 for each of its classes"
            )
        weight = targets.row_weights(sample_weight, len(shares))
        if weight is not None:
            shares = shares * weight[:, np.newaxis]
        row, label = np.nonzero(shares)
        fitted: Self = self.fit(rows_at(X, row), np.asarray(teacher.classes_)[label], shares[row, label])
        return fitted

    def predict_proba(self, X: Any) -> targets.Floats:
        """Probability of each class, in the order of `classes_`."""
        X = self._features(X)
        return self.soft_tree_.predict_proba(X, n_threads=threads_of(self.n_jobs))

    def _known_target(self, y: targets.AnyArray) -> targets.Labels:
        labels, classes = targets.class_labels(y)
        unknown = [label for label in classes.tolist() if label not in set(self.classes_.tolist())]
        if unknown:
            raise ValueError(f"y has the class {unknown[0]!r}, which fit did not see")
        return np.searchsorted(self.classes_, classes).astype(np.int32)[labels]

    def _n_classes(self) -> int:
        return self.n_classes_

    def _spread(self, rows: DistinctRows) -> Spread:
        return 0.0, 1.0

    def _values(self, tree: _core.Tree, rows: DistinctRows) -> targets.Floats:
        return tree.value

    def _outputs(self, values: targets.Floats, spread: Spread) -> list[targets.Floats]:
        return [start.logits(of_node) for of_node in values]

    def _target(self, rows: DistinctRows, spread: Spread) -> dict[str, Any]:
        return {"labels": rows.y}


class SoftTreeRegressor(RegressorMixin, NumberTargets, SoftLearner):  # type: ignore[misc]
    """Regression tree whose tests are probabilities: the numbers of the leaves are mixed by the probability
    of reaching them (İrsoy, Yıldız and Alpaydın 2012).

    All gates and leaves are learned together, by the squared error in standard deviations of the target. The
    parameters mean what they mean in `SoftTreeClassifier`.

    Examples
    --------
    >>> from thriftree import SoftTreeRegressor
    >>> model = SoftTreeRegressor(max_depth=1).fit([[0], [1], [2], [3]], [1.0, 1.0, 5.0, 6.0])
    >>> bool(1 < model.predict([[1.5]])[0] < 6)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = SOFT_PARAMETERS

    def __init__(
        self,
        *,
        gates: str = "oblique",
        leaves: str = "constant",
        init: Any = "tree",
        max_depth: int = 4,
        max_leaves: int | None = None,
        l2: Any = 1e-3,
        leaf_l2: float = 1e-2,
        sharpness: float = 1.0,
        costs: Any = None,
        price_weight: float = 0.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        categorical_features: Any = "auto",
        cv: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.gates = gates
        self.leaves = leaves
        self.init = init
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.l2 = l2
        self.leaf_l2 = leaf_l2
        self.sharpness = sharpness
        self.costs = costs
        self.price_weight = price_weight
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def predict(self, X: Any) -> targets.Floats:
        """The expected number of each row."""
        X = self._features(X)
        return self.soft_tree_.predict(X, n_threads=threads_of(self.n_jobs))

    def _known_target(self, y: targets.AnyArray) -> targets.Floats:
        return targets.numeric_target(y)

    def _n_classes(self) -> int:
        return 0

    def _class_weights(self, y: targets.AnyArray, weight: targets.Floats | None) -> targets.Floats | None:
        return None

    def _spread(self, rows: DistinctRows) -> Spread:
        return _core.soft_spread(rows.y, rows.weight)

    def _values(self, tree: _core.Tree, rows: DistinctRows) -> targets.Floats:
        # The tree's own means depend in their last digit on whether a row weighs 2 or is there twice.
        leaf = tree.apply(rows.inputs)
        weight = np.bincount(leaf, rows.weight, minlength=tree.n_nodes)
        total = np.bincount(leaf, rows.weight * rows.y, minlength=tree.n_nodes)
        return (total / np.where(weight > 0, weight, 1.0))[:, np.newaxis]

    def _outputs(self, values: targets.Floats, spread: Spread) -> list[targets.Floats]:
        centre, scale = spread
        return list((values[:, :1] - centre) * scale)

    def _target(self, rows: DistinctRows, spread: Spread) -> dict[str, Any]:
        centre, scale = spread
        return {"numbers": (rows.y - centre) * scale}
