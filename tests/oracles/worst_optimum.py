"""The least worst-case price of any tree of a class, by brute force over sets of objects.

Tests are whole features, one outcome a code: whatever thresholds or subsets ask of a feature, the feature
itself answers at no higher price.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from oracles.greedy import Bought
from oracles.greedy_tree import Problem
from oracles.ngi import Cell, Instance, divided

State: TypeAlias = tuple[Cell, frozenset[int]]  # the objects, and the groups that the path has opened
Front: TypeAlias = tuple[tuple[Fraction, Fraction], ...]  # (price, loss), price rising and loss falling


def least_price(problem: Problem, is_leaf: Callable[[Cell], bool] | None = None) -> Fraction:
    """The least of the largest price over all trees whose leaves `is_leaf` accepts: those of F ≤ δ, if it is
    not given. A set that no test divides is a leaf in any case.
    """
    accepted = is_leaf or problem.is_leaf
    known: dict[State, Fraction] = {}

    def least(cell: Cell, bought: Bought) -> Fraction:
        state = cell, _opened(problem, bought)
        if state not in known:
            known[state] = Fraction(0) if accepted(cell) else cheapest_test(cell, bought)
        return known[state]

    def cheapest_test(cell: Cell, bought: Bought) -> Fraction:
        return min(
            (
                max(price + least(part, after) for price, part in branches)
                for after, branches in _tests(problem, cell, bought)
            ),
            default=Fraction(0),
        )

    return least(problem.of.objects, frozenset())


def least_price_with_loss(problem: Problem, loss: Sequence[Fraction], allowed: Fraction) -> Fraction:
    """The least of the largest price over all trees that lose at most `allowed`: a leaf predicts one class
    and loses `loss` of its other objects. If no tree loses so little, of those that lose least.
    """
    known: dict[State, Front] = {}

    def front(cell: Cell, bought: Bought) -> Front:
        state = cell, _opened(problem, bought)
        if state not in known:
            points = [(Fraction(0), leaf_loss(problem.of, cell, loss))]
            for after, branches in _tests(problem, cell, bought):
                points += _all_branches([(price, front(part, after)) for price, part in branches])
            known[state] = _undominated(points)
        return known[state]

    whole = front(problem.of.objects, frozenset())
    return next((price for price, lost in whole if lost <= allowed), whole[-1][0])


def leaf_loss(of: Instance, cell: Cell, loss: Sequence[Fraction]) -> Fraction:
    """What a leaf loses that predicts its best class."""
    classes = {of.labels[i] for i in cell}
    return min(sum((loss[i] for i in cell if of.labels[i] != c), Fraction(0)) for c in classes)


def _tests(
    problem: Problem, cell: Cell, bought: Bought
) -> Iterator[tuple[Bought, list[tuple[Fraction, Cell]]]]:
    """What is bought after each test that divides the cell, and the price and the objects of its outcomes."""
    for column in problem.of.tests:
        parts = divided(problem.of, cell, column)
        if len(parts) > 1:
            priced = [
                (problem.price(column, problem.of.codes[min(part)][column], bought), part) for part in parts
            ]
            yield problem.after(column, bought), priced


def _opened(problem: Problem, bought: Bought) -> frozenset[int]:
    groups = (problem.rules.group_of(column) for column in bought)
    return frozenset(group for group in groups if group is not None)


def _all_branches(branches: Sequence[tuple[Fraction, Front]]) -> Front:
    """The fronts below the outcomes of one test as one: the largest price, the sum of the losses."""
    together: Front = ((Fraction(0), Fraction(0)),)
    for price, front in branches:
        together = _undominated(
            [(max(a, price + b), lost + more) for a, lost in together for b, more in front]
        )
    return together


def _undominated(points: Sequence[tuple[Fraction, Fraction]]) -> Front:
    kept: list[tuple[Fraction, Fraction]] = []
    for price, lost in sorted(points):
        if not kept or lost < kept[-1][1]:
            kept.append((price, lost))
    return tuple(kept)
