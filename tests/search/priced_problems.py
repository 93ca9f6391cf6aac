"""Small random problems with prices, and the search called with them."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from oracles.priced_trees import PricedProblem
from oracles.prices import Rules, Value

from thriftree import _core
from thriftree.costs.pricing import OutcomePrices, PriceRules


def random_priced_problem(rng: Random, *, delay: bool = False, exact: bool = True) -> PricedProblem:
    """Every rule of prices on or off at random. `exact`: all amounts are sums of powers of 2, so that nothing
    is rounded.
    """
    n_columns = rng.randint(1, 3 if delay else 4)
    n_rows = rng.randint(2, 9 if delay else 14)
    n_values = [rng.choice([2, 2, 3, 4]) for _ in range(n_columns)]
    values = [[rng.randrange(n) for n in n_values] for _ in range(n_rows)]
    tests = [(c, cut) for c, n in enumerate(n_values) for cut in range(n - 1)]
    if delay:
        tests = sorted(rng.sample(tests, min(len(tests), 4)))
    n_classes = rng.choice([2, 2, 2, 3])
    labels = [rng.randrange(n_classes) for _ in range(n_rows)]
    if rng.random() < 0.6:
        labels = [
            rng.randrange(n_classes) if rng.random() < 0.2 else (row[0] + row[-1]) % n_classes
            for row in values
        ]
    error_costs = [[int(i != j) for j in range(n_classes)] for i in range(n_classes)]
    if rng.random() < 0.2:
        error_costs = [
            [0 if i == j else rng.randint(1, 4) for j in range(n_classes)] for i in range(n_classes)
        ]
    weights = [1] * n_rows if rng.random() < 0.6 else [rng.randint(0, 5) for _ in range(n_rows)]
    payers = weights if rng.random() < 0.5 else [rng.randint(0, 3) for _ in range(n_rows)]
    unit = Fraction(1, 8) if exact else Fraction(rng.randint(1, 1000), 997)
    deep = not delay or len(tests) <= 3
    return PricedProblem(
        values,
        tests,
        labels,
        n_classes,
        weights,
        error_costs,
        payers,
        _random_rules(rng, n_columns, delay),
        leaf_penalty=rng.choice([0, 0, 1, 2, 4]) * unit,
        price_weight=rng.choice([0, 1, 1, 2, 4]) * unit / rng.choice([1, 2, 8]),
        budget=rng.choice([None, None, Fraction(rng.randint(0, 20), 2)]),
        max_depth=rng.choice([1, 2, 2, 3] if deep else [1, 2, 2]) if delay else rng.choice([1, 2, 3, 3, 4]),
        max_leaves=rng.choice([None] * 5 + [2, 3, 5]),
        min_leaf=rng.choice([1, 1, 1, 1, 2]),
    )


def _random_rules(rng: Random, n_columns: int, delay: bool) -> Rules:
    own: list[list[Fraction]] = []
    for _ in range(n_columns):
        one = Fraction(rng.choice([0, 1, 2, 3, 5, 9]), 2)
        steps = not delay and rng.random() < 0.25
        own.append([Fraction(rng.randint(0, 9), 2) for _ in range(8)] if steps else [one] * 8)
    group_of = {c: rng.choice("ab") for c in range(n_columns) if rng.random() < 0.5}

    def price(column: int, value: Value) -> float:
        assert isinstance(value, int)
        return float(own[column][value])

    return Rules(
        price,
        group_of,
        {g: rng.randint(0, 6) / 2 for g in sorted(set(group_of.values()))},
        frozenset(c for c in range(n_columns) if rng.random() < 0.1),
        frozenset(c for c in range(n_columns) if delay and rng.random() < 0.6),
        "once" if delay or rng.random() < 0.7 else "each",
        rng.choice(["delayed", "delayed", "all"]) if delay else "delayed",
    )


def core_rules(problem: PricedProblem) -> PriceRules:
    """The rules as the core takes them."""
    rules = problem.rules
    columns = range(len(problem.values[0]))
    prices = [[rules.own(c, v) for v in range(8)] for c in columns]
    names = list(rules.setup)
    made = PriceRules(
        own=[max(of_column) for of_column in prices],
        group=[names.index(rules.group_of[c]) if c in rules.group_of else -1 for c in columns],
        setup=[rules.setup[name] for name in names],
        known=[c in rules.known for c in columns],
        delayed=[c in rules.delayed for c in columns],
        order_all=rules.delayed_scope == "all",
        pay_once=rules.pay == "once",
        outcomes=[
            (c, OutcomePrices.of_codes(of_column, max(of_column), min(of_column)))
            for c, of_column in enumerate(prices)
            if len(set(of_column)) > 1
        ],
    )
    return made if problem.budget is None else made.for_growing([], float(problem.budget))


def arguments(problem: PricedProblem) -> dict[str, Any]:
    """What `_core.search_tree` is told of a problem."""
    values = np.array(problem.values)
    rules = core_rules(problem)
    slots = [[problem.rules.own(c, v) for v in values[:, c].tolist()] for c, _ in rules.outcomes]
    return {
        "tests": np.array([values[:, c] <= cut for c, cut in problem.tests], dtype=np.uint8),
        "features": np.array([c for c, _ in problem.tests], dtype=np.int32),
        "labels": np.array(problem.labels, dtype=np.int32),
        "n_classes": problem.n_classes,
        "weights": np.array(problem.weights, dtype=np.int64),
        "error_costs": np.array(problem.error_costs, dtype=np.int64),
        "leaf_penalty": float(problem.leaf_penalty),
        "max_depth": problem.max_depth,
        "max_leaves": problem.max_leaves,
        "min_leaf": problem.min_leaf,
        "prices": rules,
        "price_weight": float(problem.price_weight),
        "payers": np.array(problem.payers, dtype=np.int64),
        "outcome_prices": np.array(slots, dtype=np.float64).reshape(len(slots), len(values)),
    }


def search(problem: PricedProblem, **options: Any) -> _core.SearchResult:
    """The core's answer; `options` add to the problem's or replace them."""
    return _core.search_tree(**{**arguments(problem), **options})
