"""What learns a neural tree: read the rows, make the network and the tree, train, keep."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted

from thriftree.estimators.features import TakesTables, checked_features
from thriftree.estimators.model_file import ModelFile
from thriftree.estimators.parameters import TREE_PARAMETERS, Constraints, OwnNames
from thriftree.estimators.reading import sample_of
from thriftree.learning import targets
from thriftree.learning.limits import Limits, threads_of, warn_of_limit
from thriftree.learning.sample import Sample
from thriftree.methods.neural.backbones import Backbone
from thriftree.methods.neural.training import NeuralRows, Trained, Trainer, Training, torch_threads
from thriftree.methods.soft import start
from thriftree.methods.soft.design import Design
from thriftree.methods.soft.distinct_rows import DistinctRows, distinct_rows
from thriftree.methods.soft.frequent_categories import columns_to_weigh, first_categories
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.table.prediction_inputs import prediction_inputs
from thriftree.table.tested_columns import TestedColumns

NEURAL_PARAMETERS: Constraints = {
    "hidden": [Interval(Integral, 0, None, closed="left")],
    "backbone": [HasMethods(["forward", "state_dict"]), None],
    "max_depth": [Interval(Integral, 0, 20, closed="both")],
    "l2": [Interval(Real, 0.0, None, closed="left")],
    "balance": [Interval(Real, 0.0, None, closed="left")],
    "sharpness": [Interval(Real, 0.0, None, closed="neither")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "max_epochs": [Interval(Integral, 0, None, closed="left")],
    "patience": [Interval(Integral, 1, None, closed="left")],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="left")],
    "device": [str],
    "random_state": ["random_state"],
    **{name: TREE_PARAMETERS[name] for name in ("categorical_features", "n_jobs", "time_limit_s")},
}
Scaled: TypeAlias = tuple[float, float, targets.AnyArray]  # of a target: centre, scale, and as it is learned
_REMEDY: Final = "ask for fewer gates (max_depth), units (hidden) or epochs (max_epochs)"
_THERE_IS: Final = "the best network and tree so far are kept, but their loss is not the least it can be"


class NeuralLearner(OwnNames, TakesTables, ModelFile, BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share."""

    soft_tree_: SoftTree
    backbone_: Backbone | None
    design_: Design
    _parameter_constraints: ClassVar[Constraints] = {}

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the network, the gates and the leaves.

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
        _need_torch(type(self).__name__)
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
            limits.attempt(learn, partial(self._keep_leaf, rows, limits))
        if self.stopped_by_ is not None:
            warn_of_limit(self.stopped_by_, type(self).__name__, _REMEDY, there_is=_THERE_IS, stacklevel=3)
        return self

    def path_probabilities(self, X: Any) -> targets.Floats:
        """Per row: the probability of reaching each gate, in preorder, then each leaf. Those of the leaves
        sum to 1.
        """
        units = self._units(X)
        return self.soft_tree_.path_probabilities(units, n_threads=threads_of(self.n_jobs))

    def get_depth(self) -> int:
        """Gates on the longest path; 0 for a tree that is one leaf."""
        check_is_fitted(self)
        return self.soft_tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.soft_tree_.n_leaves

    def _units(self, X: Any) -> Any:
        """What the soft tree takes: the units of the network or, with nothing in front, the table."""
        check_is_fitted(self)
        X = checked_features(self, X, reset=False)
        if self.backbone_ is None:
            return X
        inputs = prediction_inputs(X, self.design_.columns, expected_by="the neural tree")
        terms = self.design_.matrix(inputs.all() if isinstance(inputs, TestedColumns) else inputs)
        return self.backbone_.units(terms)

    def _learn(self, rows: Sample, limits: Limits) -> None:
        try:
            self._train(rows, limits)
        except TimeoutError:
            self._keep_leaf(rows, limits)

    def _train(self, rows: Sample, limits: Limits) -> None:
        """Raises TimeoutError where there is no time to start."""
        limits.look()
        columns = columns_to_weigh(rows)
        limits.look()
        inputs = rows.codes.inputs(columns)
        distinct = distinct_rows(inputs, len(columns), rows.y, rows.weight, limits.look)
        limits.look()
        design = Design.of(distinct.inputs, columns, distinct.weight)
        scaled = self._scaled(distinct)
        training = Training(
            l2=float(self.l2),
            balance=float(self.balance),
            batch_size=int(self.batch_size),
            learning_rate=float(self.learning_rate),
            max_epochs=int(self.max_epochs),
            patience=int(self.patience),
            validation_fraction=float(self.validation_fraction),
            device=str(self.device),
        )
        rng = check_random_state(self.random_state)
        with torch_threads(limits.n_threads):
            trainer = Trainer(training, design.n_terms, self.backbone, int(self.hidden), rng)
            of_units = trainer.design(design)
            depth = int(self.max_depth)
            first = start.random(of_units, False, depth, 2**depth, self._leaf(distinct), rng)
            terms = design.matrix(distinct.inputs, limits.look)
            table = NeuralRows(terms, scaled[2], self._weights(distinct))
            trained = trainer.fit(self._tree(first, scaled), table, limits)
        self._keep(trained, design, limits.stopped_by)

    def _keep_leaf(self, rows: Sample, limits: Limits) -> None:
        """Where there is no time to start: a tree that is one leaf, with nothing in front."""
        distinct = DistinctRows([], rows.y, rows.weights)
        design = Design.blank(first_categories(rows.codes.columns))
        first = start.SoftStart(design, axis=False)
        first.add_leaf(self._leaf(distinct))
        leaf = self._tree(first, self._scaled(distinct))
        self._keep(Trained(leaf, None), design, limits.stopped_by or "time_limit")

    def _tree(self, first: start.SoftStart, scaled: Scaled) -> SoftTree:
        centre, scale, _ = scaled
        return SoftTree(
            first.design,
            left=np.array(first.left, np.int32),
            right=np.array(first.right, np.int32),
            first=np.array(first.first, np.int32),
            count=np.array(first.count, np.int32),
            parameters=first.parameters_of(linear=False),
            sharpness=float(self.sharpness),
            classes=self._classes(),
            centre=centre,
            deviation=1 / scale if scale else 0.0,
        )

    def _keep(self, trained: Trained, design: Design, stopped_by: str | None) -> None:
        """Sets the fitted attributes."""
        self.soft_tree_ = trained.tree
        self.backbone_ = trained.backbone
        self.design_ = design
        self.loss_curve_ = np.array(trained.losses)
        self.validation_loss_curve_ = np.array(trained.validation_losses)
        self.best_epoch_ = trained.best_epoch
        self.n_iter_ = len(trained.losses)
        self.stopped_early_ = trained.stopped_early
        self.stopped_by_ = stopped_by

    @abstractmethod
    def _read_target(self, y: targets.AnyArray) -> targets.AnyArray:
        """The target as rows hold it."""

    @abstractmethod
    def _classes(self) -> tuple[Any, ...] | None:
        """None: numbers."""

    @abstractmethod
    def _weights(self, rows: DistinctRows) -> targets.Floats:
        """What each row counts in the loss."""

    @abstractmethod
    def _leaf(self, rows: DistinctRows) -> targets.Floats:
        """What a leaf of all rows would hold."""

    @abstractmethod
    def _scaled(self, rows: DistinctRows) -> Scaled:
        """Centre and scale of a target of numbers, and the target as it is learned."""


def _need_torch(learner: str) -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{learner}.fit needs the package torch: pip install 'thriftree[neural]'"
        ) from error
