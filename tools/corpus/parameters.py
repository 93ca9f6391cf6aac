"""The parameters that learners share, one by one: growth, bins, weights, costs of mistakes, impurities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from corpus import tables
from corpus.learners import fit_recipe, written
from corpus.prices import PRICES
from corpus.recipe import CorpusFit, Parameters
from thriftree import HingedPairs, Pairs, Polynomial, Powers

_PEOPLE = partial(tables.people, 400, 31, 0.05)
_FOUR = partial(tables.people, 500, 32, 0.0, 4)
_NUMBERS = partial(tables.numbers, 600, 5, 3, 33)
_TIES = partial(tables.numbers, 500, 5, 3, 34, 4)
_EARNINGS = partial(tables.earnings, 400, 35, 0.05)

_MISTAKES = [[0.0, 5.0], [1.0, 0.0]]
Floats = NDArray[np.float64]


def even_split(parent: Floats, branches: Floats, price: Floats) -> Floats:
    """A criterion of one's own: the most even split in weight."""
    scores: Floats = -branches.sum(axis=2).max(axis=1)
    return scores


def purest_per_price(parent: Floats, branches: Floats, price: Floats) -> Floats:
    """Another: the weight of the heaviest class in each branch, over the price."""
    scores: Floats = branches.max(axis=2).sum(axis=1) / (1 + price)
    return scores


def spread(parent: Floats, branches: Floats, price: Floats) -> Floats:
    """For numbers: how far the means of the branches are apart, times the smaller weight."""
    means = branches[:, :, 1] / branches[:, :, 0]
    scores: Floats = (means.max(axis=1) - means.min(axis=1)) * branches[:, :, 0].min(axis=1)
    return scores


def products(counts: Floats) -> Floats:
    """An impurity of one's own for worst-case trees: pairs of objects of different classes."""
    total = counts.sum(axis=1)
    values: Floats = (total * total - (counts * counts).sum(axis=1)) / 2
    return values


_OF_SETS: dict[str, Parameters] = {
    "pairs": {"impurity": Pairs(), "max_bins": 12},
    "powers 2": {"impurity": Powers(2), "max_bins": 12},
    "powers 4": {"impurity": Powers(4), "max_bins": 12},
    "polynomial": {
        "impurity": Polynomial(((2.0, (1, 1, 0)), (1.0, (2, 0, 1)), (1.0, (0, 1, 1)))),
        "max_bins": 12,
    },
    "hinged 2.5": {"impurity": HingedPairs(2.5), "max_bins": 12},
    "hinged share": {"impurity": HingedPairs(epsilon=0.02), "max_bins": 12},
    "own": {"impurity": products, "max_bins": 6},
}
_NO_OFFSET: Parameters = {"impurity": HingedPairs(3.0, offset=False)}
_BRANCHES: dict[str, Parameters] = {
    "all values": {"multiway": "all", "max_bins": 5},
    "two sets": {"multiway": False},
}
_GROWTH: tuple[Parameters, ...] = (
    {"max_depth": 1},
    {"max_depth": 4},
    {"max_leaves": 2},
    {"max_leaves": 9},
    {"min_leaf": 12},
    {"min_leaf": 0.05},
    {"min_mass": 0.03},
)
_CODES: tuple[Parameters, ...] = (
    {"max_bins": 8},
    {"max_bins": 32, "binning": "uniform"},
    {"max_bins": 16, "binning": "kmeans"},
    {"max_bins": 2},
    {"proportion_encode": 6},
    {"categorical_features": None},
)
_OF_CLASSES: tuple[Parameters, ...] = (
    {"class_weight": "balanced"},
    {"class_weight": {"no": 1.0, "yes": 3.5}},
    {"error_costs": _MISTAKES},
    {"error_costs": _MISTAKES, "class_weight": "balanced", "smoothing": 1.0},
)
_LACKS = {  # parameters of the lists above that a learner does not have
    "QUESTClassifier": {"proportion_encode"},
    "PUBLICClassifier": {"max_leaves"},
    "MSIClassifier": {"max_depth", "max_leaves", "min_leaf", "min_mass", "class_weight", "error_costs"},
    "ThriftTreeClassifier": {"min_mass"},
}
_ALL_NAMES = {"categorical_features": None}  # a frame of texts has none that could be numbers


