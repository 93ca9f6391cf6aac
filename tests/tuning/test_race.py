"""Recipes that one part of the rows shows to be far behind are not measured on; what is chosen stays."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from clocks import Clock
from test_plain_trees_once import random_table
from thoroughness import tries

from thriftree import CARTClassifier, EnhancedTreeClassifier, TestCosts, ThriftTreeClassifier
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import Pruning
from thriftree.tuning import trials as trials_module
from thriftree.tuning.loop import TuningLoop
from thriftree.tuning.race import FAR, far_behind
from thriftree.tuning.recipe import Recipe
from thriftree.tuning.trials import Trials

UNLIMITED = Limits.of(1, None, None)


def signals_that_balance_hides(seed: int, n: int) -> tuple[Any, Any]:
    """Any of three rare ones says yes; of thirty other columns each divides the rows into halves, so that
    EC4.5, which likes halves, asks for those first.
    """
    random = np.random.default_rng(seed)
    signal = random.random((n, 3)) < 0.2
    X = np.column_stack([random.integers(0, 2, (n, 30)), signal]).astype(float)
    return X, signal.any(axis=1) ^ (random.random(n) < 0.05)


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods of the trees that were grown, in order."""
    methods: list[str] = []
    grow = Recipe.grow

    def noted(self: Recipe, *given: Any) -> Any:
        methods.append(self.method)
        return grow(self, *given)

    monkeypatch.setattr(Recipe, "grow", noted)
    return methods


def without_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials_module, "far_behind", lambda accuracies, _: [False] * len(accuracies))


def test_the_bound_is_four_standard_errors_of_trees_that_err_on_different_rows():
    rows = np.ones(100)
    edge = [0.9, 0.9 - FAR * sqrt((0.1 + 0.35) / 100)]
    assert far_behind([0.9, 0.7], rows) == [False, False]  # .2 of 4 * sqrt(.4 / 100) = .253
    assert far_behind([0.9, 0.5], rows) == [False, True]  # .4 of 4 * sqrt(.6 / 100) = .310
    assert far_behind(edge, rows) == [False, False]
    assert far_behind([0.5, 0.9], 7.0 * rows) == [True, False]  # weights in another unit
    assert far_behind([0.9, 0.5], np.r_[np.full(50, 1.0), np.zeros(50)]) == [False, False]  # fewer rows
    assert far_behind([1.0, 1.0, 0.0], rows) == [False, False, True]


def test_chance_leaves_nobody_out():
    random = np.random.default_rng(0)
    for _ in range(tries(20_000, 2_000)):
        n, right = int(random.integers(5, 400)), random.random()
        accuracies = (random.random((3, n)) < right).mean(axis=1)  # as good as each other
        assert far_behind(accuracies, np.ones(n)) == [False] * 3


def test_what_is_far_behind_is_left_out_and_the_choice_is_the_same(grown, monkeypatch):
    X, y = signals_that_balance_hides(0, 600)
    model = ThriftTreeClassifier(random_state=0).fit(X, y)
    assert grown.count("ec45") == 2  # a tree for each least leaf, of the first part
    assert set(model.cv_results_["method"]) == {"cart"}
    n_cart = grown.count("cart")
    grown.clear()
    without_race(monkeypatch)
    whole = ThriftTreeClassifier(random_state=0).fit(X, y)
    assert grown.count("ec45") == 2 * 21  # of all rows and of twenty parts
    assert grown.count("cart") == n_cart  # what was grown for the race is grown once
    assert set(whole.cv_results_["method"]) == {"cart", "ec45"}
    assert whole.tree_ == model.tree_
    assert whole.settings_ == model.settings_
    kept = [method == "cart" for method in whole.cv_results_["method"]]
    of_cart = np.array(whole.cv_results_["mean_score"])[kept]
    assert model.cv_results_["mean_score"] == of_cart.tolist()


