"""Soft trees: gates that send a row both ways, learned together by descent."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from thriftree import _core
from thriftree.estimators.features import checked_features
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS, Constraints, OwnNames
from thriftree.estimators.reading import sample_of
from thriftree.learning import growth, targets
from thriftree.learning.criteria import resolve
from thriftree.learning.growth import Plan
from thriftree.learning.limits import INTERRUPT, Limits, threads_of, warn_of_limit
from thriftree.learning.sample import Sample
from thriftree.methods.soft import start
from thriftree.methods.soft.design import Design
from thriftree.methods.soft.distinct_rows import DistinctRows, distinct_rows
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.table.same_columns import check_columns, differing_kinds
from thriftree.tree import Tree

_SOFT_PARAMETERS: Constraints = {
    "gates": [StrOptions({"oblique", "axis"})],
    "init": [StrOptions({"tree", "random"}), Tree],
    "max_depth": [Interval(Integral, 0, 20, closed="both")],
    "l2": [Interval(Real, 0.0, None, closed="left")],
    "sharpness": [Interval(Real, 0.0, np.inf, closed="right")],
    "max_iter": [Interval(Integral, 0, 2**31 - 1, closed="both")],
    "tol": [Interval(Real, 0.0, None, closed="left")],
    "random_state": ["random_state"],
    **{name: TREE_PARAMETERS[name] for name in ("categorical_features", "n_jobs", "time_limit_s")},
}
Spread: TypeAlias = tuple[float, float]  # centre of numbers, and 1 / their standard deviation
_REMEDY = "ask for fewer gates (max_depth) or iterations (max_iter)"


class _SoftLearner(OwnNames, BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share."""

    soft_tree_: SoftTree
    _parameter_constraints: ClassVar[Constraints] = {}

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn gates and leaves.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Numbers, strings, booleans and categoricals, from pandas, polars, pyarrow or numpy. Values may be
            missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts. Rows of weight 0 are left out.
        """
        limits = Limits.of(self.n_jobs, self.time_limit_s, None)
        with limits.any_time():
            rows = sample_of(
                self,
                X,
                y,
                sample_weight,
                limits,
                read_target=self._read_target,
                coding={"categorical_features": self.categorical_features},
                reset=True,
            )
            learn = partial(self._learn, rows, limits)
            limits.attempt(learn, learn)
        if self.stopped_by_ is not None:
            there_is = "the soft tree is valid, but its loss is not the least it can be"
            warn_of_limit(self.stopped_by_, type(self).__name__, _REMEDY, there_is=there_is, stacklevel=3)
        return self

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

    def _learn(self, rows: Sample, limits: Limits) -> None:
        columns = rows.codes.columns
        distinct = distinct_rows(rows.codes.inputs(columns), len(columns), rows.y, rows.weight)
        design = Design.of(distinct.inputs, columns, distinct.weight)
        spread = self._spread(distinct)
        model = self._model(self._start(rows, distinct, design, spread, limits), spread)
        found = _core.soft_descend(
            model.shape(),
            design.rows(distinct.inputs),
            model.parameters,
            weights=self._weights(distinct),
            sharpness=model.sharpness,
            l2=float(self.l2),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            n_threads=limits.n_threads,
            limits=_core.Limits(time_limit_s=limits.seconds_left, keep_interrupted=True),
            **self._target(distinct, spread),
        )
        if found.ended_by == INTERRUPT:
            limits.note(KeyboardInterrupt())
        ended_by = INTERRUPT if limits.interrupt is not None else found.ended_by
        self._keep(model.with_parameters(found.parameters), found.losses, ended_by)

    def _keep(self, model: SoftTree, losses: targets.Floats, ended_by: str) -> None:
        """Sets the fitted attributes."""
        self.soft_tree_ = model
        self.loss_curve_ = losses
        self.n_iter_ = max(0, len(losses) - 1)
        self.converged_ = ended_by == "converged"
        self.stopped_by_ = ended_by if ended_by in ("time_limit", INTERRUPT) else None

    def _start(
        self, rows: Sample, distinct: DistinctRows, design: Design, spread: Spread, limits: Limits
    ) -> start.SoftStart:
        axis = self.gates == "axis"
        if isinstance(self.init, Tree):
            self._check_init(self.init, rows)
            core, columns = self.init.core, self.init.columns
            return start.fuzzy(core, columns, design, axis, self._outputs(core.value, spread))
        if self.init == "random":
            rng = check_random_state(self.random_state)
            return start.random(design, axis, int(self.max_depth), self._leaf(distinct), rng)
        grown = growth.grow(rows, self._plan(rows), limits)
        values = self._values(grown.core, distinct)
        return start.fuzzy(grown.core, grown.columns, design, axis, self._outputs(values, spread))

    def _plan(self, rows: Sample) -> Plan:
        """Of the CART that a soft tree starts from."""
        classes = self._n_classes()
        kind = "classes" if classes else "numbers"
        return Plan(
            criterion=resolve("gini" if classes else "squared_error", kind),  # type: ignore[arg-type]
            n_classes=classes,
            ordered_tests=growth.THRESHOLD,
            category_tests=growth.SUBSET,
            class_weight=self._class_weights(rows.y, rows.weight),
            rules={
                "min_leaf_rows": 1,
                "min_leaf_share": 0.0,
                "max_leaves": -1,
                "max_depth": float(self.max_depth),
            },
        )

    def _check_init(self, tree: Tree, rows: Sample) -> None:
        learner = type(self).__name__
        columns = rows.codes.columns
        names = [column.name for column in columns]
        check_columns(names, rows.codes.book.has_names, tree.columns, "init")
        differing = differing_kinds(columns, tree.columns, set())
        if differing:
            raise ValueError(f"init has columns of another kind than X: {', '.join(differing)}")
        mine = tuple(self.classes_.tolist()) if self._n_classes() else None
        if tree.classes != mine:
            raise ValueError(
                f"init is a tree of {_shown(tree.classes)}, but {learner} learns {_shown(mine)}: give a tree "
                "of the same target"
            )

    def _model(self, first: start.SoftStart, spread: Spread) -> SoftTree:
        centre, scale = spread
        return SoftTree(
            first.design,
            left=np.array(first.left, np.int32),
            right=np.array(first.right, np.int32),
            first=np.array(first.first, np.int32),
            count=np.array(first.count, np.int32),
            parameters=first.parameters,
            sharpness=float(self.sharpness),
            classes=tuple(self.classes_.tolist()) if self._n_classes() else None,
            centre=centre,
            deviation=1 / scale if scale else 0.0,
        )

    def _features(self, X: Any) -> Any:
        check_is_fitted(self)
        return checked_features(self, X, reset=False)

    @abstractmethod
    def _read_target(self, y: targets.AnyArray) -> targets.AnyArray:
        """The target as the core takes it."""

    @abstractmethod
    def _n_classes(self) -> int:
        """0: numbers."""

    @abstractmethod
    def _class_weights(self, y: targets.AnyArray, weight: targets.Floats | None) -> targets.Floats | None:
        """Factor of each class."""

    @abstractmethod
    def _weights(self, rows: DistinctRows) -> targets.Floats:
        """What each row counts in the loss."""

    @abstractmethod
    def _leaf(self, rows: DistinctRows) -> targets.Floats:
        """What a leaf of all rows would hold."""

    @abstractmethod
    def _spread(self, rows: DistinctRows) -> Spread:
        """Centre and scale of a target of numbers."""

    @abstractmethod
    def _values(self, tree: _core.Tree, rows: DistinctRows) -> targets.Floats:
        """By node, what these rows say of the target: weights of classes, or the mean first."""

    @abstractmethod
    def _outputs(self, values: targets.Floats, spread: Spread) -> list[targets.Floats]:
        """The same as soft leaves hold it."""

    @abstractmethod
    def _target(self, rows: DistinctRows, spread: Spread) -> dict[str, Any]:
        """The target, by the name of the core's parameter."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class SoftTreeClassifier(ClassifierMixin, _SoftLearner):  # type: ignore[misc]
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
        **_SOFT_PARAMETERS,
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


class SoftTreeRegressor(RegressorMixin, _SoftLearner):  # type: ignore[misc]
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

    _parameter_constraints: ClassVar[Constraints] = _SOFT_PARAMETERS

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


def _shown(classes: tuple[Any, ...] | None) -> str:
    return "numbers" if classes is None else f"the classes {list(classes)}"
