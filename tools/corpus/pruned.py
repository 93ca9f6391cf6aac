"""Pruning: every way, with given prices of a leaf and with those that folds find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from corpus import tables
from corpus.learners import fit_recipe, written
from corpus.recipe import CorpusFit, Parameters
from corpus.tables import Rows

_FOUR = partial(tables.people, 500, 32, 0.0, 4)
_NUMBERS = partial(tables.numbers, 600, 5, 3, 33)
_TIES = partial(tables.numbers, 500, 5, 3, 34, 4)
_EARNINGS = partial(tables.earnings, 400, 35, 0.05)


def recipes() -> Iterator[CorpusFit]:
    """Each way to prune, under each learner that has it."""
    ways: tuple[Parameters, ...] = (
        {"pruning": "cost_complexity", "alpha": 0.004},
        {"pruning": "cost_complexity", "alpha": 0.0},
        {"pruning": "cost_complexity", "alpha": "cv", "random_state": 3},
        {"pruning": "cost_complexity", "alpha": "cv_1se", "cv": 4, "random_state": 3},
        {"pruning": "reduced_error", "random_state": 3},
        {"pruning": "validation_gain", "min_gain": 0.02, "validation_fraction": 0.3, "random_state": 3},
    )
    tables_of: dict[str, Callable[[], Rows]] = {
        "CARTClassifier": _FOUR,
        "CARTRegressor": _EARNINGS,
        "EnhancedTreeClassifier": _FOUR,
        "EnhancedTreeRegressor": _EARNINGS,
        "BalancedClassifier": _TIES,
        "ImpurePairsClassifier": _TIES,
    }
    for learner, rows in tables_of.items():
        for parameters in ways:
            yield fit_recipe(f"pruning/{learner}/{written(parameters)}", learner, parameters, rows)
    mistakes = [[0.0, 1.0, 4.0, 9.0], [1.0, 0.0, 1.0, 4.0], [4.0, 1.0, 0.0, 1.0], [30.0, 4.0, 1.0, 0.0]]
    for parameters in ways[2:5]:
        parameters = {**parameters, "error_costs": mistakes, "max_bins": 20}
        named = {name: parameters.get(name) for name in ("pruning", "alpha")}
        yield fit_recipe(f"pruning/error costs/{written(named)}", "CARTClassifier", parameters, _FOUR)
    for parameters in (
        {"pruning": None},
        {"confidence": 0.05},
        {"confidence": 0.6, "raising": False},
        {"raising": False},
        {"min_leaf": 1},
        {"min_decrease": 0.01},
    ):
        yield fit_recipe(f"pruning/C45/{written(parameters)}", "C45Classifier", parameters, _FOUR)
        yield fit_recipe(
            f"pruning/C45 on numbers/{written(parameters)}", "C45Classifier", parameters, _NUMBERS
        )
