"""The one base of all tree estimators: read the rows, plan, grow, prune, keep the tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final, Self

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context
from sklearn.utils import Bunch

from thriftree import _core
from thriftree.costs import TestCosts, as_costs
from thriftree.distributed.engines import closing_parts, parts_of
from thriftree.estimators.category_tests import offered_tests, subset_rules
from thriftree.estimators.editing import Editing
from thriftree.estimators.features import TakesTables
from thriftree.estimators.fitted import keep_tree
from thriftree.estimators.linear_leaves import has_linear_leaves, linear_leaves_of
from thriftree.estimators.model_file import ModelFile
from thriftree.estimators.parameters import Constraints, OwnNames
from thriftree.estimators.prediction import ClassAnswers, NumberAnswers
from thriftree.estimators.reading import sample_of, sample_of_parts
from thriftree.estimators.shrinking import Shrinking
from thriftree.learning import growth, pruning, targets
from thriftree.learning.criteria import TargetKind, resolve
from thriftree.learning.growth import Grown, Plan, Stopped
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import Limits, warn_of_limit
from thriftree.learning.progress import CallbackSupport, Steps, steps_of_fit
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample

_STOP_DEFAULTS: Final = {one.name: one.default for one in _core.stop_parameters()}


class TreeEstimator(
    Shrinking,
    Editing,
    OwnNames,
    ModelFile,
    CallbackSupport,  # type: ignore[misc]
    TakesTables,
    BaseEstimator,  # type: ignore[misc]
    ABC,
):
    """Everything that learns a tree from rows."""

    _parameter_constraints: ClassVar[Constraints] = {}
    # Whether rows may lie in parts, which answer with sums.
    _learns_from_parts: ClassVar[bool] = False
    # Whether the learner looks at a column's values one by one, outside of the core.
    _looks_at_values: ClassVar[bool] = False

    def _read(self, X: Any, y: Any, sample_weight: Any, limits: Limits) -> Sample:
        """The rows of positive weight, checked and coded: all that follows are samples of these codes.
        Records what scikit-learn wants to know of the features.
        """
        parts = parts_of(X, y, sample_weight, n_threads=limits.n_threads)
        if parts is not None:
            return sample_of_parts(self, parts, self._coding(), limits)
        return sample_of(
            self,
            X,
            y,
            sample_weight,
            limits,
            read_target=self._read_target,
            coding=self._coding(),
            reset=True,
        )

    def _coding(self) -> dict[str, Any]:
        """How columns become codes, in the table's parameters."""
        return {
            "categorical_features": self.categorical_features,
            "max_bins": self.max_bins,
            "binning": self.binning,
            "by_value": self._looks_at_values,
        }

    @abstractmethod
    def _read_target(self, y: targets.AnyArray) -> targets.AnyArray:
        """The target as the core takes it."""


