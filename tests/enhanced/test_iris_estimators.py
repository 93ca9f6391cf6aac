"""The recorded iris runs, learnt by the estimators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from iris_reference import THETA, Run, runs
from oracles.greedy import Prices, grow
from oracles.ngi import divided, mass

from thriftree import BalancedClassifier, EnhancedTreeClassifier, ImpurePairsClassifier, TestCosts

REFERENCE = Path(__file__).parents[1] / "reference"
RUNS = runs()
OPEN_V = {  # a node has several largest outcomes, and the test depends on which of them is v*
    "ASR-full-random",
    "ASR-train-unit",
    "ECART@0.1-train-unit",
    "EC4.5@0.1-train-unit",
    "EC4.5@1-train-random",
}


def ties_decide(run: Run) -> bool:
    return run.algorithm == "BAL" or str(run) in OPEN_V


def learnt(run: Run) -> Any:
    costs = TestCosts(run.price_list, pay="each") if run.divides_by_price else None
    parameters = {"min_mass": float(THETA), "costs": costs}
    name, _, trade_off = run.algorithm.partition("@")
    if name == "BAL":
        model = BalancedClassifier(**parameters)
    elif name in ("IP", "CIP"):
        model = ImpurePairsClassifier(cost_benefit=name == "CIP", **parameters)
    else:  # CART is cost-benefit CART at prices of 1, and that is an infinite trade-off
        impurity = "entropy" if "4.5" in name else "gini"
        number = {"ASR": 0.0}.get(name, float(trade_off or "inf"))
        model = EnhancedTreeClassifier(impurity=impurity, trade_off=number, **parameters)
    return model.fit(run.X, run.y)


def inner_nodes(run: Run, model: Any) -> list[tuple[int, frozenset[int]]]:
    """The tests of the learnt tree, each with the objects that reach it."""
    of = run.instance()
    number = {codes: i for i, codes in enumerate(of.codes)}
    object_of_row = np.array([number[tuple(row)] for row in run.X.tolist()])
    reached = model.decision_path(run.X).toarray().astype(bool)
    inner = np.flatnonzero(model.tree_.core.column >= 0).tolist()
    return [(node, frozenset(object_of_row[reached[:, node]].tolist())) for node in inner]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_the_learnt_tree_is_the_slow_one_and_costs_the_same(run: Run) -> None:
    of, model = run.instance(), learnt(run)
    slow = grow(of, ["threshold"] * len(of.tests), run.benefit(), Prices(divide=run.divides_by_price))
    expected = {node.objects: node.column for node in slow.nodes() if node.column is not None}
    columns = model.tree_.core.column
    assert {cell: int(columns[node]) for node, cell in inner_nodes(run, model)} == expected
    if run.divides_by_price:
        assert model.expected_cost_ == pytest.approx(float(slow.expected_price(of)), rel=1e-12)


@pytest.mark.parametrize("run", [run for run in RUNS if not ties_decide(run)], ids=str)
def test_the_learnt_tree_costs_what_the_recorded_one_does(run: Run) -> None:
    """Up to where the recorded trees stop: at two objects."""
    of, model = run.instance(), learnt(run)
    tests = ((cell, of.prices[model.tree_.core.column[node]]) for node, cell in inner_nodes(run, model))
    cost = sum(mass(of, cell) * price for cell, price in tests if len(cell) > 2)
    assert float(cost) == pytest.approx(run.cost, rel=1e-12)


@pytest.mark.parametrize("run", [run for run in RUNS if ties_decide(run)], ids=str)
def test_a_learnt_tree_parts_from_the_recorded_one_at_ties_only(run: Run) -> None:
    """Where both have the same objects and ask something else, each is best by its own choice of v*."""
    of, model = run.instance(), learnt(run)
    learnt_tests = {cell: int(model.tree_.core.column[node]) for node, cell in inner_nodes(run, model)}
    n_ties = 0
    for node, cell in run.nodes(of):
        if "test" not in node or cell not in learnt_tests or learnt_tests[cell] == node["test"]:
            continue
        ours, theirs = (divided(of, cell, test) for test in (learnt_tests[cell], node["test"]))
        prices = [
            of.prices[test] if run.divides_by_price else 1 for test in (learnt_tests[cell], node["test"])
        ]
        for benefit, sign in ((run.benefit(), 1), (run.reference_benefit(), -1)):
            lead = benefit(of, cell, ours) / prices[0] - benefit(of, cell, theirs) / prices[1]
            assert sign * lead >= -1e-12
        n_ties += 1
    assert n_ties > 0


def test_weighted_pairs_are_those_of_the_authors_program() -> None:
    """Their recorded tree of all rows at prices of 1, to the last digit of its cost."""
    recorded = json.loads((REFERENCE / "lecdt_iris.json").read_text())["runs"]
    authors = next(
        run for run in recorded if (run["fit_on"], run["cost"], run["alg"]) == ("full", "unit", "IP")
    )
    iris = np.load(REFERENCE / "lecdt_iris_inputs.npz")
    model = ImpurePairsClassifier(weighted=True, min_mass=float(THETA)).fit(iris["X"], iris["y"])
    assert model.expected_cost_ == pytest.approx(authors["expected_cost_train"], rel=1e-12)
    plain = ImpurePairsClassifier(min_mass=float(THETA)).fit(iris["X"], iris["y"])
    assert plain.expected_cost_ < model.expected_cost_ - 1
