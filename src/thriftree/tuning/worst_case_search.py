"""The impurity of a worst-case tree chosen by error: "the tree with the lowest classification error across
impurity functions", as paper 001 recommends (end of section 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, NamedTuple

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
from thriftree.learning.objects import objects_of
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning, node_errors
from thriftree.learning.prunings import Nested
from thriftree.learning.sample import Sample
from thriftree.methods.worst_case.early_stopping import by_tolerance
from thriftree.methods.worst_case.set_functions import AnyImpurity, core_form, resolved, values

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
        words = ("impurity", "tolerance", "by_price", "error", "worst_case_cost", "leaves")
        return {word: [getattr(one, word) for one in self.candidates] for word in words}


def search(rows: Sample, plan: Plan, limits: Limits, how: Search, steps: Steps) -> Found:
    """Measures the menu. Where no fold can measure, as with a single row, the rows of fit do."""
    work = _Work(plan, limits, how, steps)
    candidates = [] if how.cv is None else work.cross_validated(rows)
    candidates = candidates or work.by_training_error(rows)
    return Found(sorted(candidates, key=lambda one: one.rank), work.stopped_by)


def n_growths(priced: bool, within_budget: bool) -> int:
    """Trees that a search grows of the same rows."""
    return len(MENU) * (2 if priced and within_budget else 1)


class _Grown(NamedTuple):
    """The trees of one impurity: that of tolerance 0, cut at each of SHARES."""

    trees: Nested
    impurity: AnyImpurity  # resolved
    plan: Plan  # of tolerance 0


class _Work:
    """One search; notes the limit that it reached."""

    def __init__(self, plan: Plan, limits: Limits, how: Search, steps: Steps) -> None:
        self.limits, self.how, self.steps = limits, how, steps
        # A budget bounds the price already. What is bought with it may be more useful if prices do not count.
        regardless = plan.prices is not None and how.budget is not None
        self.plans = [plan, replace(plan, prices=None)] if regardless else [plan]
        self.stopped_by: str | None = None

    def by_training_error(self, rows: Sample) -> list[Candidate]:
        """A candidate for each impurity, of tolerance 0: a larger one cannot lower the error on the rows of
        fit, and where it would leave out tests without raising it, `without_idle_tests` does.
        """
        found = []
        for one in self._grown(rows):
            tree = without_idle_tests(one.trees.grown, rows, one.plan)
            errors = node_errors(tree, rows, one.plan)[tree.core.column < 0]
            found.append(
                self._candidate(one, 0.0, float(errors.sum()) / mass_of_errors(rows, one.plan), tree)
            )
        return found

    def cross_validated(self, rows: Sample) -> list[Candidate]:
        """A candidate for each impurity and tolerance, by the error of held-out rows: that of the trees of
        all finished folds, cut at the same share of F. None if no fold was finished.
        """
        lost, mass = np.zeros((len(self.plans) * len(MENU), len(SHARES))), 0.0
        random = check_random_state(self.how.random_state)
        for training, held_out in folds(rows, self.plans[0], self.how.cv, random):
            of_fold = [
                one.trees.sums_over_leaves(node_errors(one.trees.grown, held_out, one.plan), one.trees.alphas)
                for one in self._grown(training.for_many_trees())
            ]
            if self.stopped_by is not None:
                break
            lost += of_fold
            mass += mass_of_errors(held_out, self.plans[0])
        if mass == 0:
            return []
        return [
            self._candidate(one, level, error, without_idle_tests(one.trees.tree_at(level), rows, one.plan))
            for one, errors in zip(self._grown(rows), lost / mass, strict=False)  # the time may be up
            for level, error in zip(one.trees.alphas.tolist(), errors.tolist(), strict=True)
        ]

    def _grown(self, rows: Sample) -> Iterator[_Grown]:
        """The trees of these rows for each impurity of the menu, while there is time and at least for the
        first.
        """
        objects = objects_of(rows, self.plans[0], self.limits)
        for number, (plan, named) in enumerate(product(self.plans, MENU)):
            if number and self.limits.seconds_left == 0:
                self.stopped_by = "time_limit"
                return
            with self.steps.step("impurity"):
                impurity = resolved(named, plan.n_classes, len(objects))
                plan = with_impurity(plan, impurity)
                grown = grow_affordable(self.how.budget, rows, plan, self.limits)
                self.stopped_by = self.stopped_by or grown.stopped_by
                of_node = values(impurity, objects.per_node(grown))
            trees = replace(by_tolerance(grown, of_node), alphas=SHARES * of_node[0])
            yield _Grown(trees, impurity, plan)

    def _candidate(self, one: _Grown, tolerance: float, error: float, tree: Grown) -> Candidate:
        worst = price(tree.core, one.plan.prices_of(self.how.costs, tree.columns)).worst_case
        by_price = one.plan.prices is not None
        return Candidate(one.impurity, tolerance, by_price, error, worst, tree.core.n_leaves)


def mass_of_errors(rows: Sample, plan: Plan) -> float:
    """What errors are a part of: the weight of the rows, by class where classes have weights."""
    return float((rows.weights * (1.0 if plan.class_weight is None else plan.class_weight[rows.y])).sum())
