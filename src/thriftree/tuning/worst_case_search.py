"""The impurity of a worst-case tree chosen by error: "the tree with the lowest classification error across
impurity functions", as paper 001 recommends (end of section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from thriftree import _core
from thriftree.costs import TestCosts, price
from thriftree.impurities import HingedPairs, Pairs, Powers
from thriftree.learning.allowance import Budget
from thriftree.learning.budget import grow_within
from thriftree.learning.growth import Grown, Plan, grow
from thriftree.learning.holdout import folds
from thriftree.learning.limits import Limits
from thriftree.learning.objects import LabelledObjects, objects_of
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning, node_errors
from thriftree.learning.prunings import Nested
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.methods.worst_case.early_stopping import by_tolerance
from thriftree.methods.worst_case.set_functions import AnyImpurity, core_form, resolved, values
from thriftree.tuning.loop import Outcome, TuningLoop

EPSILONS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
MENU: Final[tuple[AnyImpurity, ...]] = (
    Pairs(),
    Powers(3),
    Powers(4),
    Powers(5),
    *(HingedPairs(epsilon=epsilon) for epsilon in EPSILONS),
)
# Tolerances as shares of F of all objects, so that they mean the same on a part of the rows.
SHARES: Final = np.array([0.0, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3])


def with_impurity(plan: Plan, impurity: AnyImpurity, tolerance: float = 0.0) -> Plan:
    """The plan that grows by this impurity, which must be resolved, down to this tolerance."""
    chosen = {"set_function": core_form(impurity), "tolerance": tolerance}
    return replace(plan, scoring={**plan.scoring, **chosen})


def grow_affordable(budget: Budget | None, rows: Sample, plan: Plan, limits: Limits) -> Grown:
    """The tree of a plan, within the budget if there is one."""
    return grow(rows, plan, limits) if budget is None else grow_within(budget, rows, plan, limits, Pruning())


def without_idle_tests(grown: Grown, rows: Sample, plan: Plan) -> Grown:
    """The smallest top part of the tree that errs as little on the rows of fit: tests that lower no error
    cost money and buy nothing.
    """
    return replace(grown, core=_core.prune_reduced_error(grown.core, node_errors(grown, rows, plan)))


@dataclass(frozen=True)
class Search:
    """How the impurity is to be found."""

    costs: TestCosts | None
    budget: Budget | None
    cv: Any  # None: by the error on the rows of fit
    random_state: Any


@dataclass(frozen=True)
class Candidate:
    """An impurity with a tolerance, and what its tree of all rows is like."""

    impurity: AnyImpurity  # resolved
    tolerance: float
    by_price: bool  # whether tests are weighed against their prices
    error: float  # of the rows of fit, or cross-validated
    worst_case_cost: float
    leaves: int
    tree: Grown

    @property
    def rank(self) -> tuple[float, float, int]:
        """Small is better. What differs beyond ten digits does not: errors and prices are sums."""
        return (float(f"{self.error:.10g}"), float(f"{self.worst_case_cost:.10g}"), self.leaves)


@dataclass(frozen=True)
class Found:
    """The candidates, the best first, and the limit that left some out, if one did."""

    candidates: list[Candidate]
    stopped_by: str | None

    @property
    def best(self) -> Candidate:
        """The candidate to take: least error, then least worst-case price, then fewest leaves, then the first
        of the menu.
        """
        return self.candidates[0]

    def table(self) -> dict[str, list[Any]]:
        """The candidates by column."""
        parameters = ("impurity", "tolerance", "by_price", "error", "worst_case_cost", "leaves")
        return {name: [getattr(one, name) for one in self.candidates] for name in parameters}


def search(rows: Sample, plan: Plan, limits: Limits, how: Search, steps: Steps) -> Found:
    """Measures the menu: grows the trees of all rows, and then, with `cv`, those of folds that measure them.
    Where no fold can measure, as with a single row or at a limit, the rows of fit do.
    """
    work = _Work(plan, how, TuningLoop(limits, candidate_step=partial(steps.step, "impurity")))
    kept = work.grown(rows)
    candidates = [] if how.cv is None else work.cross_validated(rows, kept)
    candidates = candidates or work.by_training_error(rows, kept)
    return Found(sorted(candidates, key=lambda one: one.rank), work.loop.stopped_by)


def n_growths(priced: bool, within_budget: bool) -> int:
    """Trees that a search grows of the same rows."""
    return len(MENU) * (2 if priced and within_budget else 1)


Part: TypeAlias = tuple[Sample, LabelledObjects, Sample]  # rows to grow on, their objects, rows to measure on
Choice: TypeAlias = tuple[Plan, AnyImpurity]  # the latter as the menu has it


class _Grown(NamedTuple):
    """The trees of one impurity: that of tolerance 0, cut at each of SHARES."""

    trees: Nested
    impurity: AnyImpurity  # resolved
    plan: Plan  # of tolerance 0


class _Work:
    """One search."""

    def __init__(self, plan: Plan, how: Search, loop: TuningLoop) -> None:
        self.plan, self.how, self.loop = plan, how, loop
        # A budget bounds the price already. What is bought with it may be more useful if prices do not count.
        regardless = plan.prices is not None and how.budget is not None
        plans = [plan, replace(plan, prices=None)] if regardless else [plan]
        self.menu: list[Choice] = list(product(plans, MENU))

    def grown(self, rows: Sample) -> list[_Grown]:
        """The trees of all rows for each choice of the menu, while the limits last and at least for the
        first.
        """
        return self.loop.each(self.menu, partial(self._grow, rows, self._objects(rows)))

    def by_training_error(self, rows: Sample, kept: Sequence[_Grown]) -> list[Candidate]:
        """A candidate for each choice, of tolerance 0: a larger one cannot lower the error on the rows of
        fit, and where it would leave out tests without raising it, `without_idle_tests` does.
        """
        found = []
        for one in kept:
            tree = without_idle_tests(one.trees.grown, rows, one.plan)
            errors = node_errors(tree, rows, one.plan)[tree.core.column < 0]
            found.append(
                self._candidate(one, 0.0, float(errors.sum()) / mass_of_errors(rows, one.plan), tree)
            )
        return found

    def cross_validated(self, rows: Sample, kept: Sequence[_Grown]) -> list[Candidate]:
        """A candidate for each choice and tolerance, by the error of held-out rows: that of the trees of all
        finished folds, cut at the same share of F. None if no fold was finished.
        """

        def lost(
            part: tuple[Sample, LabelledObjects, Sample], choice: Choice
        ) -> Outcome[tuple[Floats, float]]:
            training, objects, held_out = part
            one, stopped_by = self._grow(training, objects, choice)
            errors = node_errors(one.trees.grown, held_out, one.plan)
            mass = mass_of_errors(held_out, self.plan)
            return (one.trees.sums_over_leaves(errors, one.trees.alphas), mass), stopped_by

        random = check_random_state(self.how.random_state)
        parts = (
            (training.for_many_trees(), self._objects(training), held_out)
            for training, held_out in folds(rows, self.plan, self.how.cv, random)
        )
        measured = self.loop.by_part(parts, self.menu[: len(kept)], lost)
        if not measured:
            return []
        mass = sum(of_part[0][1] for of_part in measured)
        errors = np.sum([[lost for lost, _ in of_part] for of_part in measured], axis=0) / mass
        return [
            self._candidate(one, level, error, without_idle_tests(one.trees.tree_at(level), rows, one.plan))
            for one, of_levels in zip(kept, errors, strict=False)  # the first fold may have been cut short
            for level, error in zip(one.trees.alphas.tolist(), of_levels.tolist(), strict=True)
        ]

    def _objects(self, rows: Sample) -> LabelledObjects:
        return objects_of(rows, self.plan, self.loop.limits)

    def _grow(self, rows: Sample, objects: LabelledObjects, choice: Choice) -> Outcome[_Grown]:
        plan, named = choice
        impurity = resolved(named, plan.n_classes, len(objects))
        plan = with_impurity(plan, impurity)
        grown = grow_affordable(self.how.budget, rows, plan, self.loop.limits)
        of_node = values(impurity, objects.per_node(grown))
        trees = replace(by_tolerance(grown, of_node), alphas=SHARES * of_node[0])
        return _Grown(trees, impurity, plan), grown.stopped_by

    def _candidate(self, one: _Grown, tolerance: float, error: float, tree: Grown) -> Candidate:
        worst = price(tree.core, one.plan.prices_of(self.how.costs, tree.columns)).worst_case
        by_price = one.plan.prices is not None
        return Candidate(one.impurity, tolerance, by_price, error, worst, tree.core.n_leaves, tree)


def mass_of_errors(rows: Sample, plan: Plan) -> float:
    """What errors are a part of: the weight of the rows, by class where classes have weights."""
    return float((rows.weights * (1.0 if plan.class_weight is None else plan.class_weight[rows.y])).sum())
