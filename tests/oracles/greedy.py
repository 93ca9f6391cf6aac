"""Algorithm 1 of paper 000, slowly: every candidate of every column, scored by its definition.

The prices a score divides by follow the rules for tests that are free on a path: a price of asking, READ of a
feature or of a whole group, and free tests first. Scores are fractions (floats where entropy enters), ties
are decided as everywhere: the earlier candidate stays unless another is better by more than 1e-12 of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from oracles.candidates import Parts, by_code, candidates, product
from oracles.ngi import Cell, Impurity, Instance, Number, benefit, impure_pairs, is_leaf, mass
from oracles.node_tests import Kind

Benefit: TypeAlias = Callable[[Instance, Cell, Sequence[Cell]], Number]
Bought: TypeAlias = frozenset[int]

RELATIVE_MARGIN = Fraction(1, 10**12)


@dataclass(frozen=True)
class Prices:
    """The rules by which a path pays; what each column costs by itself is in the instance."""

    group: tuple[int | None, ...] = ()  # by column; () for no groups at all
    setup: tuple[Fraction, ...] = ()  # by group
    known: frozenset[int] = frozenset()
    pay_once: bool = False
    asking: Fraction = Fraction(0)
    read: bool = True  # whether READ competes, where columns are paid once,
    read_at_most: int | None = None  # for so many codes in a cell, or combinations of codes; None: any number
    free_first: bool = False
    divide: bool = True  # whether scores are divided by prices at all

    def group_of(self, column: int) -> int | None:
        """The group a column is in."""
        return self.group[column] if self.group else None

    def set_up(self, group: int | None, bought: Bought) -> Fraction:
        """What opening the group still costs."""
        if group is None or any(self.group_of(column) == group for column in bought):
            return Fraction(0)
        return self.setup[group]

    def reads(self, parts: Parts) -> bool:
        """Whether READ may tell these parts of a cell apart."""
        return self.read and (self.read_at_most is None or len(parts) <= self.read_at_most)

    def marginal(self, of: Instance, column: int, bought: Bought) -> Fraction:
        """What a test of the column adds to the price of the path."""
        if column in self.known or (self.pay_once and column in bought):
            return Fraction(0)
        return of.prices[column] + self.set_up(self.group_of(column), bought)


@dataclass(frozen=True)
class GreedyNode:
    """A node of the tree, with the objects that reach it; a leaf has no column."""

    objects: Cell
    column: int | None = None
    score: Number = 0
    price: Fraction = Fraction(0)  # what this node's test adds to the price of the path
    children: tuple[GreedyNode, ...] = ()

    def nodes(self) -> Iterator[GreedyNode]:
        """This node and those below, in preorder."""
        yield self
        for child in self.children:
            yield from child.nodes()

    def expected_price(self, of: Instance) -> Fraction:
        """The mean price of an object's path."""
        return sum((mass(of, node.objects) * node.price for node in self.nodes()), Fraction(0))


class Choice(NamedTuple):
    """A column's claim: the split it would place, and the score it competes with."""

    column: int
    parts: Parts
    score: Number


def enhanced(trade_off: Number, impurity: Impurity = "gini") -> Benefit:
    """B + E + λD."""
    return lambda of, cell, parts: benefit(of, cell, parts, trade_off, impurity)


