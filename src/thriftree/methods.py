"""The learners by the short names that the command line and `compare` know them by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from thriftree.criteria import TargetKind


@dataclass(frozen=True)
class NamedMethod:
    """A learner for each kind of target, by its public name (None: it has none), and words that differ from
    its defaults.
    """

    summary: str
    classifier: str | None
    regressor: str | None = None
    words: Mapping[str, Any] = field(default_factory=dict)

    def learner(self, target: TargetKind) -> Any:
        """The estimator's class; None if the method has none for this kind of target."""
        name = self.classifier if target == "classes" else self.regressor
        return None if name is None else getattr(import_module("thriftree"), name)


_PRUNED = MappingProxyType({"pruning": "cost_complexity"})

METHODS: Final[Mapping[str, NamedMethod]] = MappingProxyType(
    {
        "thrift": NamedMethod(
            "several compete; of the best the cheapest", "ThriftTreeClassifier", "ThriftTreeRegressor"
        ),
        "cart": NamedMethod(
            "binary tests by gini, weakest links pruned", "CARTClassifier", "CARTRegressor", _PRUNED
        ),
        "c45": NamedMethod("gain ratio, pruned by the errors to expect", "C45Classifier"),
        "id3": NamedMethod("information gain, not pruned", "ID3Classifier"),
        "enhanced": NamedMethod(
            "balance, efficiency and impurity over price",
            "EnhancedTreeClassifier",
            "EnhancedTreeRegressor",
            MappingProxyType({**_PRUNED, "trade_off": "auto"}),
        ),
        "worst-case": NamedMethod("no path costs much", "WorstCaseTreeClassifier"),
        "chaid": NamedMethod("chi-squared tests, merged categories", "CHAIDClassifier"),
        "quest": NamedMethod("columns by tests of significance", "QUESTClassifier"),
        "public": NamedMethod("the tree of fewest bits", "PUBLICClassifier"),
        "msi": NamedMethod("stops where errors and text compress best", "MSIClassifier"),
        "impure-pairs": NamedMethod("fewest pairs of classes left", "ImpurePairsClassifier", words=_PRUNED),
        "balanced": NamedMethod("the most even split", "BalancedClassifier", words=_PRUNED),
    }
)


def methods_for(target: TargetKind) -> list[str]:
    """The names of the methods that learn such a target."""
    return [
        name
        for name, method in METHODS.items()
        if (method.classifier if target == "classes" else method.regressor) is not None
    ]


def make_learner(name: str, target: TargetKind, asked: Mapping[str, Any], offered: Mapping[str, Any]) -> Any:
    """An unfitted estimator. It must have the words `asked` for; of those `offered` it takes what it has."""
    from thriftree.costs.checks import did_you_mean
    from thriftree.estimators.parameters import OUR_WORD

    fitting = methods_for(target)
    if name not in fitting:
        kind = "classes" if target == "classes" else "a number"
        raise ValueError(
            f"no method {name!r} for a target that is {kind}{did_you_mean(name, fitting)}; "
            f"there are {', '.join(fitting)}"
        )
    method = METHODS[name]
    learner = method.learner(target)
    words = learner._get_param_names()
    if "budget" in asked and "budget" not in words:
        with_budget = [one for one in fitting if "budget" in METHODS[one].learner(target)._get_param_names()]
        raise ValueError(f"the method {name} keeps to no budget: take {' or '.join(with_budget)}")
    for word in asked:
        if word not in words and word not in OUR_WORD:  # the learner itself translates scikit-learn's words
            hint = did_you_mean(word, words) or f"; its words are {', '.join(words)}"
            raise ValueError(f"the method {name} has no word {word!r}{hint}")
    taken = {word: value for word, value in offered.items() if word in words}
    return learner(**{**method.words, **taken, **asked})
