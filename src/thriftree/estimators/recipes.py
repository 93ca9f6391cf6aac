"""The methods that tuning chooses among, by name: which estimator grows each, with which parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from thriftree.costs import TestCosts, as_costs
from thriftree.costs.bound import prices_alone
from thriftree.estimators.base import BaseTree, OfClasses, TreeEstimator
from thriftree.estimators.c45 import C45Classifier
from thriftree.estimators.cart import CARTClassifier, CARTRegressor
from thriftree.estimators.enhanced import EnhancedTreeClassifier, EnhancedTreeRegressor
from thriftree.estimators.optimal import OptimalTreeClassifier
from thriftree.learning.allowance import Budget
from thriftree.learning.leaf_models import LeafReading
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample
from thriftree.tuning.recipe import Recipe

#: What a test of the mean price is worth to a search, in shares of the weight: 0 is error alone.
WORTHS: Final = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3)
SEARCH_DEPTH: Final = 3  # at most: a search of three levels takes milliseconds


@dataclass(frozen=True)
class Method:
    """An estimator for each kind of target, None where the method has none, and the parameters that make it
    this method.
    """

    classifier: type[BaseTree] | type[OptimalTreeClassifier] | None
    regressor: type[BaseTree] | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_price: bool = False  # whether it weighs a test against its price
    has_trade_off: bool = False
    has_impurity: bool = False  # whether its classifier grows by one of several
    searches: bool = False  # whether it finds trees as a whole, for weights of price: only where it is named

    def learner(self, reader: TreeEstimator) -> type[BaseTree] | type[OptimalTreeClassifier] | None:
        """The estimator for the kind of target that `reader` reads."""
        return self.classifier if isinstance(reader, OfClasses) else self.regressor


METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "cart": Method(CARTClassifier, CARTRegressor, has_impurity=True),
        "cost_benefit_cart": Method(CARTClassifier, CARTRegressor, {"cost_benefit": True}, by_price=True),
        "c45": Method(C45Classifier, None),
        "cost_benefit_c45": Method(C45Classifier, None, {"cost_benefit": True}, by_price=True),
        "ecart": Method(EnhancedTreeClassifier, EnhancedTreeRegressor, by_price=True, has_trade_off=True),
        "ec45": Method(
            EnhancedTreeClassifier, None, {"impurity": "entropy"}, by_price=True, has_trade_off=True
        ),
        "optimal": Method(OptimalTreeClassifier, None, {"leaf_penalty": 0.0}, searches=True),
    }
)


@dataclass(frozen=True)
class Grid:
    """What is varied, each with each where a method has the parameter."""

    methods: tuple[str, ...]
    trade_offs: tuple[float, ...]
    min_masses: tuple[float, ...] = ()  # of these two, empty: as the estimators' parameters say
    min_leaves: tuple[float, ...] = ()
    impurities: tuple[str, ...] = ()  # of classes; empty: the method's own
    # Prices of asking that scores add to the price of a test, in mean prices of a test; None: that of the
    # prices. The larger, the less a test's own price matters.
    askings: tuple[float | None, ...] = (None,)


def recipes(
    reader: TreeEstimator,
    rows: Sample,
    parameters: Mapping[str, Any],
    grid: Grid,
    budgets: tuple[Budget, ...] = (),
    linear: LeafReading | None = None,
) -> list[Recipe]:
    """The recipes of a grid for rows that `reader` has read; `parameters` are those that their estimators
    have in common. `linear` is what linear leaves may read; None: none compete.
    """
    found: list[Recipe] = []
    for name in grid.methods:
        method = METHODS[name]
        if method.learner(reader) is None:
            continue
        is_of_classes = isinstance(reader, OfClasses)
        if method.searches:
            found += _searches(name, reader, rows, parameters)
            continue
        for settings in _settings(grid, method, parameters.get("costs") is not None, is_of_classes):
            model = learner(name, reader, parameters, settings)
            assert isinstance(model, BaseTree)
            trade_offs = grid.trade_offs if method.has_trade_off else ()
            found.append(Recipe(name, settings, model._plan(rows), model._pruning(), trade_offs, budgets))
    return [*found, *(_with_linear_leaves(one, linear) for one in found if one.method == "cart" and linear)]


def _searches(
    name: str, reader: TreeEstimator, rows: Sample, parameters: Mapping[str, Any]
) -> Iterator[Recipe]:
    """The recipes of a method that finds the best tree for a weight of price: one for each weight."""
    costs = parameters.get("costs")
    alone = prices_alone(as_costs(costs)) if costs is not None else np.ones(1)
    mean = float(np.mean(alone)) or 1.0
    depth = parameters.get("max_depth")
    most = SEARCH_DEPTH if depth is None else min(int(depth), SEARCH_DEPTH)
    for worth in WORTHS:
        settings = {"price_weight": worth / mean, "max_depth": most}
        model = learner(name, reader, parameters, settings)
        assert isinstance(model, OptimalTreeClassifier)
        plan = model._plan_again(rows)
        yield Recipe(name, settings, plan, Pruning(), search=model._searched)


def _with_linear_leaves(recipe: Recipe, reading: LeafReading) -> Recipe:
    """The same trees, with linear leaves."""
    return replace(recipe, settings={**recipe.settings, "leaves": "linear"}, linear=reading)


def learner(
    name: str, reader: TreeEstimator, parameters: Mapping[str, Any], settings: Mapping[str, Any]
) -> BaseTree | OptimalTreeClassifier:
    """The estimator that grows the trees of a method with these settings, for rows that `reader` has read."""
    method = METHODS[name]
    cls = method.learner(reader)
    assert cls is not None  # a method that has no learner for the target grew no tree
    given = {name: value for name, value in parameters.items() if name in cls._parameter_constraints}
    varied = {name: value for name, value in settings.items() if name != "asking"}
    model = cls(**{**given, **method.parameters, **varied})
    if settings.get("asking") is not None:
        model.set_params(costs=_asking(as_costs(model.costs), settings["asking"]))
    for attribute in ("classes_", "n_classes_"):
        if hasattr(reader, attribute):
            setattr(model, attribute, getattr(reader, attribute))
    return model


def _settings(grid: Grid, method: Method, priced: bool, is_of_classes: bool) -> Iterator[dict[str, Any]]:
    """The parameters of each of a method's recipes."""
    masses, leaves = grid.min_masses or (None,), grid.min_leaves or (None,)
    askings = grid.askings if method.by_price and priced else (None,)
    impurities = (method.has_impurity and is_of_classes and grid.impurities) or (None,)
    for impurity, min_mass, min_leaf, asking in product(impurities, masses, leaves, askings):
        parameters = {"impurity": impurity, "min_mass": min_mass, "min_leaf": min_leaf, "asking": asking}
        yield {name: value for name, value in parameters.items() if value is not None}


def _asking(costs: TestCosts, times: float) -> TestCosts:
    """The same prices with another price of asking: so many times the mean price of a test on its own."""
    alone = prices_alone(costs)
    mean = float(np.mean(alone)) if len(alone) else 0.0
    return replace(costs, asking=times * mean) if mean > 0 else costs
