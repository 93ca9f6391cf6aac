"""Optimal trees: the least regularised risk, with a proof or with a bound, at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions

from thriftree.costs import TestCosts, as_costs
from thriftree.estimators.base import OfClasses, TreeEstimator
from thriftree.estimators.fitted import keep_tree
from thriftree.estimators.parameters import (
    ALPHA_PARAMETERS,
    CLASSIFIER_PARAMETERS,
    TREE_PARAMETERS,
    VALIDATION_PARAMETERS,
    Constraints,
)
from thriftree.learning import growth, targets
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import INTERRUPT, Limits, warn_of_limit
from thriftree.learning.progress import Steps, steps_of_fit, told_of_search
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.core_search import PROOF, HowToSearch
from thriftree.methods.optimal.finish import finished
from thriftree.methods.optimal.from_trees import outline_of
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.path import QuickPath
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import INTERRUPTED, OPTIMAL, Rounds, Settings, Solution
from thriftree.methods.optimal.solve import Task, solved
from thriftree.tree import Tree
from thriftree.tuning.leaf_penalty import ChosenPenalty, cross_validated_penalty

_STOPPED_BY: Final = {"time_limit": "time_limit", "memory_limit": "memory_limit", INTERRUPTED: INTERRUPT}
_SHARED: Constraints = {
    **TREE_PARAMETERS,
    **CLASSIFIER_PARAMETERS,
    "random_state": VALIDATION_PARAMETERS["random_state"],
    "cv": ALPHA_PARAMETERS["cv"],
}


class OptimalTreeClassifier(OfClasses, TreeEstimator):
    """Classification tree of least regularised risk: the weight it gets wrong plus a penalty for each leaf.

    Of all trees of the given shape over some tests there is none better, and the fit proves it; stopped
    early, it gives the best tree so far and a bound on what any other could gain. Tests have two branches:
    `x <= t`, sets of categories, missing values on either side or on their own.

    Parameters
    ----------
    max_depth : int or None, default=4
        Tests on a path at most. A proof takes about as many times longer as there are tests with every
        further level.
    max_leaves : int or None, default=None
        Leaves at most.
    min_leaf : int or float, default=1
        What a branch must keep: int, rows of positive weight; float, a share of the total weight.
    min_weight_fraction_leaf : float, default=0.0
        The same as a float `min_leaf`, at most 0.5, under scikit-learn's name. Both hold.
    thresholds : {"auto", "all"}, default="auto"
        "auto" takes all tests where they are few; else the thresholds and subsets of greedy trees and
        quantiles, searches, chooses every threshold anew among all values, and searches again with what it
        found, until nothing improves. "all" proves over every threshold, for `max_depth` up to 3.
    leaf_penalty : float or "cv", default="cv"
        λ, what a leaf must gain: a share of the weight, or a mean cost with `error_costs`. "cv" takes the
        penalty of least cross-validated error along the path of penalties. 0 is error alone, which overfits
        small tables.
    cv : int, splitter or None, default=5
        Folds for `leaf_penalty`, stratified.
    lookahead : int or None, default=None
        None proves. A number chooses each test by the best tree of so many levels below it, without a proof;
        3 is quick and mostly finds the optimum. For tables that are too large for a proof: of more than a
        million rows the tests are chosen on a sample, thresholds and leaves on all.
    beam : int or None, default=None
        Tests that a look-ahead tries at each node. None: as many as about 30 ms of one CPU allow, by a count
        of the work, so that the tree is the same on every machine.
    warm_start : Tree or None, default=None
        A tree to begin with: the result is no worse than what pruning to the limits makes of it. False, of
        scikit-learn's own meaning, is None.
    categorical_features : "auto", list of names or positions, or None, default="auto"
        Columns whose values are only names. "auto": strings, booleans and categoricals.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of each class. "balanced" gives all classes the same total.
    error_costs : array of shape (n_classes, n_classes) or None, default=None
        Cost of predicting column j for a row of class i, in place of 1 for every mistake.
    costs : TestCosts, dict, array or None, default=None
        Price of each test, for `expected_cost_`, `worst_case_cost_` and `predict_cost`. None: every test
        costs 1. The objective does not depend on it.
    smoothing : float, default=0.0
        Added to the weight of every class at a node before probabilities are taken (Laplace: 1).
    shrinkage : float, "cv" or None, default=None
        λ by which the probabilities of leaves are drawn towards those of the nodes above them, as in
        `CARTClassifier`. The objective does not depend on it. "cv" measures it on the trees of folds that a
        look-ahead finds; where the search has used up the time, λ is 10.
    random_state : int, RandomState or None, default=None
        Seed of folds and samples.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs. The tree does not depend on it.
    time_limit_s, memory_limit_mb : float or None, default=None
        A fit that reaches a limit keeps the best tree so far, warns, and says so in `stopped_by_`.

    Attributes
    ----------
    tree_ : Tree
    objective_ : float
        Share of the weight (sample x class weight) that the tree gets wrong on the rows of fit, plus
        `leaf_penalty_` times its leaves; with `error_costs` the first term is the mean cost of a mistake.
    lower_bound_ : float
        No tree of this shape over the tests of `proved_for_` has a smaller objective. Never above
        `objective_`; equal to it if `status_` is "optimal".
    gap_ : float
        (objective_ - lower_bound_) / objective_, 0 where the objective is 0.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted", "heuristic"}
    proved_for_ : str
        The tests that `lower_bound_` is about: "all thresholds", or "the 143 generated tests".
    history_ : dict of arrays
        `seconds`, `incumbent` and `bound`, each time one of them changed. Where polished thresholds join the
        tests the bound begins anew.
    leaf_penalty_ : float
        The penalty that was used.
    cv_results_ : dict of arrays, or None
        What "cv" measured: `leaf_penalty`, `mean_loss`, `standard_error`, `mean_leaves`.
    stopped_by_ : None, "time_limit", "memory_limit" or "interrupt"
        What ended the fit early. After Ctrl-C the attributes are set before KeyboardInterrupt is raised.

    The others are those of `CARTClassifier`.

    References
    ----------
    Paper 004 of docs/papers.md; docs/guide/optimal.md says when an optimal tree is worth it,
    docs/guide/optimal_bounds.md how it is proved.

    Examples
    --------
    >>> from thriftree import OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = OptimalTreeClassifier(leaf_penalty=0.01).fit(X, y)
    >>> model.status_, model.objective_, model.tree_.n_leaves
    ('optimal', 0.04, 4)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_SHARED,
        "thresholds": [StrOptions({"auto", "all"})],
        "leaf_penalty": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"})],
        "lookahead": [Interval(Integral, 0, None, closed="left"), None],
        "beam": [Interval(Integral, 1, None, closed="left"), None],
        "warm_start": [Tree, Options(bool, {False}), None],
    }

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_leaves: int | None = None,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        thresholds: str = "auto",
        leaf_penalty: float | str = "cv",
        cv: Any = 5,
        lookahead: int | None = None,
        beam: int | None = None,
        warm_start: Tree | Literal[False] | None = None,
        categorical_features: Any = "auto",
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
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.thresholds = thresholds
        self.leaf_penalty = leaf_penalty
        self.cv = cv
        self.lookahead = lookahead
        self.beam = beam
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the tree.

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
        limits = Limits.of_search(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        with limits.any_time(), steps_of_fit(self, X, y, sample_weight, self._max_steps()) as steps:
            rows = self._read(X, y, sample_weight, limits).for_many_trees()
            learn = partial(self._learn, rows, limits, steps)
            limits.attempt(learn, steps.untold(learn))
        if self.stopped_by_ is not None:
            warn_of_limit(
                self.stopped_by_,
                type(self).__name__,
                "ask for less (a smaller max_depth, a larger leaf_penalty, lookahead=3)",
                there_is="the tree is the best so far, and lower_bound_ says what is proved of it",
            )
        return self

    def _coding(self) -> dict[str, Any]:
        return {"categorical_features": self.categorical_features, "by_value": True}

    def _max_steps(self) -> int | None:
        if self.leaf_penalty != "cv":
            return 1
        n_folds = 5 if self.cv is None else self.cv
        return int(n_folds) + 1 if isinstance(n_folds, Integral) else None

    def _learn(self, rows: Sample, limits: Limits, steps: Steps) -> None:
        task = self._task(rows)
        chosen = self._chosen_penalty(task, rows, limits, steps)
        problem = task.problem(rows, limits, chosen.leaf_penalty)
        random = check_random_state(self.random_state)
        begin_with = partial(self._warm_outlines, chosen)
        work = partial(solved, task, problem, limits, random, begin_with, told_of_search())
        solution = limits.attempt(
            work,
            lambda: Rounds(problem, task.plan, task.prices, task.settings, limits).run(begin_with(problem)),
            step=partial(steps.step, "search"),
        )
        if limits.interrupt is not None and solution.status != OPTIMAL:
            solution = replace(solution, status=INTERRUPTED)
        keep = partial(self._keep, solution, chosen, rows, task.plan, limits)
        limits.attempt(keep, keep)
        self._choose_shrinkage(rows, task.plan, limits)

    def _growing_parts(self, rows: Sample, plan: Plan, limits: Limits) -> Callable[[Sample], Grown]:
        task = self._task(rows)

        def grown(part: Sample) -> Grown:
            training = part.for_many_trees()
            path = QuickPath(task.problem(training, limits), plan, task.prices, limits)
            return finished(training, plan, path.trees([self.leaf_penalty_])[0], limits.n_threads)

        return grown

    def _task(self, rows: Sample) -> Task:
        beam = None if self.beam is None else int(self.beam)
        how = PROOF if self.lookahead is None else HowToSearch(int(self.lookahead), beam)
        rule = LeafRule.of(self.min_leaf, self.min_weight_fraction_leaf)
        return Task(self._plan_again(rows), rule, self._prices(), Settings(self.thresholds, how))

    def _plan_again(self, rows: Sample) -> Plan:
        error_costs = targets.cost_matrix(self.error_costs, self.classes_)
        rule = LeafRule.of(self.min_leaf, self.min_weight_fraction_leaf)
        return Plan(
            criterion="gini",
            n_classes=self.n_classes_,
            ordered_tests=growth.THRESHOLD,
            category_tests=growth.SUBSET,
            class_weight=targets.class_weights(self.class_weight, self.classes_, rows.y, rows.weight),
            priors=targets.altered_priors(error_costs, rows.y, rows.weight),
            error_costs=error_costs,
            rules={
                "min_leaf_rows": rule.rows,
                "min_leaf_share": rule.share,
                "max_depth": -1 if self.max_depth is None else int(self.max_depth),
                "max_leaves": -1 if self.max_leaves is None else int(self.max_leaves),
            },
        )

    def _learner(self, rows: Sample, changed: dict[str, Any]) -> Any:
        raise ValueError(
            "OptimalTreeClassifier weighs whole trees, so it cannot grow a part of one: collapse, relabel or "
            "reorder nodes, or fit a CARTClassifier and refit below its nodes"
        )

    def _prices(self) -> TestCosts | None:
        return None if self.costs is None else as_costs(self.costs)

    def _chosen_penalty(self, task: Task, rows: Sample, limits: Limits, steps: Steps) -> ChosenPenalty:
        if self.leaf_penalty != "cv":
            return ChosenPenalty(float(self.leaf_penalty))
        return cross_validated_penalty(
            rows,
            task.plan,
            lambda part: task.problem(part, limits),
            task.prices,
            self.cv,
            self.random_state,
            limits,
            partial(steps.step, "fold"),
        )

    def _warm_outlines(self, chosen: ChosenPenalty, problem: Problem) -> list[Outline]:
        """The trees to begin with, in the codes of these rows."""
        tree = self.warm_start
        if not tree:
            return list(chosen.trees)
        names = [column.name for column in problem.seen.table.columns]
        if [column.name for column in tree.columns] != names:
            raise ValueError(
                f"warm_start is a tree of the columns {[column.name for column in tree.columns]}, and X has "
                f"{names}: give a tree of the same columns"
            )
        kinds = [column.kind for column in problem.seen.table.columns]
        for column, kind in zip(tree.columns, kinds, strict=True):
            if (column.kind == "number") != (kind == "number"):
                raise ValueError(
                    f"warm_start tests {column.name!r} as {column.kind}, and X has it as {kind}: give a tree "
                    "of the same columns"
                )
        return [outline_of(tree.core, tree.columns, problem.seen), *chosen.trees]

    def _keep(
        self, solution: Solution, chosen: ChosenPenalty, rows: Sample, plan: Plan, limits: Limits
    ) -> None:
        grown = finished(rows, plan, solution.outline, limits.n_threads)
        stopped_by = _STOPPED_BY.get(solution.status, solution.stopped_by or chosen.stopped_by)
        if limits.interrupt is not None:
            stopped_by = INTERRUPT
        keep_tree(self, replace(grown, stopped_by=stopped_by), rows, replace(plan, priors=None))
        self.leaf_penalty_ = float(chosen.leaf_penalty)
        self.cv_results_ = chosen.results
        self.objective_ = _objective(grown, plan) + self.leaf_penalty_ * grown.core.n_leaves
        proved = solution.status == OPTIMAL
        self.lower_bound_ = self.objective_ if proved else min(solution.lower_bound, self.objective_)
        gap = self.objective_ - self.lower_bound_
        self.gap_ = gap / self.objective_ if gap > 0 else 0.0
        self.status_ = solution.status
        self.proved_for_ = solution.proved_for
        columns = np.array(solution.history, dtype=np.float64).reshape(-1, 3)
        self.history_ = dict(zip(("seconds", "incumbent", "bound"), columns.T.copy(), strict=True))


def _objective(grown: Grown, plan: Plan) -> float:
    """The share of the weight that a finished tree gets wrong, or the mean cost of its mistakes."""
    core = grown.core
    leaf = core.column < 0
    value = core.value.reshape(-1, plan.n_classes)[leaf]
    label = core.label[leaf]
    if plan.error_costs is None:
        wrong = value.sum() - value[np.arange(len(label)), label].sum()
    else:
        wrong = (value * plan.error_costs[:, label].T).sum()
    return float(wrong / value.sum())
