"""Paths, orders and budgets against the row-by-row definition: what a path pays step by step is what the
definition says of the tree whose path it is.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.prices import Leaf, Question, flatten, path_of, questions, row_price, threshold
from oracles.random_prices import COLUMNS, DOMAINS, Case, random_case

from thriftree.costs import PathState, PriceRules, Prices, TestCosts, price, within_budget
from thriftree.explain.prices import priced_tree
from thriftree.testing.random_documents import random_document
from thriftree.tree import Tree

seeds = st.integers(0, 2**32 - 1)


def random_row(rng: np.random.Generator) -> list:
    return [domain[rng.integers(len(domain))] for domain in DOMAINS]


def as_number(value) -> float:
    return math.nan if value is None or isinstance(value, str) else float(value)


def chain_of(path: list[int]):
    node = Leaf()
    for column in reversed(path):
        node = threshold(column, -1.0, Leaf(), node)
    return node


def without_delay(case: Case) -> Case:
    rules = {"delayed": frozenset()}
    description = {**case.costs.to_dict(), "delayed": []}
    return Case(
        case.tree, TestCosts.from_dict(description), type(case.rules)(**{**vars(case.rules), **rules})
    )


@settings(max_examples=150, deadline=None)
@given(seed=seeds)
def test_marginal_prices_at_outcomes_add_up_to_what_the_row_pays(seed):
    rng = np.random.default_rng(seed)
    case = without_delay(random_case(rng))
    bound = case.costs.bind(COLUMNS)
    columns = rng.integers(0, len(COLUMNS), 7).tolist()
    row = [2, 2, 2, 2]  # takes the last branch of every test of a chain
    path, paid = PathState(), 0.0
    for column in columns:
        paid += bound.prices.marginal(path, column, as_number(row[column]))
        path = bound.visit(path, column)
    assert paid == pytest.approx(row_price(chain_of(columns), case.rules, row))


@settings(max_examples=150, deadline=None)
@given(seed=seeds)
def test_asking_in_the_order_of_the_tree_pays_what_the_row_pays(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    once = type(case.rules)(**{**vars(case.rules), "pay": "once"})
    bound = case.costs.bind(COLUMNS)
    prices = Prices(bound.rules.paid_once())
    row = random_row(rng)
    path = PathState()
    for node in path_of(case.tree, row)[:-1]:
        assert isinstance(node, Question)
        path = prices.ask(path, node.column, [below.column for below in questions(node)])
    own = {c: float(prices_of.of([as_number(row[c])])[0]) for c, prices_of in bound.outcomes.items()}
    assert prices.between(PathState(), path, own) == pytest.approx(row_price(case.tree, once, row))


@settings(max_examples=150, deadline=None)
@given(seed=seeds)
def test_arriving_at_a_leaf_has_bought_what_its_path_tests_or_orders(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    bound = case.costs.bind(COLUMNS)
    tree = flatten(case.tree)
    prices = price(tree, bound)
    row = random_row(rng)
    path = [node for node in path_of(case.tree, row)[:-1] if node.column not in case.rules.known]
    bought = {node.column for node in path}
    order = next((node for node in path if node.column in case.rules.delayed), None)
    if order is not None:
        everything = case.rules.delayed_scope == "all"
        below = {node.column for node in questions(order)} - case.rules.known
        bought |= below if everything else below & case.rules.delayed
    state = prices.arrived(tree.leaf_of(case.tree, row))
    assert set(bound.prices.bought(state)) == bought
    assert bound.prices.has_ordered(state) == (order is not None)


@settings(max_examples=100, deadline=None)
@given(seed=seeds)
def test_a_budget_shuts_out_exactly_the_tests_that_the_path_cannot_pay(seed):
    rng = np.random.default_rng(seed)
    case = without_delay(random_case(rng))
    bound = case.costs.bind(COLUMNS)
    budget = float(rng.integers(0, 4000)) / 100
    rules = bound.rules.for_growing([], budget)
    columns = rng.integers(0, len(COLUMNS), int(rng.integers(0, 4))).tolist()
    highest = type(case.rules)(**{**vars(case.rules), "own": lambda c, _: float(bound.own[c])})
    for column, marginal in enumerate(rules.marginal(columns)):
        before = row_price(chain_of(columns), highest, [0] * 4)
        after = row_price(chain_of([*columns, column]), highest, [0] * 4)
        if within_budget(after, budget):
            assert marginal == pytest.approx(bound.asking + after - before)
        else:
            assert marginal == math.inf


@settings(max_examples=100, deadline=None)
@given(seed=seeds)
def test_paths_that_agree_on_what_matters_cost_the_same_from_there_on(seed):
    rng = np.random.default_rng(seed)
    bound = random_case(rng).costs.bind(COLUMNS)
    path = PathState()
    for column in rng.integers(0, len(COLUMNS), 3).tolist():
        path = bound.visit(path, column)
    left = np.flatnonzero(rng.random(len(COLUMNS)) < 0.6).tolist()
    kept = bound.prices.restricted(path, left)
    for column in rng.choice(left, 4).tolist() if left else []:
        assert bound.prices.marginal(kept, column) == bound.prices.marginal(path, column)
        path, kept = bound.visit(path, column), bound.visit(kept, column)


def test_states_are_equal_and_hash_alike_if_the_same_was_bought():
    bound = TestCosts([1.0] * 200, {"g": {"setup": 3, "members": [0, 150]}}).bind(
        [f"x{i}" for i in range(200)]
    )
    one = bound.visit(bound.visit(PathState(), 0), 150)
    other = bound.visit(bound.visit(PathState(), 150), 0)
    assert one == other
    assert hash(one) == hash(other)
    assert one != bound.visit(PathState(), 0)
    assert one != 1


def test_a_tree_costs_the_same_as_json_and_as_arrays():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        bare = Tree.from_dict(random_document(seed))
        names = [column.name for column in bare.columns]
        costs = TestCosts(
            {name: float(rng.integers(0, 900)) / 100 for name in names},
            groups={"g": {"setup": 2.5, "members": names[:2]}},
            delayed=[name for name in names if rng.random() < 0.3],
            pay=str(rng.choice(["once", "each"])),
        )
        document = {**bare.to_dict(), "prices": costs.to_dict()}
        _, _, found = priced_tree(document)
        of_core = price(bare.core, costs.bind(bare.columns))
        assert found.accumulated.tolist() == of_core.accumulated.tolist()
        assert found.marginal.tolist() == of_core.marginal.tolist()
        assert found.worst_case == of_core.worst_case == Tree.from_dict(document).worst_case_cost()


def test_rules_and_trees_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one entry per column"):
        PriceRules(own=[1.0], group=[-1, -1], setup=[], known=[False])
    with pytest.raises(ValueError, match="tests column 1, which has no price"):
        price(flatten(threshold(1, 0.0, Leaf(), Leaf())), TestCosts({"a": 1}).bind(["a"]))
    broken = flatten(threshold(0, 0.0, Leaf(), threshold(0, 1.0, Leaf(), Leaf())))
    broken.children[-1] = 0  # a circle
    with pytest.raises(ValueError, match="not a later node"):
        price(broken, TestCosts({"a": 1}).bind(["a"]))
    prices = TestCosts({"a": 1}).bind(["a"]).prices
    for call in (
        prices.least,
        lambda c: prices.marginal(PathState(), c),
        lambda c: prices.visit(PathState(), c),
    ):
        with pytest.raises(IndexError, match="no such column"):
            call(1)
