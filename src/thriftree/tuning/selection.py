"""Which of many measured trees to take: the cheapest of those that score as well as the best."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from thriftree.costs import TestCosts, within_budget
from thriftree.learning.growth import Grown
from thriftree.learning.targets import Floats
from thriftree.tuning.measures import Metric, Priced
from thriftree.tuning.trials import Trial, bound_to


@dataclass(frozen=True, eq=False)
class Candidate:
    """One pruning of one tree, with what it scored and costs."""

    trial: Trial
    number: int  # of the pruning
    score: float  # mean over the parts
    standard_error: float  # of the difference to the best score
    is_good: bool  # whether it scores as well as the best, within the tolerance
    grown: Grown
    expected_cost: float
    worst_case_cost: float

    @property
    def settings(self) -> dict[str, Any]:
        """All that tells it from the others of its method."""
        tree = self.trial.prunings
        return {**self.trial.settings, "alpha": float(tree.alphas[self.number]), "pruned_by": tree.size}

    @property
    def rank(self) -> tuple[Any, ...]:
        """Small is better: good ones by price and leaves, and then the others by score."""
        prices = (self.expected_cost, self.worst_case_cost, self.grown.core.n_leaves)
        return (not self.is_good, *prices, -self.score) if self.is_good else (True, -self.score, *prices)


def candidates(
    trials: Sequence[Trial],
    metric: Metric,
    tolerance: float,
    costs: TestCosts | None,
    max_expected: float | None = None,
) -> list[Candidate]:
    """The best pruning of each tree and the one of best score, the best candidate first.

    A pruning is good if its mean score lies at most `tolerance` below the best of all, and at most one
    standard error of the difference between the two over the parts. More pruning is never more expensive, so
    the best of a tree's good prunings is the most pruned one. If none is good, it is the one of best score.
    Prunings that cost more than `max_expected` on average do not compete. Where nothing was measured, all
    that counts is the first tree, as it was grown.
    """
    first = [_first_within(max_expected, trial, costs) for trial in trials]
    if not trials[0].is_measured:
        return [_candidate(trials[0], first[0], np.nan, np.nan, True, costs)]
    scored = [trial.fold_scores(metric)[:, n:] for trial, n in zip(trials, first, strict=True)]
    best = _best(scored)
    found = []
    for of_trial, (trial, n, scores) in enumerate(zip(trials, first, scored, strict=True)):
        mean = scores.mean(axis=0)
        error = _standard_errors(scores - best.scores[:, np.newaxis])
        good = np.flatnonzero(mean >= best.scores.mean() - np.minimum(tolerance, error) - 1e-12)
        taken = {int(good[-1]) if len(good) else len(mean) - 1 - int(np.argmax(mean[::-1]))}
        if of_trial == best.trial:  # so that the best score is among those that are told
            taken.add(best.number)
        found += [
            _candidate(trial, n + one, mean[one], error[one], len(good) > 0, costs) for one in sorted(taken)
        ]
    return sorted(found, key=lambda candidate: candidate.rank)


def least_expected(trials: Iterable[Trial], costs: TestCosts | None) -> float | None:
    """What the cheapest pruning with a test costs on average; None if none has a test."""
    found = []
    for trial in trials:
        tree = trial.prunings
        leaves = tree.sums_over_leaves(np.ones(tree.grown.core.n_nodes), tree.alphas)
        with_test = np.flatnonzero(leaves > 1.5)
        if len(with_test):
            priced = Priced.by(tree, bound_to(costs, tree.grown))
            found.append(priced.at(float(tree.alphas[with_test[-1]]), trial.held)[0])
    return min(found, default=None)


def _first_within(max_expected: float | None, trial: Trial, costs: TestCosts | None) -> int:
    """The least pruned of a tree's prunings that costs no more than this on average; the root always does."""
    if max_expected is None:
        return 0
    tree = trial.prunings
    priced = Priced.by(tree, bound_to(costs, tree.grown))
    alphas = tree.alphas.tolist()
    # More pruning is never more expensive.
    return bisect_left(
        range(len(alphas) - 1),
        True,
        key=lambda n: within_budget(priced.at(alphas[n], trial.held)[0], max_expected),
    )


def _candidate(
    trial: Trial, number: int, score: float, error: float, is_good: bool, costs: TestCosts | None
) -> Candidate:
    alpha = float(trial.prunings.alphas[number])
    grown = trial.prunings.tree_at(alpha)
    expected, worst = Priced.by(trial.prunings, bound_to(costs, grown)).at(alpha, trial.held)
    return Candidate(trial, number, float(score), float(error), is_good, grown, expected, worst)


def table_of(found: Sequence[Candidate]) -> dict[str, list[Any]]:
    """The candidates by column, as scikit-learn's searches keep them."""
    parameters = dict.fromkeys(parameter for one in found for parameter in one.settings)
    return {
        "method": [one.trial.recipe.method for one in found],
        **{name: [one.settings.get(name) for one in found] for name in parameters},
        "mean_score": [one.score for one in found],
        "standard_error": [one.standard_error for one in found],
        "expected_cost": [one.expected_cost for one in found],
        "worst_case_cost": [one.worst_case_cost for one in found],
        "leaves": [one.grown.core.n_leaves for one in found],
    }


class _Best(NamedTuple):
    """The pruning of best mean score."""

    trial: int
    number: int  # among the tree's prunings that compete
    scores: Floats  # by part


def _best(scored: Sequence[Floats]) -> _Best:
    """Of equals the most pruned of the first tree."""
    top = max(float(scores.mean(axis=0).max()) for scores in scored)
    for trial, scores in enumerate(scored):
        equal = np.flatnonzero(scores.mean(axis=0) >= top - 1e-12)
        if len(equal):
            number = int(equal[-1])
            return _Best(trial, number, np.asarray(scores[:, number], dtype=np.float64))
    raise AssertionError("the best mean is one of the means")


def _standard_errors(differences: Floats) -> Floats:
    """Of the mean of each column; 0 where there is nothing to tell it from."""
    n = len(differences)
    if n < 2:
        return np.zeros(differences.shape[1])
    return np.asarray(differences.std(axis=0, ddof=1) / np.sqrt(n), dtype=np.float64)
