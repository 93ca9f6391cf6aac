"""What learns a soft tree: read the rows, start, descend, keep."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from thriftree import _core
from thriftree.estimators.features import TakesTables, checked_features
from thriftree.estimators.parameters import TREE_PARAMETERS, Constraints, OwnNames
from thriftree.estimators.reading import sample_of
from thriftree.estimators.soft_distillation import distilled, plan_of_cart
from thriftree.learning import growth, targets
from thriftree.learning.growth import Plan
from thriftree.learning.limits import INTERRUPT, Limits, threads_of, warn_of_limit
from thriftree.learning.sample import Sample
from thriftree.methods.soft import start
from thriftree.methods.soft.design import Design
from thriftree.methods.soft.distinct_rows import DistinctRows, distinct_rows
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.table.coding import read_codes
from thriftree.table.same_columns import check_columns, differing_kinds
from thriftree.tree import Tree

SOFT_PARAMETERS: Constraints = {
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
SHARE_TO_START: Final = 0.5  # of the time that is left when the rows are read; the rest is for the descent
_REMEDY = "ask for fewer gates (max_depth) or iterations (max_iter)"


class SoftLearner(OwnNames, TakesTables, BaseEstimator):  # type: ignore[misc]
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

    def to_tree(self, X: Any, *, max_leaves: int | None = None) -> Tree:
        """A hard tree that answers to the rows of `X` as this one does, as nearly as it can with so many
        leaves (None: as many as the soft tree has): the CART of the soft answers.

        Its `settings` say how far the two agree: "agreement" is the share of the rows that get the same
        label, "r2" that of numbers.
        """
        X = self._features(X)
        limits = Limits.of(self.n_jobs, None, None)
        read = partial(read_codes, categorical_features=self.categorical_features, n_threads=limits.n_threads)
        most = self.soft_tree_.n_leaves if max_leaves is None else max_leaves
        return distilled(self.soft_tree_, X, read, most, limits)

    def _learn(self, rows: Sample, limits: Limits) -> None:
        columns = rows.codes.columns
        distinct = distinct_rows(rows.codes.inputs(columns), len(columns), rows.y, rows.weight)
        design = Design.of(distinct.inputs, columns, distinct.weight)
        spread = self._spread(distinct)
        terms = design.rows(distinct.inputs)
        with limits.within(SHARE_TO_START):
            first = self._start(rows, distinct, design, spread, limits)
        model = self._model(first, spread)
        found = _core.soft_descend(
            model.shape(),
            terms,
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
        weights = self._class_weights(rows.y, rows.weight)
        return plan_of_cart(self._n_classes(), weights, self.max_depth, None)

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


def _shown(classes: tuple[Any, ...] | None) -> str:
    return "numbers" if classes is None else f"the classes {list(classes)}"
