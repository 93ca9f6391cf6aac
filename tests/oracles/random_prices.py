"""Random trees with random prices under all rules together, for tests against the oracle in `prices.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracles.prices import MISSING, UNSEEN, Leaf, Node, Question, Rules, Value, branch_of
from thriftree.costs import Group, Steps, TestCosts


@dataclass(frozen=True)
class Column:
    """A column's schema, as far as prices read it."""

    name: str
    kind: str
    categories: tuple[str, ...] = ()


COLUMNS = (
    Column("x", "number"),
    Column("y", "number"),
    Column("grade", "ordered", ("low", "mid", "high")),
    Column("colour", "category", ("blue", "green", "red")),
)
# All the ways each column can turn out, as far as cuts at 0, 1, 2 tell them apart.
DOMAINS: tuple[tuple[Value, ...], ...] = (
    (0, 1, 2, 3, MISSING),
    (0, 1, 2, 3, MISSING),
    (0, 1, 2, MISSING, UNSEEN),
    (0, 1, 2, MISSING, UNSEEN),
)


@dataclass(frozen=True)
class Case:
    """A tree, and one set of prices in the two forms that must agree."""

    tree: Node
    costs: TestCosts
    rules: Rules  # the same prices, as the oracle takes them


def random_case(rng: np.random.Generator) -> Case:
    """A tree over COLUMNS with every rule of prices switched on or off at random."""
    prices = [_random_price(rng, column) for column in COLUMNS]
    assignment = rng.integers(-1, 2, len(COLUMNS)).tolist()
    setup = {name: _amount(rng) for g, name in enumerate("ab") if g in assignment}
    known = frozenset(c for c in range(len(COLUMNS)) if rng.random() < 0.15)
    delayed = frozenset(c for c in range(len(COLUMNS)) if rng.random() < 0.5)
    pay, scope = str(rng.choice(["once", "each"])), str(rng.choice(["delayed", "all"]))
    group_of = {c: "ab"[g] for c, g in enumerate(assignment) if g >= 0}
    costs = TestCosts(
        {column.name: price for column, price in zip(COLUMNS, prices, strict=True)},
        groups={
            name: Group(price, tuple(COLUMNS[c].name for c, g in group_of.items() if g == name))
            for name, price in setup.items()
        },
        pay=pay,
        known=[COLUMNS[c].name for c in known],
        delayed=[COLUMNS[c].name for c in delayed],
        delayed_scope=scope,
    )

    def own(column: int, value: Value) -> float:
        return _price_at(prices[column], COLUMNS[column], value)

    rules = Rules(own, group_of, setup, known, delayed, pay, scope)
    return Case(random_tree(rng, [list(domain) for domain in DOMAINS], depth=4), costs, rules)


def random_tree(rng: np.random.Generator, possible: list[list[Value]], depth: int) -> Node:
    """A tree whose every leaf some row reaches; `possible` are the values that remain, per column."""
    if depth == 0 or rng.random() < 0.15:
        return Leaf(float(rng.integers(1, 9)))
    for _ in range(20):
        column = int(rng.integers(len(possible)))
        n_branches = int(rng.integers(2, 4))
        test = _random_test(rng, column, n_branches)
        parts: list[list[Value]] = [[] for _ in range(n_branches)]
        for value in possible[column]:
            parts[branch_of(test, value)].append(value)
        if all(parts):
            children = [
                random_tree(rng, [*possible[:column], part, *possible[column + 1 :]], depth - 1)
                for part in parts
            ]
            return Question(column, test.kind, test.keys, test.to, tuple(children), test.missing, test.other)
    return Leaf(float(rng.integers(1, 9)))


def as_arrays(rows: Sequence[Sequence[Value]]) -> list[NDArray[Any]]:
    """The rows as one array a column: floats with NaN, or codes with -1 and -2."""
    arrays: list[NDArray[Any]] = []
    for c, column in enumerate(COLUMNS):
        values = [row[c] for row in rows]
        if column.kind == "number":
            arrays.append(np.array([np.nan if v is MISSING else v for v in values], dtype=np.float64))
        else:
            codes = [-1 if v is MISSING else -2 if v == UNSEEN else v for v in values]
            arrays.append(np.array(codes, dtype=np.int32))
    return arrays


def _random_test(rng: np.random.Generator, column: int, n_branches: int) -> Question:
    ordered = COLUMNS[column].kind != "category"
    n_keys = int(rng.integers(0 if ordered else 1, 4))
    keys = tuple(float(k) for k in sorted(rng.choice(3, n_keys, replace=False).tolist()))
    to = tuple(rng.integers(0, n_branches, n_keys + ordered).tolist())
    missing, other = rng.integers(0, n_branches, 2).tolist()
    return Question(column, "ordered" if ordered else "category", keys, to, (), missing, other)


def _random_price(rng: np.random.Generator, column: Column) -> float | dict[str, float] | Steps:
    if rng.random() < 0.5:
        return _amount(rng)
    if column.kind == "number":
        edges = sorted(rng.choice(3, int(rng.integers(1, 4)), replace=False).tolist())
        return Steps(tuple(edges), tuple(_amount(rng) for _ in range(len(edges) + 1)))
    listed = rng.permutation(list(column.categories))[: int(rng.integers(1, 4))]
    return {str(category): _amount(rng) for category in listed}


def _amount(rng: np.random.Generator) -> float:
    return 0.0 if rng.random() < 0.1 else float(rng.integers(1, 2000)) / 100


def _price_at(price: float | dict[str, float] | Steps, column: Column, value: Value) -> float:
    """An outcome without a price costs as much as the most expensive."""
    if isinstance(price, float):
        return price
    if isinstance(price, Steps):
        if value is MISSING:
            return max(price.prices)
        assert not isinstance(value, str)
        return price.prices[sum(1 for edge in price.up_to if edge < value)]
    category = column.categories[value] if isinstance(value, int) else None
    return price[category] if category in price else max(price.values())
