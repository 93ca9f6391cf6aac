"""What a worst-case tree must not depend on: currency, weights, repeated rows, names of classes, threads."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from core_problems import PricedTable, functions, random_table
from grow_oracle import rows_of_nodes

from thriftree import WorstCaseTreeClassifier

FUNCTIONS = list(functions(2))
SYMMETRIC = [name for name in FUNCTIONS if name != "polynomial"]


def tables(name: str, n: int = 40, **parameters: Any) -> list[PricedTable]:
    return [random_table(Random(f"invariance-{name}-{seed}"), name, **parameters) for seed in range(n)]


def shape(table: PricedTable, **parameters: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """By node: the column, the objects, and the rows that reach it."""
    fast = table.fast()
    tree = fast.grow(**parameters)
    rows = rows_of_nodes(fast, tree)
    return [
        (int(tree.column[i]), int(tree.objects[i]), tuple(np.flatnonzero(rows[i]).tolist()))
        for i in range(tree.n_nodes)
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("by_outcome", [False, True])
def test_the_currency_does_not_matter(name: str, by_outcome: bool) -> None:
    n_nodes = 0
    for table in tables(name, by_outcome=by_outcome):
        prices = table.rows.prices
        rules = replace(prices, setup=tuple(100 * s for s in prices.setup), asking=100 * prices.asking)
        rows = replace(table.rows, own=[100 * price for price in table.rows.own], prices=rules)
        outcomes = {j: {code: 100 * p for code, p in own.items()} for j, own in table.outcomes.items()}
        in_cents = replace(table, rows=rows, outcomes=outcomes)
        assert shape(in_cents) == shape(table)
        n_nodes += len(shape(table))
    assert n_nodes > 50


def distinct(table: PricedTable) -> PricedTable:
    """The table with every object once."""
    rows = table.rows
    first = {tuple(codes): i for i, codes in reversed(list(enumerate(rows.codes)))}
    kept = sorted(first.values())
    weights = None if rows.weights is None else [rows.weights[i] for i in kept]
    return replace(
        table,
        rows=replace(
            rows,
            codes=[rows.codes[i] for i in kept],
            labels=[rows.labels[i] for i in kept],
            weights=weights,
        ),
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_objects_count_and_not_their_weights(name: str) -> None:
    n_nodes = 0
    for seed, table in enumerate(map(distinct, tables(name))):
        rng = Random(seed)
        weights = [rng.choice([0.125, 1.0, 7.5, 1000.0]) for _ in table.rows.labels]
        without = replace(table, rows=replace(table.rows, weights=None))
        assert shape(replace(table, rows=replace(table.rows, weights=weights))) == shape(without)
        n_nodes += len(shape(without))
    assert n_nodes > 50


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_repeated_row_is_the_same_object(name: str) -> None:
    for seed, table in enumerate(map(distinct, tables(name))):
        rng, rows = Random(seed), table.rows
        n = len(rows.labels)
        again = [*range(n), *(rng.randrange(n) for _ in range(20))]
        repeated = replace(
            table,
            rows=replace(
                rows,
                codes=[rows.codes[i] for i in again],
                labels=[rows.labels[i] for i in again],
                weights=None,
            ),
        )
        once = replace(table, rows=replace(rows, weights=None))
        found = [
            (column, objects, tuple(i for i in reached if i < n))
            for column, objects, reached in shape(repeated)
        ]
        assert found == shape(once)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_classes_may_have_other_names(name: str) -> None:
    """Objects are distinct and codes few: then nothing that breaks ties looks at classes."""
    for seed, table in enumerate(map(distinct, tables(name, max_codes=4))):
        names = list(range(table.rows.n_classes))
        Random(seed).shuffle(names)
        labels = [names[label] for label in table.rows.labels]
        assert shape(replace(table, rows=replace(table.rows, labels=labels))) == shape(table)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "python"])
def test_threads_do_not_matter(name: str) -> None:
    for table in tables(name, 20):
        assert shape(table, n_threads=2) == shape(table)


def test_powers_of_two_and_hinged_pairs_without_hinge_make_the_trees_of_pairs() -> None:
    for table in tables("pairs"):
        functions_here = functions(table.rows.n_classes)
        alike = replace(table, function=functions_here["hinged 0"])
        assert shape(alike) == shape(table)
        doubled = replace(table, function=functions_here["powers 2"], tolerance=2 * table.tolerance)
        assert shape(doubled) == shape(table)


def test_a_larger_tolerance_cuts_the_tree_and_changes_nothing_above() -> None:
    n_cut = 0
    for name in ("pairs", "powers 3", "hinged 0.75"):
        for table in tables(name):
            whole = replace(table, tolerance=Fraction(0))
            for tolerance in (1, 4, 20):
                cut = shape(replace(table, tolerance=Fraction(tolerance)))
                inner = [node for node in cut if node[0] >= 0]
                assert set(inner) <= set(shape(whole))
                n_cut += len(cut) < len(shape(whole))
    assert n_cut > 50


def costliest_paths(table: PricedTable, **parameters: Any) -> tuple[list[Fraction], Any]:
    """What each path of the core's tree costs at its most expensive outcomes, and the tree's shape."""
    problem, nodes = table.slow(), shape(table, **parameters)
    tree = table.fast().grow(**parameters)
    paid: dict[int, tuple[Fraction, frozenset[int]]] = {0: (Fraction(0), frozenset())}
    for node in range(tree.n_nodes):
        if tree.column[node] < 0:
            continue
        before, bought = paid[node]
        column = int(tree.column[node])
        added = problem.highest(problem.of.objects, column, bought)
        for child in tree.children[tree.child_begin[node] : tree.child_begin[node + 1]].tolist():
            paid[child] = before + added, problem.after(column, bought)
    return [paid[node][0] for node in range(tree.n_nodes) if tree.column[node] < 0], nodes


@pytest.mark.parametrize("by_outcome", [False, True])
def test_no_path_costs_more_than_the_budget_and_one_that_suffices_changes_nothing(by_outcome: bool) -> None:
    n_smaller = 0
    for table in tables("pairs", 60, by_outcome=by_outcome):
        free, unbounded = costliest_paths(table)
        for share in (Fraction(1, 3), Fraction(2, 3), Fraction(1)):
            budget = max(free) * share
            within = replace(table, budget=budget)
            paths, found = costliest_paths(within)
            assert max(paths) <= budget
            n_smaller += len(found) < len(unbounded)
            assert share < 1 or found == unbounded
    assert n_smaller > 30


@pytest.mark.parametrize("n_values", [200, 400])  # counted in bytes, and streamed in order
def test_min_leaf_counts_the_rows_behind_objects_however_many_values_a_column_has(n_values: int) -> None:
    """Two objects of three rows each lie apart from all others: six rows are enough for a leaf of five."""
    X = np.repeat(np.arange(float(n_values)), 3)[:, None]
    y = (X[:, 0] >= 2).astype(int)
    model = WorstCaseTreeClassifier(min_leaf=5).fit(X, y)
    assert model.tree_.core.rows.tolist() == [3 * n_values, 6, 3 * n_values - 6]
    assert WorstCaseTreeClassifier(min_leaf=7).fit(X, y).tree_.core.rows[1] == 9
