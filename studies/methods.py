"""The learners that the studies of prices compare, each ready to fit with one data set's prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from numpy.typing import NDArray

from studies.evaluation import Floats
from studies.lightgbm_tree import LightGBMTree
from thriftree import C45Classifier, CARTClassifier, EnhancedTreeClassifier, ThriftTreeClassifier, Tree
from thriftree.costs import TestCosts

Make = Callable[[TestCosts, int], Any]

BASELINE = "CART"


@dataclass(frozen=True)
class PricedMethod:
    """A learner as a table names it. `make(costs, seed)` is unfitted."""

    name: str
    summary: str  # what it is, in one line
    make: Make
    leaves: Callable[[Any], int] = lambda model: int(model.tree_.n_leaves)


class GrownPerTest:
    """A tree that is grown as the papers have it, every test paid, and then priced by the real rules.

    `make` gives the learner, for prices and a seed.
    """

    classes_: NDArray[Any]
    tree_: Tree
    worst_case_cost_: float

    def __init__(self, make: Make, costs: TestCosts, seed: int) -> None:
        self._costs = costs
        self._model = make(replace(costs, pay="each"), seed)

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Learn, and put the real prices on the tree."""
        self._model.fit(X, y)
        self.classes_ = self._model.classes_
        self.tree_ = Tree.from_dict({**self._model.tree_.to_dict(), "prices": self._costs.to_dict()})
        self.worst_case_cost_ = self.tree_.worst_case_cost()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        labels: NDArray[Any] = self._model.predict(X)
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Rows x classes."""
        shares: Floats = self._model.predict_proba(X)
        return shares

    def predict_cost(self, X: Any) -> Floats:
        """What each row pays for its tests, by the real rules."""
        return self.tree_.predict_cost(X)


def _cart(**parameters: Any) -> Make:
    """CART with weakest-link pruning, its alpha by cross-validation."""
    return lambda costs, seed: CARTClassifier(
        pruning="cost_complexity", alpha="cv", costs=costs, random_state=seed, **parameters
    )


def _enhanced(**parameters: Any) -> Make:
    """An enhanced tree, pruned likewise; θ is that of paper 000."""
    return lambda costs, seed: EnhancedTreeClassifier(
        pruning="cost_complexity", alpha="cv", min_mass=0.005, costs=costs, random_state=seed, **parameters
    )


def _per_test(make: Make) -> Make:
    return lambda costs, seed: GrownPerTest(make, costs, seed)


_ALL = (
    PricedMethod(BASELINE, "weakest-link pruning, alpha by cross-validation; prices play no part", _cart()),
    PricedMethod(
        "C4.5",
        "gain ratio, error-based pruning; prices play no part",
        lambda costs, _: C45Classifier(costs=costs),
    ),
    PricedMethod(
        "CART/price", "CART, decrease of gini over the test's price", _per_test(_cart(cost_benefit=True))
    ),
    PricedMethod("ASR", "balance and efficiency over price", _per_test(_enhanced(trade_off=0.0))),
    PricedMethod(
        "EC4.5",
        "the same with λ times entropy, λ by the paper's rule",
        _per_test(_enhanced(impurity="entropy", trade_off="auto")),
    ),
    PricedMethod(
        "ECART",
        "the same with λ times gini, λ by the paper's rule",
        _per_test(_enhanced(impurity="gini", trade_off="auto")),
    ),
    PricedMethod(
        "ECART/once",
        "ECART that knows while growing what a path has paid for",
        _enhanced(impurity="gini", trade_off="auto"),
    ),
    PricedMethod(
        "LightGBM",
        "one round with cegb_penalty_feature_lazy; leaves and trade-off cross-validated",
        lambda costs, seed: LightGBMTree(costs, random_state=seed),
        leaves=lambda model: int(model.n_leaves_),
    ),
    PricedMethod(
        "ThriftTree",
        "what we recommend: method and settings by cross-validation",
        lambda costs, seed: ThriftTreeClassifier(costs=costs, random_state=seed),
    ),
)

METHODS: Mapping[str, PricedMethod] = {method.name: method for method in _ALL}
