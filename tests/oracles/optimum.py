"""The cheapest tree of an instance of paper 000's problem, by brute force over sets of objects."""

from __future__ import annotations

from fractions import Fraction

from oracles.ngi import Cell, Instance, divided, is_leaf, mass


def optimal_cost(of: Instance) -> Fraction:
    """The least expected cost of a tree whose every leaf is of one class, weighs at most θ, or holds objects
    that no test tells apart. Each test is paid where it is made.
    """
    known: dict[Cell, Fraction] = {}

    def least(cell: Cell) -> Fraction:
        if cell not in known:
            known[cell] = Fraction(0) if is_leaf(of, cell) else cheapest_test(cell)
        return known[cell]

    def cheapest_test(cell: Cell) -> Fraction:
        costs = []
        for test in of.tests:
            parts = divided(of, cell, test)
            if len(parts) > 1:
                below = sum((least(part) for part in parts), Fraction(0))
                costs.append(mass(of, cell) * of.prices[test] + below)
        return min(costs, default=Fraction(0))

    return least(of.objects)
