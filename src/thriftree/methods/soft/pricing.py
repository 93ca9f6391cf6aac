"""What the gates and leaves of a soft tree cost: the rules are those of cpp/price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.costs import BoundCosts, TestCosts
from thriftree.methods.soft.design import Design, Floats, column_of_inputs
from thriftree.table.inputs import Inputs

if TYPE_CHECKING:
    from thriftree.methods.soft.soft_tree import SoftTree

#: τ: a gate, or a linear leaf, buys a column where the root of the sum of its squared weights is above this.
#: They are weights of standardised numbers, and of categories.
BOUGHT_ABOVE: Final = 0.1


@dataclass(frozen=True, eq=False)
class SoftNodePrices:
    """Per gate, then per leaf: what arriving there adds to the price of a row."""

    bound: BoundCosts | None  # None: every gate costs 1
    fixed: Floats  # the part that no outcome changes
    times: NDArray[np.int64]  # nodes × bound.outcomes: how often that column is paid

    @classmethod
    def of(cls, tree: SoftTree) -> SoftNodePrices:
        """By the prices that the tree holds."""
        if tree.prices is None:
            ones = np.concatenate([np.ones(tree.n_gates), np.zeros(tree.n_leaves)])
            return cls(None, ones, np.zeros((len(ones), 0), np.int64))
        bound = TestCosts.from_dict(tree.prices).bind(tree.design.columns)
        lists = [np.flatnonzero(buys).tolist() for buys in bought(tree)]
        return cls(bound, *_core.soft_node_prices(tree.shape(), bound.prices, lists))

    def of_rows(self, reach: Floats, inputs: Inputs) -> Floats:
        """The expected price of each row, given its probabilities of reaching gates and leaves."""
        paid = _weighed(reach, self.fixed)
        if self.bound is not None:
            for slot, (column, outcomes) in enumerate(self.bound.outcomes.items()):
                if self.times[:, slot].any():
                    values = np.ascontiguousarray(column_of_inputs(inputs, column), np.float64)
                    paid += _weighed(reach, self.times[:, slot]) * outcomes.of(values)
        return paid

    def mean(
        self, tree: SoftTree, rows: _core.SoftRows, inputs: Inputs, weight: Floats, n_threads: int
    ) -> float:
        """The mean of `of_rows` over these rows, which are given in both forms."""
        given = tree.shape(), rows, tree.parameters
        if not self.times.any():  # then no row's own path matters
            reach = _core.soft_mean_reaches(*given, weight, tree.sharpness, n_threads)
            return float((reach * self.fixed).sum())
        reach = _core.soft_reaches(*given, tree.sharpness, n_threads)
        return float(np.average(self.of_rows(reach, inputs), weights=weight))

    def worst_case(self, tree: SoftTree) -> float:
        """The largest sum on a path from the root to a leaf, each outcome at its highest price."""
        added = self.fixed
        if self.bound is not None:
            highest = [outcomes.highest for outcomes in self.bound.outcomes.values()]
            added = added + self.times @ np.array(highest, np.float64)
        total = added.copy()
        for gate in range(tree.n_gates):
            for child in (int(tree.left[gate]), int(tree.right[gate])):
                node = child if child >= 0 else tree.n_gates + ~child
                total[node] += total[gate]
        return float(total.max())


def bought(tree: SoftTree) -> NDArray[np.bool_]:
    """Per gate, then per leaf, and column: whether it has to know the column."""
    gates = _by_column(tree.gate_weights**2, tree.design)
    weights = tree.leaf_weights
    if weights is None:
        leaves = np.zeros((tree.n_leaves, len(tree.design.columns)))
    else:
        leaves = _by_column((weights**2).sum(axis=1), tree.design)
    return np.asarray(np.concatenate([gates, leaves]) > BOUGHT_ABOVE**2)


def in_objective(tree: SoftTree, costs: TestCosts, price_weight: float, tau: float) -> _core.SoftPrices:
    """The prices as a descent takes them. Raises ValueError for those that have no slope."""
    bound = costs.bind(tree.design.columns)
    learner = "price_weight takes prices that are sums over gates"
    if bound.outcomes:
        names = ", ".join(repr(bound.names[column]) for column in bound.outcomes)
        raise ValueError(
            f"{learner}, and the price of {names} depends on the outcome: give one price, or learn with "
            "price_weight=0 and price the result with expected_cost"
        )
    if bound.delayed.any():
        raise ValueError(
            f"{learner}, and what an order of delayed tests holds has no slope: leave delayed out, or learn "
            "with price_weight=0 and price the result with expected_cost"
        )
    begins = [*tree.design.begins, tree.design.n_terms]
    return _core.SoftPrices(bound.prices, begins, tau, price_weight)


def _weighed(reach: Floats, of_nodes: NDArray[Any]) -> Floats:
    """reach · of_nodes, summed in one order: that of a matrix product depends on the CPU."""
    total = np.zeros(len(reach))
    for node in np.flatnonzero(of_nodes):
        total += reach[:, node] * of_nodes[node]
    return total


def _by_column(of_terms: Floats, design: Design) -> Floats:
    """Sums over the terms of each column."""
    sums = np.zeros((len(of_terms), len(design.columns)))
    for j, (begin, width) in enumerate(zip(design.begins, design.widths, strict=True)):
        sums[:, j] = of_terms[:, begin : begin + width].sum(axis=1)
    return sums
