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
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.polish import polished
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import Rounds, Settings, Solution, Tell
from thriftree.methods.optimal.trimmed import trimmed

MOST_ROWS: Final = 1_000_000  # that a look-ahead searches the structure on


@dataclass(frozen=True)
class Task:
    """Everything but the rows that decides the best tree."""

    plan: Plan  # of the greedy trees: weights of classes, costs of mistakes, shape
    rule: LeafRule
    prices: TestCosts | None  # that the enhanced tree chooses by
    settings: Settings

    def problem(self, rows: Sample, limits: Limits, leaf_penalty: float = 0.0) -> Problem:
        """The problem of these rows."""
        seen = SeenTable(table_of(rows, self.plan, limits), whole=rows.codes.is_whole)
        return Problem.of(rows, self.plan, self.rule, leaf_penalty, seen)


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


def _on_all_rows(problem: Problem, found: Solution, limits: Limits) -> Solution:
    """The structure that a sample gave, with thresholds of all rows."""
    best = trimmed(problem, found.outline)
    if limits.stopped_by is None and best.asked:
        best = polished(problem, best, limits)
    objective = problem.risk(problem.objective(best))
    return replace(found, outline=best, objective=objective, lower_bound=problem.leaf_penalty)
