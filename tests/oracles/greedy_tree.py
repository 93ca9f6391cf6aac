"""GreedyTree (paper 001, Algorithm 1), slowly: R of every test of every node, in exact fractions.

R(t) is the largest price / (F(S) - F(S_v)) over the outcomes v of t, infinite where an outcome keeps all of
F; the smallest R wins. Prices follow the path: what is bought, known or in an opened group is cheaper, every
test adds the price of asking, a feature that is paid once may win as a whole (READ), and the price may
depend on the outcome: a branch of several codes costs what the most expensive of them costs. A node keeps R
of all its tests, so that another tree can be followed through ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from oracles.candidates import Parts, by_code, candidates, product
from oracles.greedy import Bought, Prices, questions
from oracles.ngi import Cell, Instance
from oracles.node_tests import Kind
from oracles.set_functions import SetFunction

Ratio: TypeAlias = Fraction | float  # a fraction, or infinity
OutcomePrices: TypeAlias = Mapping[int, Mapping[int, Fraction]]  # column, code


@dataclass(frozen=True, eq=False)
class Problem:
    """Objects, the tests on offer, F and δ, and what tests cost."""

    of: Instance
    kinds: Sequence[Kind]
    function: SetFunction
    n_classes: int
    tolerance: Fraction = Fraction(0)
    rules: Prices = field(default_factory=Prices)
    outcomes: OutcomePrices = field(default_factory=dict)  # a column that is not here has one price

    def impurity(self, cell: Cell) -> Fraction:
        """F of a set of objects."""
        return self.function(class_counts(self.of, cell, self.n_classes))

    def is_leaf(self, cell: Cell) -> bool:
        """F ≤ δ."""
        return self.impurity(cell) <= self.tolerance

    def own(self, column: int, code: int) -> Fraction:
        """What the outcome costs by itself."""
        return self.outcomes[column][code] if column in self.outcomes else self.of.prices[column]

    def is_answered(self, column: int, bought: Bought) -> bool:
        """Whether the path has the answer already."""
        return column in self.rules.known or (self.rules.pay_once and column in bought)

    def price(self, column: int, code: int, bought: Bought) -> Fraction:
        """What this outcome of the column adds to the price of the path."""
        if self.is_answered(column, bought):
            return Fraction(0)
        return self.own(column, code) + self.rules.set_up(self.rules.group_of(column), bought)

    def highest(self, cell: Cell, column: int, bought: Bought) -> Fraction:
        """What the most expensive of the outcomes that these objects have adds to the price of the path."""
        return max(self.price(column, self.of.codes[i][column], bought) for i in cell)

    def after(self, column: int, bought: Bought) -> Bought:
        """What the path has bought once it has tested the column."""
        return bought if column in self.rules.known else bought | {column}


@dataclass(frozen=True)
class Offer:
    """A test at a node, with its R."""

    column: int
    parts: Parts
    ratio: Ratio


@dataclass(frozen=True)
class Competitor:
    """Who competes at a node: a column, or a group that would be read as a whole. If it wins by its ratio,
    the best of its offers is placed.
    """

    ratio: Ratio
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class GreedyTreeNode:
    """A node with the objects that reach it, all that competed there, and the test chosen (none in a
    leaf).
    """

    objects: Cell
    claims: tuple[Competitor, ...] = ()
    chosen: Offer | None = None
    children: tuple[GreedyTreeNode, ...] = ()

    def nodes(self) -> Iterator[GreedyTreeNode]:
        """This node and those below, in preorder."""
        yield self
        for child in self.children:
            yield from child.nodes()

    def leaves(self) -> list[GreedyTreeNode]:
        """The nodes without a test."""
        return [node for node in self.nodes() if node.chosen is None]

    def cut(self, depth: int) -> GreedyTreeNode:
        """The tree without what lies below this depth."""
        if depth == 0:
            return GreedyTreeNode(self.objects)
        return replace(self, children=tuple(child.cut(depth - 1) for child in self.children))


def grow(problem: Problem) -> GreedyTreeNode:
    """The tree of Algorithm 1; of equal R the first column and its first candidate are taken."""
    return _grow(problem, problem.of.objects, frozenset())


def _grow(problem: Problem, cell: Cell, bought: Bought) -> GreedyTreeNode:
    if problem.is_leaf(cell):
        return GreedyTreeNode(cell)
    competing = claims(problem, cell, bought)
    best = winners(competing)
    if not best:
        return GreedyTreeNode(cell, competing)
    after = problem.after(best[0].column, bought)
    children = tuple(_grow(problem, part, after) for part in best[0].parts)
    return GreedyTreeNode(cell, competing, best[0], children)


def claims(problem: Problem, cell: Cell, bought: Bought) -> tuple[Competitor, ...]:
    """All that competes at this node: the columns, then the groups, each in its order."""
    rules = problem.rules
    single = {column: _of_column(problem, cell, column, bought) for column in range(len(problem.kinds))}
    single = {column: claim for column, claim in single.items() if claim.offers}
    if rules.free_first:
        useful = {column: claim for column, claim in single.items() if claim.ratio < math.inf}
        free = [claim for column, claim in useful.items() if problem.highest(cell, column, bought) == 0]
        if free:
            return tuple(free)
    if not (rules.read and rules.pay_once):
        return tuple(single.values())
    competing = [_or_read(problem, cell, column, bought, single[column]) for column in single]
    for group in range(len(rules.setup)):
        unpaid = [
            column
            for column in single
            if rules.group_of(column) == group and not problem.is_answered(column, bought)
        ]
        if len(unpaid) >= 2 and rules.reads(product([by_code(problem.of, cell, c) for c in unpaid])):
            together = tuple(offer for column in unpaid for offer in single[column].offers)
            competing.append(Competitor(_read(problem, cell, unpaid, bought), together))
    return tuple(competing)


def winners(competing: Sequence[Competitor], margin: Fraction = Fraction(0)) -> list[Offer]:
    """The tests that Algorithm 1 may choose; `margin` is how much worse, relatively, counts as equal.

    None if every test leaves all of F in some outcome.
    """
    useful = [claim for claim in competing if min(offer.ratio for offer in claim.offers) < math.inf]
    least = min((claim.ratio for claim in useful), default=math.inf)
    best: list[Offer] = []
    for claim in useful:
        if claim.ratio <= least * (1 + margin):
            own = min(offer.ratio for offer in claim.offers) * (1 + margin)
            best += [offer for offer in claim.offers if offer.ratio <= own]
    return best


def object_prices(problem: Problem, root: GreedyTreeNode) -> dict[int, Fraction]:
    """What each object pays on its path, asking not included."""
    paid: dict[int, Fraction] = {}

    def walk(node: GreedyTreeNode, bought: Bought, before: Mapping[int, Fraction]) -> None:
        if node.chosen is None:
            paid.update(before)
            return
        column = node.chosen.column
        for child in node.children:
            now = {
                i: before[i] + problem.price(column, problem.of.codes[i][column], bought)
                for i in child.objects
            }
            walk(child, problem.after(column, bought), now)

    walk(root, frozenset(), dict.fromkeys(root.objects, Fraction(0)))
    return paid


def class_counts(of: Instance, cell: Cell, n_classes: int) -> list[int]:
    """Objects per class."""
    counts = [0] * n_classes
    for i in cell:
        counts[of.labels[i]] += 1
    return counts


def _of_column(problem: Problem, cell: Cell, column: int, bought: Bought) -> Competitor:
    """Every single test of a column; it competes with the best."""
    offers = []
    for parts in candidates(problem.of, cell, column, problem.kinds[column]):
        asked = [problem.rules.asking + problem.highest(part, column, bought) for part in parts]
        offers.append(Offer(column, parts, _ratio(problem, cell, parts, asked)))
    return Competitor(min((offer.ratio for offer in offers), default=math.inf), tuple(offers))


def _or_read(problem: Problem, cell: Cell, column: int, bought: Bought, single: Competitor) -> Competitor:
    """The same offers with R of READ(column), if the column competes better by it."""
    codes = by_code(problem.of, cell, column)
    if problem.highest(cell, column, bought) == 0 or len(codes) < 3 or not problem.rules.reads(codes):
        return single
    return replace(single, ratio=min(single.ratio, _read(problem, cell, [column], bought)))


def _read(problem: Problem, cell: Cell, columns: Sequence[int], bought: Bought) -> Ratio:
    """R of buying these columns, one or several of one group, at once: all their codes told apart."""
    codes = [by_code(problem.of, cell, column) for column in columns]
    asking = problem.rules.asking * sum(questions(parts) for parts in codes)
    set_up = problem.rules.set_up(problem.rules.group_of(columns[0]), bought)
    parts = product(codes)
    prices = []
    for part in parts:
        answers = problem.of.codes[min(part)]
        prices.append(asking + set_up + sum(problem.own(column, answers[column]) for column in columns))
    return _ratio(problem, cell, parts, prices)


def _ratio(problem: Problem, cell: Cell, parts: Parts, prices: Sequence[Fraction]) -> Ratio:
    """The largest price / (F(S) - F(S_v)); 0/0 is infinite too."""
    before = problem.impurity(cell)
    reduced = [before - problem.impurity(part) for part in parts]
    if min(reduced) <= 0:
        return math.inf
    return max(price / gain for price, gain in zip(prices, reduced, strict=True))
