"""What optimal trees of classes and of numbers share: the fit, and what it says about its proof."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, Final, Literal, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions

from thriftree.costs import TestCosts, as_costs
from thriftree.estimators.base import TreeEstimator
from thriftree.estimators.fitted import keep_tree
from thriftree.estimators.parameters import (
    ALPHA_PARAMETERS,
    TREE_PARAMETERS,
    VALIDATION_PARAMETERS,
    Constraints,
    whole_numbers,
)
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
from thriftree.methods.optimal.prices import PriceTerms
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import INTERRUPTED, OPTIMAL, Rounds, Settings, Solution
from thriftree.methods.optimal.solve import Task, solved
from thriftree.tree import Tree
from thriftree.tuning.leaf_penalty import ChosenPenalty, cross_validated_penalty

_STOPPED_BY: Final = {"time_limit": "time_limit", "memory_limit": "memory_limit", INTERRUPTED: INTERRUPT}

OPTIMAL_PARAMETERS: Constraints = {
    **TREE_PARAMETERS,
    "random_state": VALIDATION_PARAMETERS["random_state"],
    "cv": ALPHA_PARAMETERS["cv"],
    "thresholds": [StrOptions({"auto", "all"})],
    "leaf_penalty": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"})],
    "lookahead": [whole_numbers(0), None],
    "beam": [whole_numbers(1), None],
    "warm_start": [Tree, Options(bool, {False}), None],
}


class OptimalTree(TreeEstimator):
    """Base of the optimal trees."""

    max_depth: int | None
    max_leaves: int | None
    min_leaf: float
    min_weight_fraction_leaf: float
    thresholds: str
    leaf_penalty: float | str
    cv: Any
    lookahead: int | None
    beam: int | None
    warm_start: Tree | Literal[False] | None
    categorical_features: Any
    costs: Any
    random_state: Any
    n_jobs: int | None
    time_limit_s: float | None
    memory_limit_mb: float | None

    _refits_below: str  # a learner that grows parts of trees, for those who look for one

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
        work = partial(self._solver(), task, problem, limits, random, begin_with, told_of_search())
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

    def _searched(self, rows: Sample, limits: Limits) -> Grown:
        """The best tree of these rows for a penalty that is given, as others grow one."""
        task, training = self._task(rows), rows.for_many_trees()
        problem = task.problem(training, limits, float(self.leaf_penalty))
        found = solved(task, problem, limits, check_random_state(self.random_state))
        grown = finished(training, task.plan, found.outline, limits.n_threads)
        return replace(grown, stopped_by=_STOPPED_BY.get(found.status))

    def _solver(self) -> Callable[..., Solution]:
        """What searches for the tree."""
        return solved

    def _task(self, rows: Sample) -> Task:
        beam = None if self.beam is None else int(self.beam)
        how = PROOF if self.lookahead is None else HowToSearch(int(self.lookahead), beam)
        rule = LeafRule.of(self.min_leaf, self.min_weight_fraction_leaf)
        settings = Settings(self.thresholds, how)
        return Task(self._plan_again(rows), rule, self._prices(), settings, self._price_terms())

    def _price_terms(self) -> PriceTerms | None:
        """What prices count in the objective; None: nothing."""
        return None

    @abstractmethod
    def _plan_again(self, rows: Sample) -> Plan:
        """The plan of the greedy trees: target, weights, costs of mistakes and the shape."""

    @abstractmethod
    def _loss(self, grown: Grown, plan: Plan) -> float:
        """What a finished tree loses on the rows of fit, in the mean; `keep_tree` has been called."""

    @abstractmethod
    def _rounds(self) -> bool:
        """Whether the objective is rounded by the search, so that a bound is below what it proves."""

    def _rules(self) -> dict[str, Any]:
        rule = LeafRule.of(self.min_leaf, self.min_weight_fraction_leaf)
        return {
            "min_leaf_rows": rule.rows,
            "min_leaf_share": rule.share,
            "max_depth": -1 if self.max_depth is None else int(self.max_depth),
            "max_leaves": -1 if self.max_leaves is None else int(self.max_leaves),
        }

    def _learner(self, rows: Sample, changed: dict[str, Any]) -> Any:
        raise ValueError(
            f"{type(self).__name__} weighs whole trees, so it cannot grow a part of one: collapse, relabel "
            f"or reorder nodes, or fit a {self._refits_below} and refit below its nodes"
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
        self.objective_ = self._loss(grown, plan) + self.leaf_penalty_ * grown.core.n_leaves
        proved = solution.status == OPTIMAL
        exact = proved and not self._rounds()
        self.lower_bound_ = self.objective_ if exact else min(solution.lower_bound, self.objective_)
        gap = self.objective_ - self.lower_bound_
        self.gap_ = gap / self.objective_ if gap > 0 and not proved else 0.0
        self.status_ = solution.status
        self.proved_for_ = solution.proved_for
        columns = np.array(solution.history, dtype=np.float64).reshape(-1, 3)
        self.history_ = dict(zip(("seconds", "incumbent", "bound"), columns.T.copy(), strict=True))
