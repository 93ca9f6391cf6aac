"""What makes more than one tree: frontiers, curves, comparisons, pruning paths; and certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import thriftree
from corpus import tables
from corpus.prices import PRICES, array_prices
from corpus.product import Product, product_of
from corpus.recipe import CorpusFit, Parameters
from corpus.tables import Rows
from thriftree.comparison import compare
from thriftree.datasets import heart_prices, load_heart

_PEOPLE = partial(tables.people, 240, 91, 0.05)
_EARNINGS = partial(tables.earnings, 240, 92)
_TIES = partial(tables.numbers, 300, 5, 3, 93, 3)
_PAID: Parameters = {"costs": PRICES["groups"]}

_FRONTIERS: dict[str, tuple[Callable[[], Rows], Parameters]] = {
    "held out": (_PEOPLE, _PAID),
    "folds": (_PEOPLE, {**_PAID, "cv": 3, "max_bins": 8}),
    "auc": (_PEOPLE, {"costs": PRICES["all rules"], "metric": "auc"}),
    "no prices": (_TIES, {"max_bins": 4}),
    "numbers": (_EARNINGS, {"costs": PRICES["delayed"], "target": "numbers"}),
    "bounds": (_TIES, {"costs": array_prices(5), "max_depth": 3, "class_weight": "balanced"}),
    "two threads": (_PEOPLE, {**_PAID, "n_jobs": 2}),
}
_CURVES: dict[str, tuple[Callable[[], Rows], Parameters]] = {
    "ties": (_TIES, {"costs": array_prices(5)}),
    "people": (_PEOPLE, {**_PAID, "max_bins": 6}),
    "hinged": (_TIES, {"impurities": ["hinged", "pairs"], "epsilons": [0.0, 0.01, 0.05], "min_leaf": 3}),
    "mistakes": (
        _PEOPLE,
        {"max_bins": 4, "error_costs": [[0, 3], [1, 0]], "impurities": [thriftree.Powers(3)]},
    ),
    "two sets": (_PEOPLE, {**_PAID, "max_bins": 6, "multiway": False, "impurities": ["pairs"]}),
}
_HEART: dict[str, Parameters] = {
    "CARTClassifier": {"cost_benefit": True, "max_leaves": 8},
    "C45Classifier": {},
    "EnhancedTreeClassifier": {"trade_off": "auto", "random_state": 0},
    "WorstCaseTreeClassifier": {"impurity": "search", "budget": 50, "random_state": 0},
    "ThriftTreeClassifier": {"budget": 100, "random_state": 0, "cv": 3},
}
#: What a comparison measures; the time of a fit is no part of it.
_MEASURED = ("accuracy", "auc", "r2", "rmse", "expected_cost", "worst_case_cost", "leaves")


def _frontier(rows: Callable[[], Rows], parameters: Parameters) -> Product:
    found = thriftree.frontier(*rows(), random_state=0, **parameters)
    facts = {"points": found.table(), "dominated": found.dominated, "metric": found.metric}
    return Product([point.tree for point in found], facts, stopped_by=found.stopped_by)


def _curve(rows: Callable[[], Rows], parameters: Parameters) -> Product:
    X, y = rows()
    found = thriftree.error_cost_curve(X, y, test=(X[:100], y[:100]), **parameters)
    return Product(
        [point.tree for point in found.points], {"points": found.to_rows()}, stopped_by=found.stopped_by
    )


def _comparison(rows: Callable[[], Rows], parameters: Parameters) -> Product:
    found = compare(*rows(), cv=3, random_state=0, **parameters)
    facts = {
        result.method: [{name: getattr(fold, name) for name in _MEASURED} for fold in result.folds]
        for result in found.results
    }
    return Product([], {**facts, "methods": [result.method for result in found.results]})


def _path(
    learner: str, rows: Callable[[], Rows], parameters: Parameters, weight: str | None = None
) -> Product:
    X, y = rows()
    model = getattr(thriftree, learner)(**parameters)
    weights = None if weight is None else tables.weights(len(y), weight)
    path = model.cost_complexity_pruning_path(X, y, sample_weight=weights)
    return product_of(model.fit(X, y, sample_weight=weights), path=dict(path))


def _certificate(
    n: int, levels: int, seed: int, parameters: Parameters, learner: str = "CARTClassifier"
) -> Product:
    """Of few objects, so that the search ends by itself long before its time is up."""
    random = np.random.RandomState(seed)
    X = random.randint(0, levels, (n, 4)).astype(float)
    y = ((X[:, 0] > 0) != (X[:, 1] + X[:, 2] > levels / 2)).astype(np.int64)
    model = getattr(thriftree, learner)(costs=np.array([1.0, 2.5, 2.0, 4.0])).fit(X, y)
    found = thriftree.certify(model, X, y, time_limit_s=3600, **parameters)
    return product_of(model, X, certificate=found, lower_bound=found.lower_bound, ratio=found.ratio)


def _heart(learner: str, parameters: Parameters) -> Product:
    X, y = load_heart()
    return product_of(getattr(thriftree, learner)(costs=heart_prices(), **parameters).fit(X, y), X)


def recipes() -> Iterator[CorpusFit]:
    """Searches of many trees, and what is said of one."""
    for name, (rows, parameters) in _FRONTIERS.items():
        same_as = "frontier/held out" if name == "two threads" else None
        yield CorpusFit(
            f"frontier/{name}", partial(_frontier, rows, parameters), quick=False, same_as=same_as
        )
    for name, (rows, parameters) in _CURVES.items():
        yield CorpusFit(f"curve/{name}", partial(_curve, rows, parameters))
    yield CorpusFit("compare/classes", partial(_comparison, _PEOPLE, _PAID), quick=False, rounded=True)
    parameters = {
        **_PAID,
        "methods": ["cart", "c45", "id3", "public", "impure-pairs", "balanced", "worst-case"],
    }
    yield CorpusFit("compare/named", partial(_comparison, _PEOPLE, parameters))
    yield CorpusFit("compare/numbers", partial(_comparison, _EARNINGS, {"target": "numbers"}), quick=False)
    for learner, rows in (
        ("CARTClassifier", _PEOPLE),
        ("CARTRegressor", _EARNINGS),
        ("EnhancedTreeClassifier", _TIES),
    ):
        for weight in (None, "float"):
            name = f"path/{learner}/{'weighted' if weight else 'plain'}"
            yield CorpusFit(name, partial(_path, learner, rows, {}, weight))
    for objective in ("worst_case", "expected"):
        yield CorpusFit(
            f"certify/CART/{objective}", partial(_certificate, 16, 3, 1, {"objective": objective})
        )
        worst = partial(_certificate, 18, 2, 2, {"objective": objective}, "WorstCaseTreeClassifier")
        yield CorpusFit(f"certify/worst case/{objective}", worst)
        error = {"objective": objective, "trees": "error"}
        yield CorpusFit(f"certify/error/{objective}", partial(_certificate, 12, 3, 3, error))
    for learner, parameters in _HEART.items():
        yield CorpusFit(f"heart/{learner}", partial(_heart, learner, parameters), quick=False)