def test_where_nobody_is_left_out_nothing_changes(monkeypatch):
    tables = [random_table(seed) for seed in range(tries(60, 6))]
    raced = [ThriftTreeClassifier(random_state=0).fit(*table) for table in tables]
    without_race(monkeypatch)
    for table, model in zip(tables, raced, strict=True):
        whole = ThriftTreeClassifier(random_state=0).fit(*table)
        assert whole.tree_ == model.tree_
        if len(whole.cv_results_["method"]) == len(model.cv_results_["method"]):
            assert str(whole.cv_results_) == str(model.cv_results_)


@pytest.mark.parametrize(
    "parameters",
    [
        {"budget": 4.0},
        {"max_expected": 3.0},
        {"metric": "auc"},
        {"error_costs": [[0, 1], [5, 0]]},
    ],
    ids=lambda parameters: next(iter(parameters)),
)
def test_bounds_of_price_and_other_scores_are_no_race(parameters, monkeypatch):
    monkeypatch.setattr(trials_module, "far_behind", lambda *_: pytest.fail("there is no race"))
    X, y = signals_that_balance_hides(1, 150)
    ThriftTreeClassifier(random_state=0, cv=2, repeats=1, **parameters).fit(X, y)


def test_prices_alone_may_be_raced():
    X, y = signals_that_balance_hides(2, 400)
    costs = TestCosts(dict.fromkeys(range(33), 1.0))
    model = ThriftTreeClassifier(costs=costs, random_state=0, repeats=1).fit(X, y)
    assert model.score(X, y) > 0.9


def recipes_of(X: Any, y: Any) -> tuple[Recipe, Recipe, Any]:
    """One that is far behind, first; one that is not; and the rows."""
    balanced = EnhancedTreeClassifier(impurity="entropy", trade_off=1.0)
    rows = balanced._read(X, y, None, UNLIMITED)
    behind = Recipe("ec45", {}, balanced._plan(rows), Pruning(), (1.0,))
    cart = CARTClassifier()
    cart._read(X, y, None, UNLIMITED)
    return behind, Recipe("cart", {}, cart._plan(rows), Pruning()), rows


def halves(rows: Any) -> Any:
    first = np.arange(len(rows)) % 2 == 0
    yield rows.take(np.flatnonzero(first)), rows.take(np.flatnonzero(~first))
    yield rows.take(np.flatnonzero(~first)), rows.take(np.flatnonzero(first))


def test_the_first_recipe_can_be_left_out_too():
    behind, ahead, rows = recipes_of(*signals_that_balance_hides(3, 600))
    trials = Trials([behind, ahead], rows, ("accuracy",), None, TuningLoop(UNLIMITED))
    parts = halves(rows)
    trials.grow(race=parts)
    assert {trial.recipe.method for trial in trials} == {"cart"}
    trials.measure(parts)
    assert all(len(trial.scores["accuracy"]) == 2 for trial in trials)  # the part of the race counts
    assert trials.loop.limits.held_bytes == sum(
        trials_module._bytes_of(of_recipe) for of_recipe in trials.found
    )


def test_a_race_that_a_limit_ends_leaves_the_first_recipe_and_nobody_out(monkeypatch):
    monkeypatch.setattr(
        trials_module, "far_behind", lambda *_: pytest.fail("the race was not run to its end")
    )
    behind, ahead, rows = recipes_of(*signals_that_balance_hides(4, 600))
    for looks in (0, 1, 2):
        trials = Trials([behind, ahead], rows, ("accuracy",), None, TuningLoop(Clock(looks)))
        parts = halves(rows)
        trials.grow(race=parts)
        assert [trial.recipe.method for trial in trials][:1] == ["ec45"]
        assert trials.loop.stopped_by == "time_limit"


def test_an_interrupt_in_the_race_leaves_the_tree_of_all_rows(monkeypatch):
    X, y = signals_that_balance_hides(5, 300)
    grow, calls = Recipe.grow, []

    def interrupted(self: Recipe, *given: Any) -> Any:
        calls.append(self)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return grow(self, *given)

    monkeypatch.setattr(Recipe, "grow", interrupted)
    model = ThriftTreeClassifier(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stopped_by_ == "interrupt"
    assert model.tree_.n_leaves > 1
    assert model.method_ == "cart"
