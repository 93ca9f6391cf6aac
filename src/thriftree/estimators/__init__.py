"""The tree learners, one family a file, on one base."""

from thriftree.estimators.baselines import BalancedClassifier, ImpurePairsClassifier
from thriftree.estimators.c45 import C45Classifier
from thriftree.estimators.cart import CARTClassifier, CARTRegressor
from thriftree.estimators.chaid import CHAIDClassifier
from thriftree.estimators.enhanced import EnhancedTreeClassifier, EnhancedTreeRegressor
from thriftree.estimators.id3 import ID3Classifier
from thriftree.estimators.msi import MSIClassifier
from thriftree.estimators.thrift import ThriftTreeClassifier, ThriftTreeRegressor
from thriftree.estimators.worst_case import WorstCaseTreeClassifier

__all__ = [
    "BalancedClassifier",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "CHAIDClassifier",
    "EnhancedTreeClassifier",
    "EnhancedTreeRegressor",
    "ID3Classifier",
    "ImpurePairsClassifier",
    "MSIClassifier",
    "ThriftTreeClassifier",
    "ThriftTreeRegressor",
    "WorstCaseTreeClassifier",
]
