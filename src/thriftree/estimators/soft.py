"""Soft trees: gates that send a row both ways, learned together by descent."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from thriftree import _core
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, Constraints
from thriftree.estimators.soft_learner import SOFT_PARAMETERS, SoftLearner, Spread
from thriftree.learning import targets
from thriftree.learning.limits import threads_of
from thriftree.methods.soft import start
from thriftree.methods.soft.distinct_rows import DistinctRows


class SoftTreeClassifier(ClassifierMixin, SoftLearner):  # type: ignore[misc]
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
    init : {"tree", "random"} or Tree, default="tree"
        Where the descent starts: a CART made fuzzy, random gates, or a tree of binary tests of yours (the
        `tree_` of an estimator).
    max_depth : int, default=4
        Of the tree that it starts from; a Tree of yours keeps its own.
    l2 : float, default=1e-3
        Penalty: half of it times the squares of all weights and of the leaves' outputs is added to the mean
        loss of a row.
    sharpness : float, default=1.0
        Factor inside the gates. At inf a gate is a step, which has no slope: gates stay as they start, and
        leaves alone are learned.
    max_iter : int, default=200
        Iterations of L-BFGS at most.
    tol : float, default=1e-6
        The descent ends where an iteration gains less, relative to the loss, or no slope is larger.
    categorical_features : "auto", list of names or positions, or None, default="auto"
        Columns whose values are only names. "auto": strings, booleans and categoricals.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of each class. "balanced" gives all classes the same total.
    random_state : int, RandomState or None, default=None
        Seed of random gates; the other starts have no randomness.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs. No digit depends on it.
    time_limit_s : float or None, default=None
        A fit that reaches it keeps the gates it has, warns, and says so in `stopped_by_`.

    Attributes
    ----------
    soft_tree_ : SoftTree
    classes_ : array of the labels, sorted
    n_classes_, n_features_in_ : int
    feature_names_in_ : array of str, if the columns had names
    loss_curve_ : array
        The penalised mean loss at the start and after every iteration: it never rises.
    n_iter_ : int
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
        init: Any = "tree",
        max_depth: int = 4,
        l2: float = 1e-3,
        sharpness: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        categorical_features: Any = "auto",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
    ) -> None:
        self.gates = gates
        self.init = init
        self.max_depth = max_depth
        self.l2 = l2
        self.sharpness = sharpness
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s

    def predict(self, X: Any) -> targets.AnyArray:
        """The most probable class of each row, of equals the first."""
        place = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[place])

    def predict_proba(self, X: Any) -> targets.Floats:
        """Probability of each class, in the order of `classes_`."""
        X = self._features(X)
        return self.soft_tree_.predict_proba(X, n_threads=threads_of(self.n_jobs))

    def predict_log_proba(self, X: Any) -> targets.Floats:
        """Natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _read_target(self, y: targets.AnyArray) -> targets.Labels:
        labels, self.classes_ = targets.class_labels(y)
        self.n_classes_ = len(self.classes_)
        return labels

    def _n_classes(self) -> int:
        return self.n_classes_

    def _class_weights(self, y: targets.AnyArray, weight: targets.Floats | None) -> targets.Floats | None:
        return targets.class_weights(self.class_weight, self.classes_, y, weight)

    def _weights(self, rows: DistinctRows) -> targets.Floats:
        factors = self._class_weights(rows.y, rows.weight)
        return rows.weight if factors is None else factors[rows.y] * rows.weight

    def _leaf(self, rows: DistinctRows) -> targets.Floats:
        counts = np.bincount(rows.y, self._weights(rows), minlength=self.n_classes_)
        return start.logits(counts.astype(np.float64))

    def _spread(self, rows: DistinctRows) -> Spread:
        return 0.0, 1.0

    def _values(self, tree: _core.Tree, rows: DistinctRows) -> targets.Floats:
        return tree.value

    def _outputs(self, values: targets.Floats, spread: Spread) -> list[targets.Floats]:
        return [start.logits(of_node) for of_node in values]

    def _target(self, rows: DistinctRows, spread: Spread) -> dict[str, Any]:
        return {"labels": rows.y}


class SoftTreeRegressor(RegressorMixin, SoftLearner):  # type: ignore[misc]
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
        init: Any = "tree",
        max_depth: int = 4,
        l2: float = 1e-3,
        sharpness: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        categorical_features: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
    ) -> None:
        self.gates = gates
        self.init = init
        self.max_depth = max_depth
        self.l2 = l2
        self.sharpness = sharpness
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s

    def predict(self, X: Any) -> targets.Floats:
        """The expected number of each row."""
        X = self._features(X)
        return self.soft_tree_.predict(X, n_threads=threads_of(self.n_jobs))

    def _read_target(self, y: targets.AnyArray) -> targets.Floats:
        return targets.numeric_target(y)

    def _n_classes(self) -> int:
        return 0

    def _class_weights(self, y: targets.AnyArray, weight: targets.Floats | None) -> targets.Floats | None:
        return None

    def _weights(self, rows: DistinctRows) -> targets.Floats:
        return rows.weight

    def _leaf(self, rows: DistinctRows) -> targets.Floats:
        return np.zeros(1)

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
