"""What a tree costs: per node, per leaf, per row, expected and at worst. The rules are those of cpp/price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.bound import BoundCosts
from thriftree.costs.pricing import PathState, PricedNodes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]


class PriceableTree(Protocol):
    """What pricing reads of a tree: the flat arrays of the native tree, nodes in preorder.

    Node i owns [x_begin[i], x_begin[i + 1]) of each x in children, keys, to. `kind` is 0 at a leaf, 1 for an
    ordered and 2 for a category test. Ordered: x goes to branch to[number of keys below x]. Category: a code
    among the keys goes to its `to`, any other to branch `other`. Missing values go to branch `missing`.
    """

    @property
    def parent(self) -> IntArray: ...
    @property
    def kind(self) -> IntArray: ...
    @property
    def column(self) -> IntArray: ...
    @property
    def missing(self) -> IntArray: ...
    @property
    def other(self) -> IntArray: ...
    @property
    def child_begin(self) -> IntArray: ...
    @property
    def children(self) -> IntArray: ...
    @property
    def key_begin(self) -> IntArray: ...
    @property
    def keys(self) -> FloatArray: ...
    @property
    def to_begin(self) -> IntArray: ...
    @property
    def to(self) -> IntArray: ...
    @property
    def weight(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class TreePrice:
    """The prices of a tree's nodes, at the most expensive outcome that can still occur where outcomes
    matter.
    """

    leaves: NDArray[np.intp]
    bound: BoundCosts
    nodes: PricedNodes

    @cached_property
    def accumulated(self) -> FloatArray:
        """Per node: paid on arrival, before its own test; at a leaf the price of the whole path."""
        return self.nodes.paid

    @cached_property
    def marginal(self) -> FloatArray:
        """Per node: what its test, and the order it may set off, adds; 0 at leaves."""
        return self.nodes.marginal

    @cached_property
    def fixed(self) -> FloatArray:
        """Per node: the part of `accumulated` that no outcome changes."""
        return self.nodes.fixed

    @cached_property
    def times(self) -> NDArray[np.int64]:
        """Nodes x bound.outcomes: how often arriving paid for that column."""
        return self.nodes.times

    @cached_property
    def bought(self) -> NDArray[np.int32]:
        """Per node: for how many columns its test pays, those of an order included."""
        return self.nodes.bought

    @cached_property
    def varies(self) -> NDArray[np.bool_]:
        """Per node: whether the price of one of these depends on its outcome."""
        return self.nodes.varies

    @property
    def worst_case(self) -> float:
        """The largest price of any path, missing and other branches included."""
        return self.nodes.worst_case

    @property
    def expected(self) -> float:
        """The mean price over the leaves, by weight. Prices that depend on outcomes need `of_rows`."""
        return self.nodes.expected

    def arrived(self, node: int) -> PathState:
        """What every row that reaches `node` has bought, its order of delayed tests included."""
        return self.nodes.arrived(node)

    def of_rows(
        self,
        leaf: IntArray,
        values: NDArray[Any] | Sequence[NDArray[Any]] | Mapping[int, NDArray[Any]] | None = None,
    ) -> FloatArray:
        """The price that each row has paid on arrival at a node, its leaf for instance.

        `values`, needed only where prices depend on outcomes, are the rows' columns: a 2-D array, or one
        array a column with numbers (NaN missing) or codes (-1 missing, -2 not among the categories).
        """
        paid_for = self.times[leaf]
        outcomes: list[FloatArray | None] = []
        for j, column in enumerate(self.bound.outcomes):
            if not paid_for[:, j].any():
                outcomes.append(None)
                continue
            if values is None:
                raise ValueError(
                    f"the price of {self.bound.names[column]!r} depends on its outcome: pass the rows' values"
                )
            of_column = values[:, column] if isinstance(values, np.ndarray) else values[column]
            outcomes.append(np.ascontiguousarray(of_column, dtype=np.float64))
        return self.nodes.of_rows(np.ascontiguousarray(leaf, dtype=np.int64), outcomes)


def price(tree: PriceableTree, costs: BoundCosts | None = None) -> TreePrice:
    """The prices of all nodes of `tree`. Without `costs` every node visited costs 1."""
    if costs is None:
        costs = BoundCosts.without_prices(
            [f"column {i}" for i in range(int(tree.column.max(initial=-1)) + 1)]
        )
    return TreePrice(np.flatnonzero(tree.column < 0), costs, costs.prices.price(tree))


def price_rows(
    tree: PriceableTree,
    costs: BoundCosts | None,
    leaf: IntArray,
    values: NDArray[Any] | Sequence[NDArray[Any]] | None = None,
) -> FloatArray:
    """The price that each row pays; see `TreePrice.of_rows`."""
    return price(tree, costs).of_rows(leaf, values)
