"""What learns a soft tree: read the rows, start, descend, keep."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from thriftree import _core
from thriftree.costs import TestCosts, as_costs
from thriftree.estimators.features import TakesTables
from thriftree.estimators.model_file import ModelFile
from thriftree.estimators.parameters import ALPHA_PARAMETERS, TREE_PARAMETERS, Constraints, OwnNames
from thriftree.estimators.reading import sample_of
from thriftree.estimators.soft_answers import SoftAnswers
from thriftree.estimators.soft_distillation import plan_of_cart
from thriftree.learning import growth, targets
from thriftree.learning.growth import Plan
from thriftree.learning.limits import INTERRUPT, Limits, warn_of_limit
from thriftree.learning.progress import CallbackSupport, Steps, steps_of_fit
from thriftree.learning.sample import Sample
from thriftree.methods.soft import start
from thriftree.methods.soft.descent import MEGABYTE, Descended, DescentRows, DescentSettings, descend
from thriftree.methods.soft.design import Design
from thriftree.methods.soft.distinct_rows import DistinctRows, distinct_rows
from thriftree.methods.soft.frequent_categories import columns_to_weigh, first_categories
from thriftree.methods.soft.hardening import hardened
from thriftree.methods.soft.penalties import gate_l2, output_l2
from thriftree.methods.soft.pricing import BOUGHT_ABOVE, SoftNodePrices, in_objective
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.table.same_columns import check_columns, differing_kinds
from thriftree.tree import Tree
from thriftree.tuning.soft_penalty import ChosenL2, cross_validated_l2

SOFT_PARAMETERS: Constraints = {
    "gates": [StrOptions({"oblique", "axis"})],
    "leaves": [StrOptions({"constant", "linear"})],
    "init": [StrOptions({"tree", "random"}), Tree],
    "max_depth": [Interval(Integral, 0, 20, closed="both")],
    "l2": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"})],
    "leaf_l2": [Interval(Real, 0.0, None, closed="left")],
    "sharpness": [Interval(Real, 0.0, np.inf, closed="right")],
    "price_weight": [Interval(Real, 0.0, None, closed="left")],
    "max_iter": [Interval(Integral, 0, 2**31 - 1, closed="both")],
    "tol": [Interval(Real, 0.0, None, closed="left")],
    "cv": ALPHA_PARAMETERS["cv"],
    "random_state": ["random_state"],
    **{
        name: TREE_PARAMETERS[name]
        for name in (
            *("max_leaves", "costs", "categorical_features"),
            *("n_jobs", "time_limit_s", "memory_limit_mb"),
        )
    },
}
Spread: TypeAlias = tuple[float, float]  # centre of numbers, and 1 / their standard deviation
START_BY: Final = "entropy"  # the impurity of the CART that a soft tree of classes starts from
SHARE_TO_START: Final = 0.5  # of the time that is left when the rows are read; the rest is for the descent
SHARE_TO_DESCEND: Final = 0.9  # of what is left then; the rest is for what the soft tree costs
_REMEDY = "ask for fewer gates (max_depth, max_leaves) or iterations (max_iter)"


class SoftLearner(CallbackSupport, OwnNames, TakesTables, SoftAnswers, ModelFile, BaseEstimator):  # type: ignore[misc]
    """What the classifier and the regressor share."""

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
        limits = Limits.of(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        max_steps = 1 if self.l2 != "cv" else None
        with limits.any_time(), steps_of_fit(self, X, y, sample_weight, max_steps) as steps:
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
            self._check_prices(rows)
            learn = partial(self._learn, rows, limits, steps)
            limits.attempt(learn, partial(self._keep_leaf, rows, limits))
        if self.stopped_by_ is not None:
            there_is = "the soft tree is valid, but its loss is not the least it can be"
            warn_of_limit(self.stopped_by_, type(self).__name__, _REMEDY, there_is=there_is, stacklevel=3)
        return self

    def harden(self, X: Any, y: Any, sample_weight: Any = None) -> SoftTree:
        """The gates read as steps, with constant leaves that hold what these rows say: an oblique hard tree,
        which sends every row one way. Give the rows of `fit`.
        """
        check_is_fitted(self)
        limits = Limits.of(self.n_jobs, None, self.memory_limit_mb)
        coding = {"categorical_features": self.categorical_features}
        read_target = self._known_target
        rows = sample_of(
            self, X, y, sample_weight, limits, read_target=read_target, coding=coding, reset=False
        )
        factors = self._class_weights(rows.y, rows.weight)
        weight = rows.weights if factors is None else factors[rows.y] * rows.weights
        return hardened(self.soft_tree_, rows.codes, rows.y, weight)

    def _learn(self, rows: Sample, limits: Limits, steps: Steps) -> None:
        chosen = ChosenL2(0.0)
        if self.l2 == "cv":
            plan = self._plan(rows)
            chosen = cross_validated_l2(
                rows,
                plan,
                partial(self._learn_part, limits),
                self.cv,
                self.random_state,
                limits,
                partial(steps.step, "fold"),
            )
        l2 = chosen.l2 if self.l2 == "cv" else float(self.l2)
        try:
            with steps.step("descend"):
                found, paid = self._descended(rows, l2, limits)
        except TimeoutError:
            self._keep_leaf(rows, limits)
            return
        self._keep(found, paid, l2, chosen)

    def _learn_part(
        self, limits: Limits, rows: Sample, l2: float
    ) -> tuple[Callable[[Sample], targets.Floats], str | None]:
        """What answers rows, learned from these; and the limit that cut it short."""
        found, _ = self._descended(rows, l2, limits)
        return partial(_answers, found.tree), _stopped_by(found.ended_by)

    def _descended(self, rows: Sample, l2: float, limits: Limits) -> tuple[Descended, float]:
        """The soft tree of these rows, and their mean price. Raises TimeoutError where there is no time to
        start.
        """
        limits.look()
        columns = columns_to_weigh(rows)
        held = int(rows.codes.coded.core.nbytes) + 8 * len(rows) * (len(columns) + 4)
        _book(held, limits, "the rows of a soft tree")
        limits.look()
        inputs = rows.codes.inputs(columns)
        distinct = distinct_rows(inputs, len(columns), rows.y, rows.weight, limits.look)
        limits.look()
        design = Design.of(distinct.inputs, columns, distinct.weight)
        spread = self._spread(distinct)
        n_bytes = 8 * design.n_terms * len(distinct.y)
        _book(held + n_bytes, limits, "a table of numbers for a soft tree")
        terms = design.rows(distinct.inputs, limits.look)
        with limits.within(SHARE_TO_START), limits.holding(n_bytes):
            first = self._start(rows, distinct, design, spread, limits)
        target, weights = self._target(distinct, spread), self._weights(distinct)
        model = self._model(first, spread)
        settings = DescentSettings(
            l2=gate_l2(l2, axis=self.gates == "axis"),
            output_l2=output_l2(l2, self._n_classes()),
            leaf_l2=float(self.leaf_l2),
            shares=first.penalty_shares(len(model.parameters)),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            costs=self._costs(),
            price_weight=float(self.price_weight),
        )
        with limits.within(SHARE_TO_DESCEND):
            given = DescentRows(terms, target, weights, distinct.weight)
            found = descend(model, given, settings, limits, n_bytes)
        prices = SoftNodePrices.of(found.tree)
        paid = prices.mean(found.tree, terms, distinct.inputs, distinct.weight, limits.n_threads)
        return found, paid

    def _keep(self, found: Descended, paid: float, l2: float, chosen: ChosenL2) -> None:
        """Sets the fitted attributes."""
        self.soft_tree_ = found.tree
        self.loss_curve_ = found.losses
        self.n_iter_ = found.n_iter
        self.l2_ = l2
        self.cv_results_ = chosen.results
        self.converged_ = found.ended_by == "converged"
        self.stopped_by_ = _stopped_by(found.ended_by) or chosen.stopped_by
        self.expected_cost_ = paid
        self.worst_case_cost_ = found.tree.worst_case_cost()

    def _keep_leaf(self, rows: Sample, limits: Limits) -> None:
        """Where there is no time for anything else: a soft tree that is one leaf, and asks for nothing."""
        distinct = DistinctRows([], rows.y, rows.weights)
        spread = self._spread(distinct)
        first = start.SoftStart(Design.blank(first_categories(rows.codes.columns)), axis=False)
        first.add_leaf(self._leaf(distinct))
        by = limits.stopped_by or "time_limit"
        found = Descended(self._model(first, spread), np.empty(0), 0, by)
        self._keep(found, 0.0, 0.0 if self.l2 == "cv" else float(self.l2), ChosenL2(0.0))

    def _start(
        self, rows: Sample, distinct: DistinctRows, design: Design, spread: Spread, limits: Limits
    ) -> start.SoftStart:
        axis = self.gates == "axis"
        if self.init == "random":
            rng = check_random_state(self.random_state)
            most = 2 ** int(self.max_depth) if self.max_leaves is None else int(self.max_leaves)
            return start.random(design, axis, int(self.max_depth), most, self._leaf(distinct), rng)
        if isinstance(self.init, Tree):
            self._check_init(self.init, rows)
            core, columns = self.init.core, self.init.columns
            values = core.value
        else:
            grown = growth.grow(rows, self._plan(rows), limits)
            core, columns = grown.core, grown.columns
            values = self._values(core, distinct)
        return start.fuzzy(
            core,
            columns,
            distinct,
            design,
            axis=axis,
            local=not self.price_weight,  # prices have hardly a slope where weights are large
            outputs=self._outputs(values, spread),
            look=limits.look,
        )

    def _plan(self, rows: Sample) -> Plan:
        """Of the CART that a soft tree starts from. It does not look at prices: one that does buys cheap
        columns alone, and a descent seldom finds the way to others.
        """
        weights = self._class_weights(rows.y, rows.weight)
        return plan_of_cart(self._n_classes(), weights, self.max_depth, self.max_leaves, START_BY)

    def _costs(self) -> TestCosts | None:
        return None if self.costs is None else as_costs(self.costs)

    def _check_prices(self, rows: Sample) -> None:
        """Raises ValueError for prices that do not fit the columns, or that soft trees do not have."""
        costs = self._costs()
        if costs is None:
            if self.price_weight:
                raise ValueError("price_weight is given without prices: say what columns cost in costs")
            return
        first = start.SoftStart(Design.blank(rows.codes.columns), axis=False)
        first.add_leaf(np.zeros(max(1, self._n_classes())))
        leaf = self._model(first, (0.0, 1.0))
        SoftNodePrices.of(leaf)
        if self.price_weight:
            in_objective(leaf, costs, float(self.price_weight), BOUGHT_ABOVE)

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
        costs = self._costs()
        return SoftTree(
            first.design,
            left=np.array(first.left, np.int32),
            right=np.array(first.right, np.int32),
            first=np.array(first.first, np.int32),
            count=np.array(first.count, np.int32),
            parameters=first.parameters_of(linear=self.leaves == "linear"),
            sharpness=float(self.sharpness),
            classes=tuple(self.classes_.tolist()) if self._n_classes() else None,
            centre=centre,
            deviation=1 / scale if scale else 0.0,
            linear=self.leaves == "linear",
            prices=None if costs is None else costs.to_dict(),
        )

    @abstractmethod
    def _read_target(self, y: targets.AnyArray) -> targets.AnyArray:
        """The target as the core takes it."""

    @abstractmethod
    def _known_target(self, y: targets.AnyArray) -> targets.AnyArray:
        """The same for the target that the tree was learned for."""

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


def _book(n_bytes: int, limits: Limits, what: str) -> None:
    """Raises MemoryError where so much does not fit."""
    allowed = limits.memory_limit_mb
    if allowed is not None and n_bytes > allowed * MEGABYTE:
        raise MemoryError(
            f"{what} needs {n_bytes / MEGABYTE:.0f} MB, but memory_limit_mb allows {allowed:g} MB: raise the "
            "limit, or give fewer rows, columns or categories"
        )


def _stopped_by(ended_by: str) -> str | None:
    return ended_by if ended_by in ("time_limit", INTERRUPT) else None


def _answers(tree: SoftTree, rows: Sample) -> targets.Floats:
    if tree.classes is None:
        return np.asarray(tree.predict(rows.codes))
    return tree.predict_proba(rows.codes)
