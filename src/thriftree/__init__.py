"""Small, cheap, trustworthy decision trees.

thriftree learns decision trees that people can read, follow and afford: accurate, with few questions, at a
price that is known beforehand. The learners are scikit-learn estimators on a compiled core; they take pandas,
polars, pyarrow and numpy tables as they are, with strings, categories and missing values.

    >>> from thriftree import CARTClassifier
    >>> from thriftree.datasets import load_heart
    >>> X, y = load_heart()
    >>> model = CARTClassifier(max_leaves=4).fit(X, y)
    >>> print(model.tree_.to_text())  # doctest: +SKIP
    >>> model.expected_cost_, model.worst_case_cost_  # doctest: +SKIP

Learners
    CARTClassifier, CARTRegressor   binary tests; gini, entropy, misclassification or squared error;
    weakest-link pruning C45Classifier                   gain ratio, a branch for every category, pruning by
    expected errors ID3Classifier                   information gain, a branch for every category

What they share
    fit(X, y, sample_weight=None)   learn; the tree does not depend on the number of threads (n_jobs)
    predict, predict_proba          answer; predict_cost says what each row pays for its tests
    tree_                           the tree itself, a Tree: immutable, with to_text, rules, save and more
    expected_cost_, worst_case_cost_

Prices
    TestCosts                       a price for each test, shared set-ups, pay once, known and delayed tests

Guides are in docs/guide, every default and its reason in docs/defaults.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thriftree.costs import TestCosts
    from thriftree.estimators.c45 import C45Classifier
    from thriftree.estimators.cart import CARTClassifier, CARTRegressor
    from thriftree.estimators.id3 import ID3Classifier
    from thriftree.estimators.limits import LimitReachedWarning
    from thriftree.tree import Tree

__version__ = "0.1.0"

# Where each public name lives. Modules are imported when a name of theirs is first used, so that `import
# thriftree` is quick.
_HOME = {
    "C45Classifier": "thriftree.estimators.c45",
    "CARTClassifier": "thriftree.estimators.cart",
    "CARTRegressor": "thriftree.estimators.cart",
    "ID3Classifier": "thriftree.estimators.id3",
    "LimitReachedWarning": "thriftree.estimators.limits",
    "TestCosts": "thriftree.costs",
    "Tree": "thriftree.tree",
}

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "LimitReachedWarning",
    "TestCosts",
    "Tree",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'thriftree' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
