"""The tree learners, one family a file, on one base."""

from thriftree.estimators.c45 import C45Classifier
from thriftree.estimators.cart import CARTClassifier, CARTRegressor
from thriftree.estimators.id3 import ID3Classifier

__all__ = ["C45Classifier", "CARTClassifier", "CARTRegressor", "ID3Classifier"]