class BaseTree(TreeEstimator):
    """What the families share. A family states its parameters, its tests, its criterion and its pruning."""

    _target_kind: ClassVar[TargetKind]
    _learns_from_parts = True
    _ordered_tests: ClassVar[int] = growth.THRESHOLD
    _category_tests: ClassVar[int]

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tree.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Numbers, strings, booleans and categoricals, from pandas, polars, pyarrow or numpy. Values may be
            missing. Or a table in parts, see `thriftree.distributed`.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts. Rows of weight 0 are left out; a classifier takes a weight below 1e-15
            of the sum for that much, a regressor refuses it.
        """
        limits_of = Limits.of_search if self._searches() else Limits.of
        limits = limits_of(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        with (
            closing_parts(),
            limits.any_time(),
            steps_of_fit(self, X, y, sample_weight, self._max_steps()) as steps,
        ):
            rows = self._read(X, y, sample_weight, limits)
            learn = partial(self._learn, rows, self._plan(rows), limits, steps)
            limits.attempt(learn, steps.untold(learn))
        if self.stopped_by_ is not None:
            warn_of_limit(self.stopped_by_, type(self).__name__)
        return self

    def _learn(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> None:
        plan, stopped = self._settled(rows, plan, limits, steps)
        grow = partial(self._grow, rows, plan, limits)
        if stopped is None:
            grown = limits.attempt(grow, grow, step=partial(steps.step, "grow"))
        else:
            grown = replace(stopped.tree or grow(), stopped_by=stopped.by)
        keep = partial(self._keep, grown, rows, plan, limits)
        limits.attempt(keep, keep)
        self._choose_shrinkage(rows, plan, limits)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas at which weakest-link pruning makes the unpruned tree smaller: by its leaves or, where
        tests are chosen by their prices, by what a row is expected to pay.

        Returns a Bunch of `ccp_alphas`, ascending from 0, and `impurities`, the total impurity of the leaves
        at each. The estimator itself stays as it is.
        """
        self._validate_params()
        scratch = type(self)(**self.get_params(deep=False))
        limits = Limits.of(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        rows = scratch._read(X, y, sample_weight, limits)
        plan, _ = scratch._settled(rows, scratch._plan(rows), limits, Steps())
        return pruning.path(growth.grow(rows, plan, limits), plan)

    @abstractmethod
    def _criterion(self) -> Any:
        """What `impurity` may be: a registered name or a function."""

    @abstractmethod
    def _pruning(self) -> Pruning:
        """What becomes of the grown tree."""

    def _settled(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> tuple[Plan, Stopped | None]:
        """The plan with all that rows must decide, and what cut the deciding short, if anything did."""
        return plan, None

    def _searches(self) -> bool:
        """Whether a fit measures and chooses, beside growing one tree."""
        return self._pruning().alpha_rule is not None or self.shrinkage == "cv"

    def _grow(self, rows: Sample, plan: Plan, limits: Limits) -> Grown:
        """The finished tree."""
        return pruning.grow_and_prune(rows, plan, limits, self._pruning())

    def _keep(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> None:
        """Sets the fitted attributes."""
        keep_tree(self, grown, rows, plan)

    def _max_steps(self) -> int | None:
        """Steps of a fit at most, for its progress: those of `_settled`, and growing. None: not known."""
        return 1

    def _plan(self, rows: Sample) -> Plan:
        return Plan(
            criterion=resolve(self._criterion(), self._target_kind),
            ordered_tests=self._ordered_tests,
            category_tests=offered_tests(self, self._category_tests),
            proportion_encode=self.proportion_encode,
            rules=self._rules(),
            prices=self._prices_to_choose_by(),
            **self._plan_of_target(rows),
        )

    def _plan_of_target(self, rows: Sample) -> dict[str, Any]:
        """What the target adds to a plan."""
        return {"n_classes": 0}

    def _prices_to_choose_by(self) -> TestCosts | None:
        """The prices that scores are divided by, for the families that have `cost_benefit`."""
        if not getattr(self, "cost_benefit", False) or self.costs is None:
            return None
        return as_costs(self.costs)

    def _rules(self) -> dict[str, Any]:
        """When a node is split, in the core's parameters."""
        leaf_rule = LeafRule.of(self.min_leaf, self.min_weight_fraction_leaf)
        max_leaves = getattr(self, "max_leaves", None)
        return {
            "min_leaf_rows": leaf_rule.rows,
            "min_leaf_share": leaf_rule.share,
            "max_leaves": -1 if max_leaves is None else int(max_leaves),
            **self._stop_values(),
            **subset_rules(self),
        }

    def _stop_values(self) -> dict[str, float]:
        """The parameters of the core's stop rules. A family leaves out those that it does not have."""
        given = {name: getattr(self, name, None) for name in _STOP_DEFAULTS}
        return {
            name: _STOP_DEFAULTS[name] if value is None else float(value) for name, value in given.items()
        }


class OfClasses(ClassAnswers, ClassifierMixin):  # type: ignore[misc]
    """What reads and answers classes."""

    def _read_target(self, y: targets.AnyArray) -> targets.Labels:
        labels, classes = targets.class_labels(y)
        self._record_classes(classes)
        return labels

    def _record_classes(self, classes: targets.AnyArray) -> None:
        self.classes_ = classes
        self.n_classes_ = len(classes)


class OfNumbers(NumberAnswers, RegressorMixin):  # type: ignore[misc]
    """What reads and answers numbers."""

    def _read_target(self, y: targets.AnyArray) -> targets.Floats:
        return targets.numeric_target(y)


class TreeClassifier(OfClasses, BaseTree):
    """Base of the classifiers: class weights and the costs of mistakes."""

    _target_kind = "classes"

    def _plan_of_target(self, rows: Sample) -> dict[str, Any]:
        error_costs = targets.cost_matrix(self.error_costs, self.classes_)
        totals_of = partial(rows.class_totals, self.n_classes_)
        return {
            "n_classes": self.n_classes_,
            "class_weight": targets.class_weights(self.class_weight, self.classes_, totals_of),
            "priors": targets.altered_priors(error_costs, totals_of),
            "error_costs": error_costs,
        }


class TreeRegressor(OfNumbers, BaseTree):
    """Base of the regressors: leaves that are means or, where a family has `leaves`, linear."""

    _target_kind = "numbers"

    def _searches(self) -> bool:
        return has_linear_leaves(self) or super()._searches()

    def _grow(self, rows: Sample, plan: Plan, limits: Limits) -> Grown:
        if not has_linear_leaves(self):
            return super()._grow(rows, plan, limits)
        from thriftree.tuning.linear_leaves import with_linear_leaves

        how = linear_leaves_of(self, rows, plan)
        return with_linear_leaves(growth.grow(rows, plan, limits), rows, plan, limits, how)

    def _as_fit_settled(self, plan: Plan, fitted: Any) -> Plan:
        self._ridge_found = getattr(fitted, "ridge_", None)
        return super()._as_fit_settled(plan, fitted)
