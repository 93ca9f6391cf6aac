"""The estimators that a model file may name. Nothing else is ever looked up by a name from a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from thriftree.estimators.base import TreeEstimator

ESTIMATORS: Final = {
    "BalancedClassifier": "thriftree.estimators.baselines",
    "C45Classifier": "thriftree.estimators.c45",
    "CARTClassifier": "thriftree.estimators.cart",
    "CARTRegressor": "thriftree.estimators.cart",
    "CHAIDClassifier": "thriftree.estimators.chaid",
    "EnhancedTreeClassifier": "thriftree.estimators.enhanced",
    "EnhancedTreeRegressor": "thriftree.estimators.enhanced",
    "ID3Classifier": "thriftree.estimators.id3",
    "ImpurePairsClassifier": "thriftree.estimators.baselines",
    "MSIClassifier": "thriftree.estimators.msi",
    "PUBLICClassifier": "thriftree.estimators.public",
    "QUESTClassifier": "thriftree.estimators.quest",
    "ThriftTreeClassifier": "thriftree.estimators.thrift",
    "ThriftTreeRegressor": "thriftree.estimators.thrift",
    "WorstCaseTreeClassifier": "thriftree.estimators.worst_case",
}


def estimator_class(name: str) -> type[TreeEstimator]:
    """The estimator of that name, which must be a key of ESTIMATORS."""
    return cast("type[TreeEstimator]", getattr(import_module(ESTIMATORS[name]), name))