def separated_pairs(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Number:
    """IP: the impure pairs that a test takes apart."""
    return impure_pairs(of, cell) - sum(impure_pairs(of, part) for part in parts)


def separated_pairs_by_weight(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Number:
    """IP as the authors' program has it: pairs count by the mass of the cell that they are in."""
    return mass(of, cell) * impure_pairs(of, cell) - sum(
        mass(of, part) * impure_pairs(of, part) for part in parts
    )


def evenness(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Number:
    """BAL: the mass outside of the heaviest outcome."""
    return mass(of, cell) - max(mass(of, part) for part in parts)


def clearly_better(score: Number, incumbent: Number) -> bool:
    """By more than 1e-12 of the incumbent."""
    return score - incumbent > RELATIVE_MARGIN * (incumbent if incumbent > 0 else -incumbent)


def grow(of: Instance, kinds: Sequence[Kind], numerator: Benefit, prices: Prices | None = None) -> GreedyNode:
    """The greedy tree: a node of one class or of mass at most θ is a leaf, as is one that nothing divides."""
    learner = _Greedy(of, kinds, numerator, prices or Prices())
    return learner.tree(of.objects, frozenset())


@dataclass(frozen=True)
class _Greedy:
    of: Instance
    kinds: Sequence[Kind]
    numerator: Benefit
    prices: Prices

    def tree(self, cell: Cell, bought: Bought) -> GreedyNode:
        choice = None if is_leaf(self.of, cell) else self.choose(cell, bought)
        if choice is None:
            return GreedyNode(cell)
        price = self.prices.marginal(self.of, choice.column, bought)
        after = bought if choice.column in self.prices.known else bought | {choice.column}
        children = tuple(self.tree(part, after) for part in choice.parts)
        return GreedyNode(cell, choice.column, choice.score, price, children)

    def choose(self, cell: Cell, bought: Bought) -> Choice | None:
        """The winner of the columns, then of the groups, each compared in its order."""
        single = [self.best_split(cell, column, bought) for column in range(len(self.kinds))]
        offered = [choice for choice in single if choice is not None]
        if self.prices.free_first:
            free = [c for c in offered if self.price(c.column, bought) == 0 and c.score > 0]
            if free:
                return _first_best(free)
        winner = _first_best(self.or_read(choice, cell, bought) for choice in offered)
        for group in range(len(self.prices.setup) if self.reading else 0):
            members = [c for c in offered if self.prices.group_of(c.column) == group]
            unbought = [c for c in members if c.column not in bought and c.column not in self.prices.known]
            if len(unbought) < 2:
                continue
            columns = [c.column for c in unbought]
            if not self.prices.reads(product([by_code(self.of, cell, column) for column in columns])):
                continue
            score = self.read_group(group, columns, cell, bought)
            placed = _first_best(unbought)
            if placed is not None and (winner is None or clearly_better(score, winner.score)):
                winner = placed._replace(score=score)
        return winner

    @property
    def reading(self) -> bool:
        """READ buys what is paid once; where nothing is divided by prices there is nothing to gain."""
        return self.prices.read and self.prices.pay_once and self.prices.divide

    def price(self, column: int, bought: Bought) -> Fraction:
        return self.prices.marginal(self.of, column, bought)

    def benefit(self, cell: Cell, parts: Parts) -> Number:
        return self.numerator(self.of, cell, parts)

    def best_split(self, cell: Cell, column: int, bought: Bought) -> Choice | None:
        """A column's best single test."""
        best: tuple[Number, Parts] | None = None
        for parts in candidates(self.of, cell, column, self.kinds[column]):
            value = self.benefit(cell, parts)
            if best is None or clearly_better(value, best[0]):
                best = value, parts
        if best is None:
            return None
        denominator = self.prices.asking + self.price(column, bought) if self.prices.divide else 1
        return Choice(column, best[1], best[0] / denominator)

    def or_read(self, single: Choice, cell: Cell, bought: Bought) -> Choice:
        """The same split with the score of READ(column), if the column competes better by it."""
        price = self.price(single.column, bought)
        codes = by_code(self.of, cell, single.column)
        if not self.reading or price == 0 or len(codes) < 3 or not self.prices.reads(codes):
            return single
        score = self.benefit(cell, codes) / (self.prices.asking * questions(codes) + price)
        return single._replace(score=score) if clearly_better(score, single.score) else single

    def read_group(self, group: int, members: list[int], cell: Cell, bought: Bought) -> Number:
        """The score of buying all of these members at once."""
        codes = [by_code(self.of, cell, column) for column in members]
        price = self.prices.set_up(group, bought) + sum(self.of.prices[column] for column in members)
        asking = self.prices.asking * sum(questions(parts) for parts in codes)
        return self.benefit(cell, product(codes)) / (asking + price)


def questions(codes: Parts) -> int:
    """⌈log2 k⌉: the yes-no questions that tell k codes apart."""
    return (len(codes) - 1).bit_length()


def _first_best(choices: Iterable[Choice]) -> Choice | None:
    best: Choice | None = None
    for choice in choices:
        if best is None or clearly_better(choice.score, best.score):
            best = choice
    return best
