"""The learners that the studies of prices compare, each ready to fit with one data set's prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from thriftree import C45Classifier, CARTClassifier
from thriftree.costs import TestCosts
from thriftree.studies.lightgbm_tree import LightGBMTree

PRUNED = {"pruning": "cost_complexity", "alpha": "cv"}


@dataclass(frozen=True)
class Method:
    """A learner as a table names it. `make(costs, seed)` is unfitted."""

    name: str
    words: str  # what it is, in one line
    make: Callable[[TestCosts, int], Any]
    leaves: Callable[[Any], int] = lambda model: int(model.tree_.n_leaves)


def _cart(**words: Any) -> Callable[[TestCosts, int], Any]:
    return lambda costs, seed: CARTClassifier(costs=costs, random_state=seed, **words)


_ALL = (
    Method("CART", "weakest-link pruning, alpha by cross-validation; prices play no part", _cart(**PRUNED)),
    Method(
        "C4.5",
        "gain ratio, error-based pruning; prices play no part",
        lambda costs, _: C45Classifier(costs=costs),
    ),
    Method(
        "CART/price",
        "CART with the decrease of impurity divided by the price",
        _cart(cost_benefit=True, **PRUNED),
    ),
    Method(
        "LightGBM",
        "one round with cegb_penalty_feature_lazy; leaves and trade-off cross-validated",
        lambda costs, seed: LightGBMTree(costs, random_state=seed),
        leaves=lambda model: int(model.n_leaves_),
    ),
)

METHODS: Mapping[str, Method] = {method.name: method for method in _ALL}
BASELINE = "CART"
