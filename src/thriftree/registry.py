"""The one table of the learners: where each lives, and the short name on the command line and in `compare`.

Public names, model files, their schema and the command line derive from it. To add a learner: its folder in
methods/ if it has parts of its own, its shell in estimators/, a line in METHODS here, and one for type
checkers in thriftree/__init__.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from thriftree.learning.criteria import TargetKind


@dataclass(frozen=True)
class Method:
    """A learner for each kind of target, by its public name (None: it has none), and parameters that differ
    from its defaults when it is called by its short name.
    """

    module: str  # in thriftree.estimators
    summary: str
    classifier: str | None
    regressor: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    is_soft: bool = False  # its estimators have a `soft_tree_`, and no `tree_`

    @property
    def names(self) -> tuple[str, ...]:
        """The public names of its estimators."""
        return tuple(name for name in (self.classifier, self.regressor) if name is not None)

    def learner(self, target: TargetKind) -> Any:
        """The estimator's class; None if the method has none for this kind of target."""
        name = self.classifier if target == "classes" else self.regressor
        return None if name is None else estimator_class(name)


_PRUNED = MappingProxyType({"pruning": "cost_complexity"})

METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "thrift": Method(
            "thrift",
            "several compete; of the best the cheapest",
            "ThriftTreeClassifier",
            "ThriftTreeRegressor",
        ),
        "cart": Method(
            "cart", "binary tests by gini, weakest links pruned", "CARTClassifier", "CARTRegressor", _PRUNED
        ),
        "c45": Method("c45", "gain ratio, pruned by the errors to expect", "C45Classifier"),
        "id3": Method("id3", "information gain, not pruned", "ID3Classifier"),
        "enhanced": Method(
            "enhanced",
            "balance, efficiency and impurity over price",
            "EnhancedTreeClassifier",
            "EnhancedTreeRegressor",
            MappingProxyType({**_PRUNED, "trade_off": "auto"}),
        ),
        "optimal": Method(
            "optimal", "fewest errors and leaves, proved", "OptimalTreeClassifier", "OptimalTreeRegressor"
        ),
        "worst-case": Method("worst_case", "no path costs much", "WorstCaseTreeClassifier"),
        "chaid": Method("chaid", "chi-squared tests, merged categories", "CHAIDClassifier"),
        "quest": Method("quest", "columns by tests of significance", "QUESTClassifier"),
        "public": Method("public", "the tree of fewest bits", "PUBLICClassifier"),
        "msi": Method("msi", "stops where errors and text compress best", "MSIClassifier"),
        "impure-pairs": Method(
            "baselines", "fewest pairs of classes left", "ImpurePairsClassifier", parameters=_PRUNED
        ),
        "balanced": Method("baselines", "the most even split", "BalancedClassifier", parameters=_PRUNED),
        "soft": Method(
            "soft",
            "gates that weigh all columns, learned together",
            "SoftTreeClassifier",
            "SoftTreeRegressor",
            is_soft=True,
        ),
    }
)

#: By the public name of every estimator of (hard) trees, the module it lives in.
ESTIMATORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        name: f"thriftree.estimators.{method.module}"
        for method in METHODS.values()
        for name in method.names
        if not method.is_soft
    }
)

#: Learners of soft trees, in the same way. They have no `tree_`, so nothing that reads one enumerates them.
SOFT_ESTIMATORS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("SoftTreeClassifier", "SoftTreeRegressor"), "thriftree.estimators.soft")
)

#: Learners of neural trees, whose `soft_tree_` has a network in front; `fit` needs torch.
NEURAL_ESTIMATORS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("NeuralTreeClassifier", "NeuralTreeRegressor"), "thriftree.estimators.neural")
)


#: All that a model file can hold.
LEARNERS: Final[Mapping[str, str]] = MappingProxyType({**ESTIMATORS, **SOFT_ESTIMATORS, **NEURAL_ESTIMATORS})


def estimator_class(name: str) -> Any:
    """The estimator of that public name, which must be a key of LEARNERS."""
    return getattr(import_module(LEARNERS[name]), name)


def methods_for(target: TargetKind) -> list[str]:
    """The names of the methods that learn such a target."""
    return [
        name
        for name, method in METHODS.items()
        if (method.classifier if target == "classes" else method.regressor) is not None
    ]


# Parameters that few learners have, and what each is called.
_BOUNDS: Final = {"budget": "budget", "max_expected": "bound on the expected price"}


def make_learner(name: str, target: TargetKind, asked: Mapping[str, Any], offered: Mapping[str, Any]) -> Any:
    """An unfitted estimator. It must have the parameters `asked` for; of those `offered` it takes what it
    has.
    """
    from thriftree.estimators.parameters import OUR_NAME
    from thriftree.messages import did_you_mean

    fitting = methods_for(target)
    if name not in fitting:
        kind = "classes" if target == "classes" else "a number"
        raise ValueError(
            f"no method {name!r} for a target that is {kind}{did_you_mean(name, fitting)}; "
            f"there are {', '.join(fitting)}"
        )
    method = METHODS[name]
    learner = method.learner(target)
    names = learner._get_param_names()
    for bound, called in _BOUNDS.items():
        if bound in asked and bound not in names:
            able = [one for one in fitting if bound in METHODS[one].learner(target)._get_param_names()]
            raise ValueError(f"the method {name} keeps to no {called}: take one of {', '.join(able)}")
    for one in asked:
        if one not in names and one not in OUR_NAME:  # the learner itself translates scikit-learn's names
            hint = did_you_mean(one, names) or f"; its parameters are {', '.join(names)}"
            raise ValueError(f"the method {name} has no parameter {one!r}{hint}")
    taken = {one: value for one, value in offered.items() if one in names}
    return learner(**{**method.parameters, **taken, **asked})
