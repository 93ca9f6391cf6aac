"""Trees of a limited depth: the cheapest of them, by the exact search of optimal trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from thriftree.costs import TestCosts
from thriftree.learning.growth import SUBSET, THRESHOLD, Plan
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.methods.near_optimal.cheapest import cheapest
from thriftree.methods.near_optimal.near_set import NearSet
from thriftree.methods.optimal.candidates import Candidates, all_tests, in_order, n_tests
from thriftree.methods.optimal.core_search import search
from thriftree.methods.optimal.finish import finished
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.prices import PriceTerms, ProblemPrices
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import OPTIMAL, Settings
from thriftree.methods.optimal.solve import Task
from thriftree.search.exact import Objective
from thriftree.tree import Tree

MOST_TESTS: Final = 1000  # two-way tests of these rows, that a search takes
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, eq=False)
class ShapedTrees:
    """Trees of at most `max_depth` two-way tests on a path that err on at most `error` of the weight."""

    rows: Sample
    n_classes: int
    max_depth: int
    error: float
    prices: TestCosts | None  # None: every test costs 1
    limits: Limits

    def least_price(self, objective: Objective, reached: float) -> Iterator[float]:
        """Lower bounds of the price of these trees, the last of them the least price itself. `reached` is the
        price of one of them. None where the rows have too many tests, or prices of the worst case depend on
        outcomes. Raises TimeoutError at the limit.
        """
        plain = self._problem(None)
        columns = [plain.seen[j] for j in range(len(plain.seen))]
        if sum(map(n_tests, columns)) > MOST_TESTS:
            return
        tests = in_order(test for one in columns if one.n_values > 1 for test in all_tests(one))
        candidates = Candidates(tests, True)
        if objective == "expected":
            yield from self._expected(plain, candidates, reached)
        elif not ProblemPrices.of(self.rows, plain.seen, PriceTerms(self.prices), None).rules.outcomes:
            yield from self._worst_case(candidates, reached)

    def _expected(self, plain: Problem, candidates: Candidates, reached: float) -> Iterator[float]:
        """The cheapest of all trees that err so little, which are a set of nearly best trees."""
        found = NearSet.of(plain, candidates, self.limits, objective=self.error + _ROUNDING)
        if found.status != OPTIMAL:
            raise TimeoutError
        if found.count() == 0:  # but for rounding, the tree itself is one
            return
        prices = ProblemPrices.of(self.rows, plain.seen, PriceTerms(self.prices), None)
        least = cheapest(found, prices, self._price_of, self.limits.seconds_left, most=reached)
        yield least.lower_bound

    def _worst_case(self, candidates: Candidates, reached: float) -> Iterator[float]:
        """The least error within falling budgets, until it is too much: then the last price is the least."""
        price = reached
        while price > 0:
            problem = self._problem(PriceTerms(self.prices, 0.0, price * (1 - 1e-6)))
            found = search(problem, candidates, self.limits)
            if found.status not in (OPTIMAL, "heuristic"):
                raise TimeoutError
            if problem.bound(found.lower_bound, found.objective) > self.error + _ROUNDING:
                break
            if found.status != OPTIMAL:  # delayed tests that are too many for a proof
                return
            price = self._tree(found.outline).worst_case_cost()
        yield price

    def _price_of(self, outline: Outline) -> float:
        return self._tree(outline).expected_cost(self.rows.codes, self.rows.weight)

    def _tree(self, outline: Outline) -> Tree:
        grown = finished(self.rows, self._plan, outline, self.limits.n_threads)
        prices = None if self.prices is None else self.prices.to_dict()
        return Tree(grown.core, grown.columns, tuple(range(self.n_classes)), prices)

    def _problem(self, terms: PriceTerms | None) -> Problem:
        return Task(self._plan, LeafRule(), None, Settings(), terms).problem(self.rows, self.limits)

    @property
    def _plan(self) -> Plan:
        rules = {"min_leaf_rows": 1, "min_leaf_share": 0.0, "max_depth": self.max_depth, "max_leaves": -1}
        return Plan("gini", self.n_classes, THRESHOLD, SUBSET, rules=rules)


def is_of_two_branches(tree: Tree) -> bool:
    """Whether every test has two branches, the one of missing values counted."""
    return bool((np.diff(tree.core.child_begin) <= 2).all())
