"""Growing within a budget: no path of the tree may cost more.

A test that its path cannot pay for is priced out of every choice, and cut where it is chosen for want of
another. Without delayed tests that is all, since what a path has paid does not depend on what lies below. A
delayed test makes its whole branch pay for what any row of it may need; there columns are given up, those
worth least for their price first, until the tree is within the budget.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.costs import BoundCosts, PathState, TestCosts, price
from thriftree.estimators.fitted import importances
from thriftree.estimators.growth import Grown, Plan, Rows
from thriftree.estimators.limits import Limits
from thriftree.estimators.pruning import Pruning, grow_and_prune, node_cost
from thriftree.estimators.prunings import prunings

_OUT_OF_REACH: Final = 1e200  # divides every score down to nothing
_ROUNDING: Final = 1e-9  # of the budget: prices are sums


@dataclass(frozen=True)
class Budget:
    """What any path may cost, and what tests cost; None: 1 each."""

    limit: float
    costs: TestCosts | None

    def bound(self, columns: Sequence[ColumnSchema]) -> BoundCosts:
        """The prices of these columns."""
        if self.costs is None:
            return BoundCosts.without_prices([column.name for column in columns])
        return self.costs.bind(columns)

    def admits(self, amount: float) -> bool:
        """Whether a path may cost this much."""
        return amount <= self.limit * (1 + _ROUNDING)


@dataclass(frozen=True)
class Affordable:
    """The core's price model of a growth within a budget: as usual where a path can pay, else out of
    reach.
    """

    budget: Budget
    prices: BoundCosts  # what paths pay
    weighed: BoundCosts | None  # what scores are divided by where a path can pay; None: by nothing
    given_up: frozenset[int] = frozenset()  # columns

    def marginal(self, path: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """What a score divides by, for each column, after the (column, branch) steps of `path`."""
        state, paid = _walked(self.prices, [column for column, _ in path])
        weighed = np.full(len(self.prices.names), _OUT_OF_REACH)
        for column in range(len(weighed)):
            if self._pays(column, paid + _added(self.prices, state, column)):
                weighed[column] = 1.0 if self.weighed is None else self.weighed.marginal(state, column)
        return weighed

    def _pays(self, column: int, in_all: float) -> bool:
        """Whether a path may test `column`, if it has then paid so much."""
        return column not in self.given_up and self.budget.admits(in_all)

    def cut(self, core: _core.Tree) -> _core.Tree:
        """The tree without the tests that their paths cannot pay for."""
        column, parent = core.column.tolist(), core.parent.tolist()
        states: list[tuple[PathState, float]] = []
        too_dear = np.zeros(core.n_nodes, dtype=np.bool_)
        for node, f in enumerate(column):
            state, paid = states[parent[node]] if node else (PathState(), 0.0)
            if f >= 0:
                paid += _added(self.prices, state, f)
                state = self.prices.visit(state, f)
                too_dear[node] = not self._pays(f, paid)
            states.append((state, paid))
        return _core.prune_collapse(core, too_dear)


def grow_within(budget: Budget, rows: Rows, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    """The tree of these rows under this plan, of which no path costs more than the budget."""
    grown = grow_and_prune(rows, plan, limits, how)
    prices = budget.bound(grown.columns)
    if budget.admits(price(grown.core, prices).worst_case):
        return grown
    weighed = None if plan.prices is None else plan.prices.bind(grown.columns)
    affordable = Affordable(budget, prices, weighed)
    first = tree = _grown_and_cut(affordable, rows, plan, limits, how)
    while not budget.admits(price(tree.core, prices).worst_case):
        given_up = affordable.given_up | {_least_worth(tree, plan, prices)}
        affordable = replace(affordable, given_up=given_up)
        tree = _grown_and_cut(affordable, rows, plan, limits, how)
    if tree is first:
        return tree
    return min(tree, _pruned_to_fit(first, plan, budget), key=lambda one: _leaf_impurity(one, plan))


def warn_of_nothing_bought(budget: Budget, columns: Sequence[ColumnSchema], stacklevel: int) -> None:
    """Says that the tree is one leaf because no useful test of these columns is within the budget."""
    prices = budget.bound(columns)
    cheapest, name = min((_added(prices, PathState(), c), n) for c, n in enumerate(prices.names))
    warnings.warn(
        f"budget={budget.limit:g} pays for no useful test, so the tree is one leaf: the cheapest test is "
        f"{name!r} at {cheapest:g}. Raise the budget",
        UserWarning,
        stacklevel=stacklevel + 1,
    )


def _grown_and_cut(affordable: Affordable, rows: Rows, plan: Plan, limits: Limits, how: Pruning) -> Grown:
    grown = grow_and_prune(rows, replace(plan, price_model=affordable), limits, how)
    return replace(grown, core=affordable.cut(grown.core))


def _least_worth(tree: Grown, plan: Plan, prices: BoundCosts) -> int:
    """The column of the tree whose decrease of impurity is least for what it adds to the price of all."""
    used = [c for c in np.unique(tree.core.column[tree.core.column >= 0]).tolist() if not prices.known[c]]
    worth = importances(tree.core, plan)
    total = _walked(prices, used)[1]
    saved = {c: total - _walked(prices, [other for other in used if other != c])[1] for c in used}
    return int(min(used, key=lambda c: (worth[c] / saved[c] if saved[c] > 0 else np.inf, worth[c], c)))


def _walked(prices: BoundCosts, columns: Sequence[int]) -> tuple[PathState, float]:
    """What a path of tests of these columns has bought, and what it has paid."""
    state, paid = PathState(), 0.0
    for column in columns:
        paid += _added(prices, state, column)
        state = prices.visit(state, column)
    return state, paid


def _added(prices: BoundCosts, state: PathState, column: int) -> float:
    """What testing `column` adds to the price of a path; asking is not paid for."""
    return prices.marginal(state, column) - prices.asking


def _pruned_to_fit(tree: Grown, plan: Plan, budget: Budget) -> Grown:
    """The largest of the tree's weakest-link prunings that is within the budget; the root always is."""
    prices = budget.bound(tree.columns)
    sequence = prunings(tree, plan, "price", prices)
    cut = (sequence.tree_at(alpha) for alpha in sequence.alphas.tolist())
    fitting = next(one for one in cut if budget.admits(price(one.core, prices).worst_case))
    return replace(fitting, alpha=None)


def _leaf_impurity(tree: Grown, plan: Plan) -> float:
    return float(node_cost(tree.core, plan)[tree.core.column < 0].sum())
