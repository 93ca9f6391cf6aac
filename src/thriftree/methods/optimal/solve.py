"""From rows to the best outline; of very many rows the structure is found on a sample of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from thriftree.costs import TestCosts
from thriftree.learning.growth import Plan, table_of
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.binary_tests import SeenTable
from thriftree.methods.optimal.core_search import PROOF
from thriftree.methods.optimal.number_problem import NumberProblem
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.polish import polished
from thriftree.methods.optimal.price_path import PricePath
from thriftree.methods.optimal.prices import PriceTerms
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import HEURISTIC, OPTIMAL, Rounds, Settings, Solution, Tell
from thriftree.methods.optimal.trimmed import trimmed

GAP_OF_ROUNDING: Final = 1e-6  # up to which a bound is reached: prices are counted in fixed point
MOST_ROWS: Final = 1_000_000  # that a look-ahead searches the structure on


@dataclass(frozen=True)
class Task:
    """Everything but the rows that decides the best tree."""

    plan: Plan  # of the greedy trees: weights of classes, costs of mistakes, shape
    rule: LeafRule
    prices: TestCosts | None  # that the enhanced tree chooses by
    settings: Settings
    terms: PriceTerms | None = None  # what prices count in the objective; None: nothing

    def problem(self, rows: Sample, limits: Limits, leaf_penalty: float = 0.0) -> Problem:
        """The problem of these rows."""
        seen = SeenTable(table_of(rows, self.plan, limits), whole=rows.codes.is_whole)
        if not self.plan.n_classes:
            return NumberProblem.of_numbers(rows, self.plan, self.rule, leaf_penalty, seen)
        return Problem.of(rows, self.plan, self.rule, leaf_penalty, seen, self.terms)


def solved(
    task: Task,
    problem: Problem,
    limits: Limits,
    random: np.random.RandomState,
    warm: Callable[[Problem], Sequence[Outline]] = lambda _: (),
    tell: Tell | None = None,
) -> Solution:
    """The best outline. Where a look-ahead has more than MOST_ROWS rows, tests are chosen on so many of them,
    and thresholds and leaves on all.
    """
    n_rows = len(problem.rows)
    if task.settings.how == PROOF or n_rows <= MOST_ROWS:
        rounds = Rounds(problem, task.plan, task.prices, task.settings, limits, tell)
        return rounds.run(warm(problem))
    drawn = np.sort(random.choice(n_rows, MOST_ROWS, replace=False))
    part = task.problem(problem.rows.take(drawn).for_many_trees(), limits, problem.leaf_penalty)
    found = solved(task, part, limits, random, warm, tell)
    return _on_all_rows(problem, found, limits)


def solved_within(
    most: float,
    task: Task,
    problem: Problem,
    limits: Limits,
    random: np.random.RandomState,
    warm: Callable[[Problem], Sequence[Outline]] = lambda _: (),
    tell: Tell | None = None,
) -> Solution:
    """The best outline whose expected price is at most `most`, among those that are the best at some weight
    of price; the bound is about all of them.
    """
    assert task.terms is not None

    def searched(at_weight: Problem, begin: Sequence[Outline]) -> Solution:
        return solved(task, at_weight, limits, random, lambda part: [*begin, *warm(part)], tell)

    path = PricePath(problem, searched, least_weight=task.terms.weight)
    found = path.within(most)
    objective = found.at(task.terms.weight)
    bound = min(path.lower_bound(most), objective)
    last = list(path.solutions.values())[-1]
    status = last.status
    if path.proved:
        status = OPTIMAL if objective - bound <= GAP_OF_ROUNDING * max(1.0, objective) else HEURISTIC
    history = tuple(moment for one in path.solutions.values() for moment in one.history)
    words = {one.proved_for for one in path.solutions.values()}
    return replace(
        last,
        outline=found.outline,
        objective=objective,
        lower_bound=bound,
        status=status,
        history=history,
        proved_for=words.pop()
        if len(words) == 1
        else f"the tests that all {len(path.solutions)} searches had",
    )


def _on_all_rows(problem: Problem, found: Solution, limits: Limits) -> Solution:
    """The structure that a sample gave, with thresholds of all rows."""
    best = trimmed(problem, found.outline)
    if limits.stopped_by is None and best.asked:
        best = polished(problem, best, limits)
    objective = problem.risk(problem.objective(best))
    return replace(found, outline=best, objective=objective, lower_bound=problem.leaf_penalty)
