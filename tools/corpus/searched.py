"""Searches: parameters that fit finds out by itself, on validation rows or by folds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corpus import tables
from corpus.learners import fit_recipe
from corpus.prices import PRICES
from corpus.recipe import CorpusFit, Parameters

_PEOPLE = partial(tables.people, 400, 31, 0.05)
_NUMBERS = partial(tables.numbers, 600, 5, 3, 33)
_EARNINGS = partial(tables.earnings, 400, 35, 0.05)
_MISTAKES = [[0.0, 5.0], [1.0, 0.0]]
_AUTO: dict[str, Parameters] = {
    "pruned": {"pruning": "cost_complexity", "alpha": "cv"},
    "branches": {"multiway": True},
    "prices": {"costs": PRICES["all rules"]},
    "two threads": {"costs": PRICES["all rules"], "n_jobs": 2},
}
_SEARCH: dict[str, Parameters] = {
    "training error": {"cv": None},
    "folds": {"cv": 3, "random_state": 2},
    "budget": {"budget": 15.0, "cv": None},
    "budget and folds": {"budget": 15.0, "cv": 3, "random_state": 2},
}
_THRIFT: dict[str, Parameters] = {
    "prices": {"costs": PRICES["groups"]},
    "all rules": {"costs": PRICES["all rules"]},
    "auc": {"metric": "auc", "costs": PRICES["plain"]},
    "tolerance": {"tolerance": 0.05},
    "exact": {"tolerance": 0.0},
    "repeats": {"repeats": 2},
    "mistakes": {"error_costs": _MISTAKES, "class_weight": "balanced"},
    "bounds": {"max_depth": 3, "min_leaf": 10},
    "two threads": {"costs": PRICES["groups"], "n_jobs": 2},
}


def recipes() -> Iterator[CorpusFit]:
    """λ, impurities and methods that fit finds out."""
    infinity = float("inf")
    for trade_off in (0.0, 0.3, 30.0, infinity, "auto", "cv"):
        parameters: Parameters = {"trade_off": trade_off, "min_mass": 0.01, "random_state": 5}
        yield fit_recipe(f"trade-off/classes/{trade_off}", "EnhancedTreeClassifier", parameters, _PEOPLE)
        yield fit_recipe(
            f"trade-off/entropy/{trade_off}",
            "EnhancedTreeClassifier",
            {**parameters, "impurity": "entropy"},
            _NUMBERS,
        )
        yield fit_recipe(f"trade-off/numbers/{trade_off}", "EnhancedTreeRegressor", parameters, _EARNINGS)
    for name, parameters in _AUTO.items():
        given = {"trade_off": "auto", "min_mass": 0.02, "random_state": 5, **parameters}
        same_as = "trade-off/auto/prices" if "n_jobs" in given else None
        yield fit_recipe(f"trade-off/auto/{name}", "EnhancedTreeClassifier", given, _PEOPLE, same_as=same_as)
    for name, parameters in _SEARCH.items():
        given = {"impurity": "search", "max_bins": 8, "costs": PRICES["groups"], **parameters}
        yield fit_recipe(f"search/worst case/{name}", "WorstCaseTreeClassifier", given, _PEOPLE)
    for name, parameters in _THRIFT.items():
        given = {"max_bins": 16, **parameters}
        same_as = "thrift/prices" if "n_jobs" in given else None
        yield fit_recipe(f"thrift/{name}", "ThriftTreeClassifier", given, _PEOPLE, same_as=same_as)
    parameters = {"costs": PRICES["groups"], "max_bins": 16}
    yield fit_recipe("thrift numbers/prices", "ThriftTreeRegressor", parameters, _EARNINGS)