def recipes() -> Iterator[CorpusFit]:
    """One parameter after the other, under the learners that have it."""
    yield from _varied()
    yield from _weighted()
    yield from _impurities()


def _varied() -> Iterator[CorpusFit]:
    learners = ("CARTClassifier", "C45Classifier", "ID3Classifier", "CHAIDClassifier", "PUBLICClassifier")
    objects = ("EnhancedTreeClassifier", "BalancedClassifier", "WorstCaseTreeClassifier", "MSIClassifier")
    for learner in (*learners, *objects):
        for parameters in (*_GROWTH, *_CODES, *_OF_CLASSES):
            if parameters == _ALL_NAMES or _LACKS.get(learner, set()) & parameters.keys():
                continue
            yield fit_recipe(f"words/{learner}/{written(parameters)}", learner, parameters, _PEOPLE)
    for learner in ("CARTRegressor", "EnhancedTreeRegressor"):
        for parameters in (*_GROWTH, *_CODES):
            if parameters != _ALL_NAMES:
                yield fit_recipe(f"words/{learner}/{written(parameters)}", learner, parameters, _EARNINGS)
    for categories in ([0, 1], [4], None):
        for learner in ("CARTClassifier", "ID3Classifier", "EnhancedTreeClassifier"):
            parameters = {"categorical_features": categories}
            yield fit_recipe(f"words/{learner}/{written(parameters)}", learner, parameters, _TIES)


def _weighted() -> Iterator[CorpusFit]:
    learners = ("CARTClassifier", "C45Classifier", "ID3Classifier", "CHAIDClassifier", "PUBLICClassifier")
    objects = ("EnhancedTreeClassifier", "ImpurePairsClassifier", "WorstCaseTreeClassifier")
    for kind in ("integer", "float", "zeros"):
        for learner in (*learners, *objects):
            yield fit_recipe(f"weights/{learner}/{kind}", learner, {}, _PEOPLE, kind)
        for learner in ("CARTRegressor", "EnhancedTreeRegressor"):
            yield fit_recipe(f"weights/{learner}/{kind}", learner, {}, _EARNINGS, kind)
        parameters: Parameters = {"pruning": "cost_complexity", "random_state": 1, "max_bins": 12}
        yield fit_recipe(f"weights/pruned/{kind}", "CARTClassifier", parameters, _PEOPLE, kind)
        yield fit_recipe(f"weights/best first/{kind}", "CARTClassifier", {"max_leaves": 7}, _NUMBERS, kind)
        yield fit_recipe(f"weights/QUEST/{kind}", "QUESTClassifier", {"pruning": None}, _TIES, kind)
        yield fit_recipe(f"weights/thrift/{kind}", "ThriftTreeClassifier", {"max_bins": 8}, _TIES, kind)


def _impurities() -> Iterator[CorpusFit]:
    for impurity in ("gini", "entropy", "misclassification", "gain_ratio"):
        for table, rows in (("people", _FOUR), ("numbers", _NUMBERS), ("ties", _TIES)):
            parameters: Parameters = {"impurity": impurity}
            yield fit_recipe(f"impurity/CART/{impurity}/{table}", "CARTClassifier", parameters, rows)
    for function in (even_split, purest_per_price):
        parameters = {"impurity": function, "max_depth": 5, "costs": PRICES["plain"]}
        name = f"impurity/own/{function.__name__}"
        yield fit_recipe(name, "CARTClassifier", parameters, _PEOPLE, rounded=True)
        yield fit_recipe(
            f"{name}/jobs", "CARTClassifier", {**parameters, "n_jobs": 2}, _PEOPLE, rounded=True, same_as=name
        )
    parameters = {"impurity": spread, "max_depth": 4}
    yield fit_recipe("impurity/own/spread", "CARTRegressor", parameters, _EARNINGS, rounded=True)
    yield fit_recipe("impurity/PUBLIC/gini", "PUBLICClassifier", {"impurity": "gini"}, _FOUR)
    for name, parameters in _OF_SETS.items():
        yield fit_recipe(f"impurity/worst case/{name}", "WorstCaseTreeClassifier", parameters, _NUMBERS)
    for name, parameters in {
        "hinged, no offset": _NO_OFFSET,
        "tolerance": {"tolerance": 40.0},
        **_BRANCHES,
    }.items():
        yield fit_recipe(f"impurity/worst case/{name}, people", "WorstCaseTreeClassifier", parameters, _FOUR)
