"""What tests cost in a search: the rules of prices, who pays, and how much a price counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.costs import TestCosts
from thriftree.learning.allowance import Budget, bound_costs
from thriftree.learning.growth import price_rules
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats
from thriftree.methods.optimal.binary_tests import SeenTable

#: Features that an order may hold, up to which every order is looked at: a proof tries all their sets.
MOST_ORDERED: Final = 8


@dataclass(frozen=True)
class PriceTerms:
    """`weight` x expected price joins the objective; no path costs more than `budget`."""

    costs: TestCosts | None  # None: every test costs 1
    weight: float = 0.0
    budget: float | None = None

    @property
    def as_budget(self) -> Budget | None:
        """The budget of a greedy tree."""
        return None if self.budget is None else Budget(self.budget, self.costs)


@dataclass(frozen=True, eq=False)
class ProblemPrices:
    """The prices of a problem's rows. A test is paid by sample weight: class weights do not change prices."""

    terms: PriceTerms
    rules: _core.PriceRules  # by column, with the budget
    payers: NDArray[np.int64] | None  # of the rows, in whole numbers; None: 1 each
    n_payers: int
    outcome_prices: Floats  # [outcome of the rules, row]
    rounded_price: float  # what rounding of weights can change of an expected price

    @classmethod
    def of(
        cls, rows: Sample, seen: SeenTable, terms: PriceTerms, payers: NDArray[np.int64] | None
    ) -> ProblemPrices:
        """The prices of these rows."""
        bound = bound_costs(terms.costs, seen.table.columns)
        rules = price_rules(bound, seen.table, terms.as_budget)
        by_row = [np.asarray(outcomes.of(_values(seen, j)))[seen[j].codes] for j, outcomes in rules.outcomes]
        outcome_prices = np.array(by_row, dtype=np.float64).reshape(len(by_row), len(rows))
        total = len(rows) if payers is None else int(payers.sum())
        rounded = 0.0  # at most
        if payers is not None:
            exact = rows.weights / rows.weights.sum()
            dearest = float(np.sum(rules.own) + np.sum(rules.setup))
            rounded = float(np.abs(payers / total - exact).sum()) * dearest
        return cls(terms, rules, payers, total, outcome_prices, rounded)

    @property
    def rounded(self) -> float:
        """The same of an objective."""
        return self.rounded_price * self.terms.weight

    def of_columns(self, columns: Sequence[int]) -> bool:
        """Whether a proof of these columns looks at every order that there can be."""
        if not self.rules.delayed.any():
            return True
        known, delayed = self.rules.known, self.rules.delayed
        ordered = [j for j in columns if not known[j] and (self.rules.order_all or delayed[j])]
        if not any(delayed[j] for j in ordered):
            return True
        # Where every test is paid, an order holds thresholds, and a finished tree chooses them anew.
        return self.rules.pay_once and len(ordered) <= MOST_ORDERED

    @cached_property
    def without_delay(self) -> _core.PriceRules:
        """Rules by which no tree costs more: delay only adds."""
        return self.rules.without_delay()

    def arguments(self, core_weight: float, *, delay: bool = True) -> dict[str, Any]:
        """What the core is told; `core_weight` is that of a price of one payer, in the core's units."""
        return {
            "prices": self.rules if delay else self.without_delay,
            "price_weight": core_weight,
            "payers": self.payers,
            "outcome_prices": self.outcome_prices,
        }


def _values(seen: SeenTable, column: int) -> Floats:
    """The outcome of each code of a column, as prices of outcomes take it."""
    values = np.asarray(seen.table.numbers(column), dtype=np.float64)
    return np.append(values, np.nan) if len(values) < seen[column].n_codes else values
