"""Small, cheap, trustworthy decision trees.

thriftree learns decision trees that people can read, follow and afford: accurate, with few questions, at a
price that is known beforehand. The learners are scikit-learn estimators on a compiled core; they take pandas,
polars, pyarrow and numpy tables as they are, with strings, categories and missing values.

    >>> from thriftree import CARTClassifier
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> model = CARTClassifier(max_leaves=4, costs=heart_prices()).fit(X, y)
    >>> print(model.tree_.to_text())
    thallium_scan is normal? (missing: no) [203.80 for 2 tests]
    ├─ yes: major_vessels <= 0.5? [paid]
    │  ├─ yes: → absent · 89% · 117 rows · pays 203.80
    │  └─ no: → absent · 51% · 49 rows · pays 203.80
    └─ no: chest_pain is asymptomatic? (missing: no) [1.00]
       ├─ yes: → present · 89% · 91 rows · pays 204.80
       └─ no: → absent · 54% · 46 rows · pays 204.80
    >>> print(f"{model.expected_cost_:.2f} dollars a patient, at most {model.worst_case_cost_:.2f}")
    204.25 dollars a patient, at most 204.80

Learners
    ThriftTreeClassifier    the one to start with: tries the others and takes the cheapest that is as accurate
    ThriftTreeRegressor     the same for numbers
    CARTClassifier     binary tests by gini, entropy or misclassification; weakest-link pruning
    CARTRegressor      the same for numbers, by squared error
    C45Classifier      gain ratio, a branch for every category, pruning by the errors to expect
    ID3Classifier      information gain, a branch for every category
    CHAIDClassifier    chi-squared tests: alike categories are merged, a branch for every group that differs
    EnhancedTreeClassifier  accurate and cheap: balance, efficiency and impurity, over the price of a test
    EnhancedTreeRegressor   the same for numbers
    MSIClassifier      finds its own size: stops where errors and text compress best; no hyperparameters
    ImpurePairsClassifier, BalancedClassifier  two simple ways to a cheap tree, to compare with
    OptimalTreeClassifier  provably the fewest errors for its size, or the best so far with a bound
    OptimalTreeRegressor   the same for numbers: the least squared error
    PUBLICClassifier   fewest bits for tree and classes, pruned while it is built; nothing to tune
    QUESTClassifier    a column by tests of significance, without favour; splits by discriminant analysis
    WorstCaseTreeClassifier  no row pays much: the largest price of a path is near the least possible

Learners of soft trees, which have a soft_tree_ instead
    SoftTreeClassifier  every test sends a row both ways, with probabilities; all are learned together
    SoftTreeRegressor   the same for numbers
    SoftTree            what they learn: immutable, with predict, path_probabilities, save and load
    NeuralTreeClassifier, NeuralTreeRegressor  a network in front of a soft tree; fit needs torch

What they share
    fit                learns; the tree does not depend on the number of threads (n_jobs)
    predict            answers; so do predict_proba, apply and decision_path
    predict_cost       what each row pays for its tests
    tree_              the tree itself, a Tree: immutable, with to_text, explain, rules, save and more
    expected_cost_     the mean price over the rows of fit; worst_case_cost_ the largest of any path

Prices
    TestCosts          a price for each test; shared set-ups, paid once, known and delayed tests

Impurities of worst-case trees
    Pairs, Powers, Polynomial, HingedPairs  functions of the objects per class, for WorstCaseTreeClassifier

Trade-offs
    frontier           the trees that no other beats on score, prices and size: a Frontier, to choose from
    error_cost_curve   what less error costs at worst, for many impurities: an ErrorCostCurve

Files
    save               of an estimator or a Tree writes a JSON file
    load               reads either back, without running code

Larger than memory
    ParquetTable       a table in Parquet files, read a part at a time; fit takes Dask and Spark tables too

Reports
    write_report       one HTML file on a tree: to look at, to ask, to print

Comparisons
    compare            methods side by side on the same folds, with intervals

Certificates
    certify            what a tree costs, and what every such tree costs at least: a Certificate

Optimal trees
    regularised_risk   errors plus a penalty for each leaf: what OptimalTreeClassifier makes least
    near_optimal       all trees nearly as good as the best, and the cheapest of them: NearOptimalTrees

Editing
    Edit               what collapse, relabel, reorder or refit_below changed: a new estimator and its price

Limits and problems
    LimitReachedWarning  a fit was stopped by time_limit_s or memory_limit_mb; stopped_by_ says by which
    show_versions        prints the versions that a report of a problem should name

The guides are in docs/guide; docs/defaults.md has every default and its reason.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thriftree.registry import ESTIMATORS, NEURAL_ESTIMATORS, SOFT_ESTIMATORS

if TYPE_CHECKING:
    from thriftree.certificates.certificate import Certificate as Certificate
    from thriftree.certificates.certify import certify as certify
    from thriftree.comparison import compare as compare
    from thriftree.costs import TestCosts as TestCosts
    from thriftree.distributed.parquet_table import ParquetTable as ParquetTable
    from thriftree.editing.edit import Edit as Edit
    from thriftree.estimators.baselines import BalancedClassifier as BalancedClassifier
    from thriftree.estimators.baselines import ImpurePairsClassifier as ImpurePairsClassifier
    from thriftree.estimators.c45 import C45Classifier as C45Classifier
    from thriftree.estimators.cart import CARTClassifier as CARTClassifier
    from thriftree.estimators.cart import CARTRegressor as CARTRegressor
    from thriftree.estimators.chaid import CHAIDClassifier as CHAIDClassifier
    from thriftree.estimators.enhanced import EnhancedTreeClassifier as EnhancedTreeClassifier
    from thriftree.estimators.enhanced import EnhancedTreeRegressor as EnhancedTreeRegressor
    from thriftree.estimators.id3 import ID3Classifier as ID3Classifier
    from thriftree.estimators.msi import MSIClassifier as MSIClassifier
    from thriftree.estimators.near_optimal import NearOptimalTrees as NearOptimalTrees
    from thriftree.estimators.near_optimal import near_optimal as near_optimal
    from thriftree.estimators.neural import NeuralTreeClassifier as NeuralTreeClassifier
    from thriftree.estimators.neural import NeuralTreeRegressor as NeuralTreeRegressor
    from thriftree.estimators.optimal import OptimalTreeClassifier as OptimalTreeClassifier
    from thriftree.estimators.optimal import OptimalTreeRegressor as OptimalTreeRegressor
    from thriftree.estimators.public import PUBLICClassifier as PUBLICClassifier
    from thriftree.estimators.quest import QUESTClassifier as QUESTClassifier
    from thriftree.estimators.soft import SoftTreeClassifier as SoftTreeClassifier
    from thriftree.estimators.soft import SoftTreeRegressor as SoftTreeRegressor
    from thriftree.estimators.thrift import ThriftTreeClassifier as ThriftTreeClassifier
    from thriftree.estimators.thrift import ThriftTreeRegressor as ThriftTreeRegressor
    from thriftree.estimators.worst_case import WorstCaseTreeClassifier as WorstCaseTreeClassifier
    from thriftree.impurities import HingedPairs as HingedPairs
    from thriftree.impurities import Pairs as Pairs
    from thriftree.impurities import Polynomial as Polynomial
    from thriftree.impurities import Powers as Powers
    from thriftree.learning.limits import LimitReachedWarning as LimitReachedWarning
    from thriftree.methods.optimal.risk import regularised_risk as regularised_risk
    from thriftree.methods.soft.soft_tree import SoftTree as SoftTree
    from thriftree.model_files import load as load
    from thriftree.report import write_report as write_report
    from thriftree.tree import Tree as Tree
    from thriftree.tuning.frontier import ErrorCostCurve as ErrorCostCurve
    from thriftree.tuning.frontier import Frontier as Frontier
    from thriftree.tuning.frontier import error_cost_curve as error_cost_curve
    from thriftree.tuning.frontier import frontier as frontier
    from thriftree.versions import show_versions as show_versions

__version__ = "0.1.0"

# Where each public name lives: the estimators, and the rest. Modules are imported when a name of theirs is
# first used, so that `import thriftree` is quick.
_HOME = {
    **ESTIMATORS,
    **SOFT_ESTIMATORS,
    **NEURAL_ESTIMATORS,
    "Certificate": "thriftree.certificates",
    "Edit": "thriftree.editing.edit",
    "ErrorCostCurve": "thriftree.tuning.frontier",
    "Frontier": "thriftree.tuning.frontier",
    "HingedPairs": "thriftree.impurities",
    "LimitReachedWarning": "thriftree.learning.limits",
    "NearOptimalTrees": "thriftree.estimators.near_optimal",
    "Pairs": "thriftree.impurities",
    "ParquetTable": "thriftree.distributed.parquet_table",
    "Polynomial": "thriftree.impurities",
    "Powers": "thriftree.impurities",
    "SoftTree": "thriftree.methods.soft.soft_tree",
    "TestCosts": "thriftree.costs",
    "Tree": "thriftree.tree",
    "certify": "thriftree.certificates",
    "compare": "thriftree.comparison",
    "error_cost_curve": "thriftree.tuning.frontier",
    "frontier": "thriftree.tuning.frontier",
    "load": "thriftree.model_files",
    "near_optimal": "thriftree.estimators.near_optimal",
    "regularised_risk": "thriftree.methods.optimal.risk",
    "show_versions": "thriftree.versions",
    "write_report": "thriftree.report",
}

__all__ = sorted(_HOME)

if not TYPE_CHECKING:  # a type checker sees the imports above, and submodules such as _core as they are

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'thriftree' has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
