"""A tree that two recipes have in common is grown once: nothing but the time shows it."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from thoroughness import tries

from thriftree import CARTClassifier, EnhancedTreeClassifier, ThriftTreeClassifier, frontier
from thriftree.tuning.recipe import Recipe


def random_table(seed: int, *, equal_rows: bool = False) -> tuple[pd.DataFrame, Any, Any]:
    """Few values, so that scores tie; categories, missing values, sometimes weights; equal rows if asked for,
    which are one object.
    """
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 160))
    X = pd.DataFrame(
        {
            "few": random.integers(0, 3, n).astype(float),
            "many": np.round(random.normal(size=n), 1),
            "names": pd.Categorical(random.choice(list("abcdefghijk"), n)),
            "two": pd.Categorical(random.choice(list("yn"), n)),
        }
    )
    X.loc[random.random(n) < 0.1, "few"] = np.nan
    X.loc[random.random(n) < 0.1, "names"] = None
    if equal_rows:
        X = X.iloc[random.integers(0, n // 2, n)].reset_index(drop=True)
    else:
        X = X[~X.duplicated()].reset_index(drop=True)
    n = len(X)
    n_classes = int(random.integers(2, 4))
    y = (X["few"].fillna(1).to_numpy() + random.integers(0, 2, n)).astype(int) % n_classes
    y[:n_classes] = np.arange(n_classes)
    weight = (None, random.integers(1, 4, n), random.random(n) + 0.1)[seed % 3]
    return X, y, weight


def without_scores(model: Any) -> Any:
    document = model.tree_.to_dict()
    for node in document["nodes"]:
        node.get("test", {}).pop("score", None)
    return document


PARAMETERS = (
    {},
    {"min_leaf": 0.05},
    {"min_leaf": 3, "max_depth": 4},
    {"max_leaves": 7},
)


@pytest.mark.parametrize("number", range(len(PARAMETERS)))
def test_of_rows_that_are_an_object_each_an_infinite_trade_off_is_the_impurity_alone(number: int) -> None:
    parameters: dict[str, Any] = PARAMETERS[number]
    for seed in range(tries(60, 8)):
        X, y, weight = random_table(seed)
        cart = CARTClassifier(**parameters).fit(X, y, weight)
        enhanced = EnhancedTreeClassifier(trade_off=inf, **parameters).fit(X, y, weight)
        assert without_scores(cart) == without_scores(enhanced)


def test_what_is_grown_once_is_measured_as_if_it_were_grown_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Recipe.is_plain_part_of
    answers: list[bool] = []

    def asked(self: Recipe, other: Recipe) -> bool:
        answers.append(shared(self, other))
        return False

    words: dict[str, Any] = {
        **{"methods": ["cart", "ecart"], "trade_offs": [1.0, inf], "min_masses": [0.0]},
        **{"cv": 3, "random_state": 0},
    }
    for seed in range(tries(24, 6)):
        X, y, weight = random_table(seed, equal_rows=seed % 2 == 1)
        once = frontier(X, y, sample_weight=weight, **words)
        with monkeypatch.context() as patched:
            patched.setattr(Recipe, "is_plain_part_of", asked)
            twice = frontier(X, y, sample_weight=weight, **words)
        assert once.table() == twice.table()
        assert [point.tree.to_json() for point in once] == [point.tree.to_json() for point in twice]
    assert any(answers)


def test_where_tests_have_prices_every_recipe_grows_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Recipe.is_plain_part_of
    answers: list[bool] = []
    monkeypatch.setattr(
        Recipe, "is_plain_part_of", lambda self, other: bool(answers.append(shared(self, other)))
    )
    X, y, _ = random_table(0)
    ThriftTreeClassifier(cv=3, repeats=1, random_state=0, costs=[1.0, 2.0, 3.0, 4.0]).fit(X, y)
    assert answers
    assert not any(answers)


def test_without_prices_no_tree_of_the_tuned_fit_is_another_one() -> None:
    """Of classes the impurities differ, and no trade-off is infinite: nothing is grown twice."""
    X, y, _ = random_table(0)
    table = ThriftTreeClassifier(cv=3, repeats=1, random_state=0).fit(X, y).cv_results_
    grown = set(zip(table["method"], table["impurity"], table["trade_off"], strict=True))
    assert grown == {
        *(("cart", impurity, None) for impurity in ("gini", "entropy", "gain_ratio")),
        ("ec45", None, 1.0),
    }
