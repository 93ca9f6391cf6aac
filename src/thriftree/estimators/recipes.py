"""The methods that tuning chooses among, each by a name: which estimator grows it, and with which words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from thriftree.estimators.base import BaseTree, OfClasses, TreeEstimator
from thriftree.estimators.budget import Budget, grow_within
from thriftree.estimators.c45 import C45Classifier
from thriftree.estimators.cart import CARTClassifier, CARTRegressor
from thriftree.estimators.enhanced import EnhancedTreeClassifier, EnhancedTreeRegressor
from thriftree.estimators.growth import Grown, Plan, Rows
from thriftree.estimators.limits import Limits
from thriftree.estimators.pruning import Pruning, grow_and_prune, grow_and_prune_path


@dataclass(frozen=True)
class Method:
    """An estimator for each kind of target, None where the method has none, and the words that make it this
    method.
    """

    classifier: type[BaseTree] | None
    regressor: type[BaseTree] | None
    words: Mapping[str, Any] = field(default_factory=dict)
    has_trade_off: bool = False

    def learner(self, reader: TreeEstimator) -> type[BaseTree] | None:
        """The estimator for the kind of target that `reader` reads."""
        return self.classifier if isinstance(reader, OfClasses) else self.regressor


METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "cart": Method(CARTClassifier, CARTRegressor),
        "cost_benefit_cart": Method(CARTClassifier, CARTRegressor, {"cost_benefit": True}),
        "c45": Method(C45Classifier, None),
        "cost_benefit_c45": Method(C45Classifier, None, {"cost_benefit": True}),
        "ecart": Method(EnhancedTreeClassifier, EnhancedTreeRegressor, has_trade_off=True),
        "ec45": Method(EnhancedTreeClassifier, None, {"impurity": "entropy"}, has_trade_off=True),
    }
)


@dataclass(frozen=True)
class Recipe:
    """How to grow one tree, or one tree for each of several trade-offs."""

    method: str
    settings: Mapping[str, Any]  # the words that were varied
    plan: Plan
    how: Pruning  # the method's own pruning, before any other
    trade_offs: tuple[float, ...] = ()
    budget: Budget | None = None  # what no path may cost more than

    def grow(self, rows: Rows, limits: Limits) -> list[Grown]:
        """The tree of these rows, or the tree of each trade-off."""
        if self.budget is not None:
            plans = [replace(self.plan, trade_off=value) for value in self.trade_offs] or [self.plan]
            return [grow_within(self.budget, rows, plan, limits, self.how) for plan in plans]
        if self.trade_offs:
            return grow_and_prune_path(rows, self.plan, limits, self.how, self.trade_offs)
        return [grow_and_prune(rows, self.plan, limits, self.how)]

    def settings_of(self, member: int) -> dict[str, Any]:
        """The words of one of the trees that `grow` gives."""
        if not self.trade_offs:
            return dict(self.settings)
        return {**self.settings, "trade_off": self.trade_offs[member]}


def recipes(
    reader: TreeEstimator,
    rows: Rows,
    words: Mapping[str, Any],
    methods: Sequence[str],
    trade_offs: Sequence[float],
    min_masses: Sequence[float],
    budget: Budget | None = None,
) -> list[Recipe]:
    """Every method with every least mass, for rows that `reader` has read."""
    found = []
    for name in methods:
        method = METHODS[name]
        cls = method.learner(reader)
        if cls is None:
            continue
        given = {word: value for word, value in words.items() if word in cls._parameter_constraints}
        for min_mass in min_masses:
            model = cls(**given, **method.words, min_mass=min_mass)
            for word in ("classes_", "n_classes_"):
                if hasattr(reader, word):
                    setattr(model, word, getattr(reader, word))
            found.append(
                Recipe(
                    method=name,
                    settings={"min_mass": min_mass},
                    plan=model._plan(rows),
                    how=model._pruning(),
                    trade_offs=tuple(trade_offs) if method.has_trade_off else (),
                    budget=budget,
                )
            )
    return found
