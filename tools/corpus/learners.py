"""Every learner, on tables of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import thriftree
from corpus import tables
from corpus.product import Product, product_of
from corpus.recipe import CorpusFit, Parameters
from corpus.tables import Rows

#: Parameters that a learner is given here: what its randomness starts from, and less work where it searches.
CLASSIFIERS: dict[str, Parameters] = {
    "CARTClassifier": {},
    "ID3Classifier": {},
    "C45Classifier": {},
    "CHAIDClassifier": {},
    "PUBLICClassifier": {},
    "QUESTClassifier": {"random_state": 0, "cv": 5},
    "MSIClassifier": {},
    "OptimalTreeClassifier": {"random_state": 0, "max_depth": 3, "cv": 3},
    "EnhancedTreeClassifier": {},
    "ImpurePairsClassifier": {},
    "BalancedClassifier": {},
    "WorstCaseTreeClassifier": {},
    "ThriftTreeClassifier": {"random_state": 0, "cv": 3, "repeats": 1},
}
REGRESSORS: dict[str, Parameters] = {
    "CARTRegressor": {},
    "EnhancedTreeRegressor": {},
    "OptimalTreeRegressor": {"random_state": 0, "max_depth": 3, "cv": 3},
    "ThriftTreeRegressor": {"random_state": 0, "cv": 3, "repeats": 1},
}
#: Their scores are made by numpy and scipy: chi-squared and F distributions, logarithms, square roots.
ROUNDED = {"CHAIDClassifier", "QUESTClassifier", "MSIClassifier"}
SLOW = {
    *("OptimalTreeClassifier", "OptimalTreeRegressor", "QUESTClassifier"),
    *("ThriftTreeClassifier", "ThriftTreeRegressor"),
}

OF_CLASSES: dict[str, Callable[[], Rows]] = {
    "people": partial(tables.people, 400, 1),
    "people with gaps": partial(tables.people, 500, 2, 0.12, 4),
    "numbers": partial(tables.numbers, 400, 5, 3, 3),
    "ties": partial(tables.numbers, 600, 6, 2, 4, 3),
    "many classes": partial(tables.numbers, 500, 4, 25, 5),
    "wide": partial(tables.numbers, 120, 200, 2, 6),
}
OF_NUMBERS: dict[str, Callable[[], Rows]] = {
    "people": partial(tables.earnings, 400, 11),
    "people with gaps": partial(tables.earnings, 500, 12, 0.12),
    "numbers": partial(tables.amounts, 400, 5, 13),
    "ties": partial(tables.amounts, 600, 6, 14, 3),
    "wide": partial(tables.amounts, 120, 200, 15),
}


def written(parameters: Parameters) -> str:
    """Parameters as a part of a recipe's name."""
    return ", ".join(
        f"{parameter}={getattr(value, '__name__', value)}" for parameter, value in parameters.items()
    )


def fitted(
    learner: str, parameters: Parameters, rows: Callable[[], Rows], weight: str | None = None
) -> Product:
    """The learner's tree for these rows, and its answers to them."""
    X, y = rows()
    model = getattr(thriftree, learner)(**parameters)
    model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=tables.weights(len(y), weight))
    return product_of(model, X)


def fit_recipe(
    name: str,
    learner: str,
    parameters: Parameters,
    rows: Callable[[], Rows],
    weight: str | None = None,
    **marks: Any,
) -> CorpusFit:
    """A recipe of one fit; the parameters of CLASSIFIERS and REGRESSORS stand behind those given."""
    given = {**CLASSIFIERS, **REGRESSORS}[learner]
    marks = {"quick": learner not in SLOW, "rounded": learner in ROUNDED, **marks}
    if learner == "MSIClassifier":
        marks["compressor"] = parameters.get("compressor", "bz2")
    return CorpusFit(name, partial(fitted, learner, {**given, **parameters}, rows, weight), **marks)


def recipes() -> Iterator[CorpusFit]:
    """Each learner on each table, and on one and two threads."""
    for learners, of_target in ((CLASSIFIERS, OF_CLASSES), (REGRESSORS, OF_NUMBERS)):
        for learner in learners:
            for table, rows in of_target.items():
                yield fit_recipe(f"{learner}/{table}", learner, {}, rows)
            yield fit_recipe(
                f"{learner}/two threads",
                learner,
                {"n_jobs": 2},
                of_target["people with gaps"],
                same_as=f"{learner}/people with gaps",
            )
