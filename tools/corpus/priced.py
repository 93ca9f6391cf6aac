"""Prices: every rule, under every learner that goes by them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corpus import tables
from corpus.learners import fit_recipe
from corpus.prices import PRICES, array_prices
from corpus.recipe import CorpusFit, Parameters
from thriftree import HingedPairs, Powers

_PEOPLE = partial(tables.people, 350, 21, 0.05)
_EARNINGS = partial(tables.earnings, 350, 22, 0.05)
_NUMBERS = partial(tables.numbers, 400, 6, 3, 23, 4)

#: Short names of learners that weigh tests by their price, with the parameters that make them do so.
_BY_PRICE: dict[str, tuple[str, Parameters]] = {
    "cart": ("CARTClassifier", {"cost_benefit": True, "max_leaves": 20}),
    "c45": ("C45Classifier", {"cost_benefit": True}),
    "public": ("PUBLICClassifier", {"cost_benefit": True}),
    "enhanced": ("EnhancedTreeClassifier", {"min_mass": 0.02}),
    "ec45": ("EnhancedTreeClassifier", {"impurity": "entropy", "trade_off": 10.0, "min_mass": 0.02}),
    "asr": ("EnhancedTreeClassifier", {"trade_off": 0.0, "min_mass": 0.02}),
    "pairs": ("ImpurePairsClassifier", {"cost_benefit": True, "min_mass": 0.02}),
    "balanced": ("BalancedClassifier", {"cost_benefit": True, "max_depth": 5}),
    "worst case": ("WorstCaseTreeClassifier", {"min_mass": 0.02}),
}
_OF_NUMBERS: dict[str, tuple[str, Parameters]] = {
    "cart numbers": ("CARTRegressor", {"cost_benefit": True, "max_leaves": 20}),
    "enhanced numbers": ("EnhancedTreeRegressor", {"min_mass": 0.02}),
}


def recipes() -> Iterator[CorpusFit]:
    """Prices under learners that weigh them, that only report them, and that keep a budget."""
    for group, rows in ((_BY_PRICE, _PEOPLE), (_OF_NUMBERS, _EARNINGS)):
        for short, (learner, parameters) in group.items():
            for kind, costs in PRICES.items():
                yield fit_recipe(f"prices/{short}/{kind}", learner, {**parameters, "costs": costs}, rows)
    for learner in ("CARTClassifier", "ID3Classifier", "C45Classifier", "CHAIDClassifier", "MSIClassifier"):
        for kind in ("by outcome", "all rules"):
            parameters = {"costs": PRICES[kind]}
            yield fit_recipe(f"prices/reported/{learner}/{kind}", learner, parameters, _PEOPLE)
    for budget in (0.5, 5.0, 12.0, 30.0):
        for kind in ("plain", "groups", "delayed", "by outcome"):
            parameters = {"costs": PRICES[kind], "budget": budget}
            yield fit_recipe(
                f"budget/worst case/{kind}/{budget:g}", "WorstCaseTreeClassifier", parameters, _PEOPLE
            )
    for budget in (5.0, 20.0):
        for kind in ("plain", "groups", "delayed", "all rules"):
            parameters = {"costs": PRICES[kind], "budget": budget, "max_bins": 16}
            yield fit_recipe(f"budget/thrift/{kind}/{budget:g}", "ThriftTreeClassifier", parameters, _PEOPLE)
        parameters = {"costs": PRICES["groups"], "budget": budget, "max_bins": 16}
        yield fit_recipe(f"budget/thrift numbers/{budget:g}", "ThriftTreeRegressor", parameters, _EARNINGS)
    parameters = {"costs": array_prices(6), "cost_benefit": True}
    yield fit_recipe("prices/array/cart", "CARTClassifier", parameters, _NUMBERS)
    yield fit_recipe("prices/array/enhanced", "EnhancedTreeClassifier", {"costs": array_prices(6)}, _NUMBERS)
    for name, impurity in (("powers", Powers(3)), ("hinged", HingedPairs(epsilon=0.01))):
        parameters = {"costs": array_prices(6), "impurity": impurity}
        yield fit_recipe(f"prices/array/worst case/{name}", "WorstCaseTreeClassifier", parameters, _NUMBERS)
