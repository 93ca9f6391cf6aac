"""Which question to ask next, and what has been paid: a tree asked one column at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, get_args

from thriftree.costs import PathState, within_budget
from thriftree.document.follow import answer_of
from thriftree.document.leaf_models import extra_questions
from thriftree.explain.bill import Bill
from thriftree.explain.prices import priced_tree
from thriftree.explain.reach import Known, Reach, ReachableTree
from thriftree.explain.values import Values, all_values, union
from thriftree.explain.words import Wording
from thriftree.preorder import subtree_ends

Order = Literal["cheapest", "tree"]


def checked_order(order: str) -> Order:
    """The order, if it is one."""
    if order not in get_args(Order):
        raise ValueError(f"order is {order!r}: write 'cheapest' or 'tree'")
    return order  # type: ignore[return-value]


class Questionnaire:
    """A tree to be asked in any order, with its prices. Everything is derived from the document once."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.tree = ReachableTree(document)
        self.wording = Wording(document)
        self.names: list[str] = [column["name"] for column in document["columns"]]
        arrays, costs, self.prices = priced_tree(document)
        self.bill = Bill(costs)
        # Without prices a column that only a leaf's model reads is a question more.
        self.extra = extra_questions(self.tree.answers.models, arrays.parent, arrays.column)
        self.worst_case = self.prices.worst_case
        if document.get("prices") is None and self.extra.any():
            leaves = self.prices.leaves
            self.worst_case = float((self.prices.accumulated + self.extra)[leaves].max())
        self._end = subtree_ends(arrays.parent.tolist())

    @cached_property
    def position(self) -> dict[str, int]:
        """The number of each column."""
        return {name: number for number, name in enumerate(self.names)}

    def known_of(self, row: Mapping[str, Any]) -> dict[int, Any]:
        """The row's answers by column number, in the row's order. Its names must be the tree's."""
        return {
            self.position[name]: answer_of(self.document["columns"][self.position[name]], value)
            for name, value in row.items()
        }

    def bought(self, known: Known) -> PathState:
        """What asking for these columns, one after the other, has bought."""
        bought = PathState()
        before: dict[int, Any] = {}
        for column, answer in known.items():
            bought = self.ask(bought, column, before)
            before[column] = answer
        return bought

    def ask(self, bought: PathState, column: int, known: Known) -> PathState:
        """What is bought after asking for one more column."""
        return self.bill.ask(bought, column, lambda: self._open_columns(self.tree.reach(known)))

    def next_column(self, known: Known, order: Order) -> int | None:
        """The column to ask for next, by its number; None if the tree's answer is settled.

        "tree": the first test on the way whose column is not known. "cheapest": the cheapest column that is
        useful, ties in the order of the tests, unless it could make the whole more expensive than the tree's
        worst case.
        """
        reach = self.tree.reach(known)
        if reach.settled:
            return None
        columns = self._open_columns(reach)
        if order == "tree":
            return columns[0]
        bought = self.bought(known)
        after = {c: self.bill.ask(bought, c, lambda: columns) for c in columns}
        price = {c: self.bill.adds(bought, after[c]) for c in columns}
        for column in sorted(columns, key=lambda c: price[c]):  # stable: ties stay in the tree's order
            in_order = column == columns[0]
            if in_order or (
                self._is_useful(column, reach, price) and self._is_affordable(after[column], reach, known)
            ):
                return column
        raise AssertionError("the tree's own next question is always allowed")

    def _open_columns(self, reach: Reach) -> list[int]:
        """The columns that may still be asked for, in the order of the tests; then those that linear leaves
        read.
        """
        return list(dict.fromkeys([*(self.tree.column_of(test) for test in reach.tests), *reach.reads]))

    def _is_useful(self, column: int, reach: Reach, price: Mapping[int, float]) -> bool:
        """Whether some answer makes a label impossible, or makes a more expensive question needless."""
        ways: dict[Any, list[Values]] = {}
        everything = all_values(self.document["columns"][column])
        for leaf in reach.leaves:
            said = self.tree.says[leaf.node]
            ways.setdefault(("says", type(said), said), []).append(leaf.left.get(column, everything))
        for test in reach.tests:
            asked = self.tree.column_of(test)
            if price[asked] > price[column]:
                ways.setdefault(("asks", asked), []).append(test.left.get(column, everything))
        return any(union(values) != everything for values in ways.values())

    def _is_affordable(self, bought: PathState, reach: Reach, known: Known) -> bool:
        """Whether going on in the tree's order from `bought` costs no more than the tree's worst case,
        whatever the answers.
        """
        prices = self.bill.prices
        orders = [] if prices.has_ordered(bought) else self._orders(reach)
        for leaf in reach.leaves:
            path = bought
            for column in (*leaf.left, *self.tree.unread(leaf.node, known)):
                path = prices.visit(path, column)
            nearest = bisect_left(orders, leaf.node, key=lambda order: order[0]) - 1
            if nearest >= 0 and leaf.node < self._end[orders[nearest][0]]:
                path = prices.order(path, orders[nearest][1])
            if not within_budget(self.bill.total(path, {**known, **leaf.left}), self.worst_case):
                return False
        return True

    def _orders(self, reach: Reach) -> list[tuple[int, list[int]]]:
        """The tests that would place an order, the first of each path, and the columns that may be needed
        from there on.
        """
        orders: list[tuple[int, list[int]]] = []
        end = 0
        for test in reach.tests:
            if test.node < end or not self.bill.prices.places_order(PathState(), self.tree.column_of(test)):
                continue
            end = self._end[test.node]
            below = [self.tree.column_of(t) for t in reach.tests if test.node <= t.node < end]
            orders.append((test.node, below))
        return orders
